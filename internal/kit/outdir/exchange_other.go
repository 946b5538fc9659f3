//go:build !linux && !darwin

package outdir

import "errors"

// exchange returns an error: this system cannot exchange the names of two folders in one step.
func exchange(string, string) error { return errors.ErrUnsupported }
