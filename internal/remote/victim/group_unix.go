//go:build unix

package victim

import (
	"os/exec"
	"syscall"
)

// ownGroup has a command lead a process group of its own.
func ownGroup(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// killGroup ends a command that leads a group, and all that it started and that stayed there.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
