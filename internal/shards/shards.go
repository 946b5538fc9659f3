// Package shards makes long work resumable: each unit's result is a file of its
// own, renamed into place when it is whole, in a folder that remembers by its
// fingerprint what it was made from. Assembling the shards in order gives the
// same bytes whether the run was interrupted or not, and whatever the workers.
package shards

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/internal/atomicfile"
	"github.com/tabperturb/tabperturb/internal/filelock"
)

const fingerprintFile = "fingerprint"

// Dir is a folder of shards, locked until it is closed or removed.
type Dir struct {
	path string
	held *os.File
}

// Open makes or reopens the folder at path; reused tells which. Without resume,
// the shards of an earlier run are removed; with it, they are kept where
// fingerprint (of inputs, flags and versions) is the one that they were made
// with. A folder that holds anything else, or in which another run is at work, is
// an error.
func Open(path, fingerprint string, resume bool) (d *Dir, reused bool, err error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, false, err
	}
	held, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	d = &Dir{path, held}
	if err := filelock.TryLock(held); err != nil {
		return nil, false, errors.Join(fmt.Errorf("%s: another run is at work there: %w", path, err), held.Close())
	}
	if reused, err = d.claim(fingerprint, resume); err != nil {
		return nil, false, errors.Join(err, held.Close())
	}
	return d, reused, nil
}

// Begin opens the folder name inside out, a directory in the making, as [Open]
// does. Unless the work is resumed, out is emptied first: what an earlier run made
// would stand beside what this one makes. That is done only where no other run is
// at work in it.
func Begin(out *atomicfile.Dir, name, fingerprint string, resume bool) (*Dir, error) {
	d, reused, err := Open(out.Path(name), fingerprint, resume)
	if err != nil || reused {
		return d, err
	}
	if err := errors.Join(out.Restart(), d.Close()); err != nil {
		return nil, err
	}
	d, _, err = Open(out.Path(name), fingerprint, false)
	return d, err
}

func (d *Dir) claim(fingerprint string, resume bool) (reused bool, err error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return false, err
	}
	mark := filepath.Join(d.path, fingerprintFile)
	if len(entries) > 0 {
		old, err := os.ReadFile(mark)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return false, fmt.Errorf("%s: holds other files, expected no such folder or work in progress", d.path)
		case err != nil:
			return false, err
		case resume && string(old) == fingerprint:
			return true, nil
		case resume:
			return false, fmt.Errorf("%s: left by a run with other inputs or flags; run without --resume to start anew", d.path)
		}
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(d.path, e.Name())); err != nil {
			return false, err
		}
	}
	return false, os.WriteFile(mark, []byte(fingerprint), 0o644)
}

// Close gives the folder free and leaves what is in it.
func (d *Dir) Close() error { return d.held.Close() }

// Path returns where the shard of unit i of a part of the work lies.
func (d *Dir) Path(part string, i int) string {
	return filepath.Join(d.path, filepath.FromSlash(part), fmt.Sprintf("%06d", i))
}

// Has tells whether a shard is whole.
func (d *Dir) Has(part string, i int) bool {
	_, err := os.Stat(d.Path(part, i))
	return err == nil
}

// Write puts a shard in place, whole or not at all.
func (d *Dir) Write(part string, i int, data []byte) error {
	path := d.Path(part, i)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// Remove deletes the folder.
func (d *Dir) Remove() error { return errors.Join(os.RemoveAll(d.path), d.held.Close()) }

// Run calls work for every item of the sequence on a number of workers, and
// stops at the first error. At most that many items are held at once.
func Run[T any](ctx context.Context, workers int, items func(yield func(int, T) bool), work func(ctx context.Context, i int, item T) error) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(workers, 1))
	items(func(i int, item T) bool {
		if gctx.Err() != nil {
			return false
		}
		g.Go(func() error { return work(gctx, i, item) })
		return true
	})
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
