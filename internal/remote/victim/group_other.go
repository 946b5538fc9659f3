//go:build !unix

package victim

import "os/exec"

// ownGroup leaves a command as it is: there are no process groups here.
func ownGroup(cmd *exec.Cmd) *exec.Cmd { return cmd }

// killGroup ends a command alone.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
