//go:build unix

package victim

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command the leader of a process group of its own, and returns it.
func ownGroup(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// killGroup ends a command that leads a group, and all that it started and that stayed there.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
