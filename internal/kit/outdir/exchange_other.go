//go:build !linux && !darwin

package outdir

import "errors"

// exchange would let two folders change places in one step.
func exchange(string, string) error { return errors.ErrUnsupported }
