package outdir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

const fingerprintFile = "fingerprint"

// Shards make long work resumable: each unit's result is a file of its own, renamed
// into place when it is whole, in a folder that remembers by its fingerprint what it
// was made from. Assembling the shards in order gives the same bytes whether the run
// was interrupted or not, and whatever the workers. The folder is locked until it is
// closed or removed.
type Shards struct {
	path string
	lock *Lock
}

// OpenShards makes or reopens the folder at path. Without resume, the shards of an
// earlier run are removed; with it, they are kept where fingerprint (of inputs, flags
// and versions) is the one that they were made with. A folder that holds anything
// else, or in which another run is at work, is an error.
func OpenShards(path, fingerprint string, resume bool) (*Shards, error) {
	s, err := lockShards(path, path)
	if err != nil {
		return nil, err
	}
	if _, err := s.claim(fingerprint, resume); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Shards is [OpenShards] for the folder name inside a directory in the making.
// Unless the work is resumed, the directory is emptied first: what an earlier run
// made would stand beside what this one makes. That is done only where no other run
// is at work in it.
func (d *Dir) Shards(name, fingerprint string, resume bool) (*Shards, error) {
	s, err := lockShards(d.Path(name), d.Path())
	if err != nil {
		return nil, err
	}
	reused, err := s.claim(fingerprint, resume)
	if err == nil && !reused {
		if err = d.Restart(); err == nil {
			_, err = s.claim(fingerprint, false)
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// lockShards returns the shards at path, with the folder locked that they belong to.
func lockShards(path, locked string) (*Shards, error) {
	if err := os.MkdirAll(filepath.Dir(locked), 0o755); err != nil {
		return nil, err
	}
	lock, err := TryLock(locked)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Shards{path, lock}, nil
}

// claim makes the folder this run's, and tells whether it has shards that can be used.
func (s *Shards) claim(fingerprint string, resume bool) (reused bool, err error) {
	if err := os.MkdirAll(s.path, 0o755); err != nil {
		return false, err
	}
	entries, err := os.ReadDir(s.path)
	if err != nil {
		return false, err
	}
	mark := filepath.Join(s.path, fingerprintFile)
	if len(entries) > 0 {
		old, err := os.ReadFile(mark)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return false, fmt.Errorf("%s: holds other files, expected no such folder or work in progress", s.path)
		case err != nil:
			return false, err
		case resume && string(old) == fingerprint:
			return true, nil
		case resume:
			return false, fmt.Errorf("%s: left by a run with other inputs or flags; run without --resume to start anew", s.path)
		}
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(s.path, e.Name())); err != nil {
			return false, err
		}
	}
	return false, os.WriteFile(mark, []byte(fingerprint), 0o644)
}

// Close gives the folder free and leaves what is in it.
func (s *Shards) Close() error { return s.lock.Close() }

// Path returns where the shard of unit i of a part of the work lies.
func (s *Shards) Path(part string, i int) string {
	return filepath.Join(s.path, filepath.FromSlash(part), fmt.Sprintf("%06d", i))
}

// Has tells whether a shard is whole.
func (s *Shards) Has(part string, i int) bool {
	_, err := os.Stat(s.Path(part, i))
	return err == nil
}

// Write puts a shard in place, whole or not at all.
func (s *Shards) Write(part string, i int, data []byte) error {
	path := s.Path(part, i)
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
func (s *Shards) Remove() error { return errors.Join(os.RemoveAll(s.path), s.lock.Close()) }

// Run calls work for every item on a number of workers, and stops at the first error.
func Run[T any](ctx context.Context, workers int, items []T, work func(ctx context.Context, i int, item T) error) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(workers, 1))
	for i, item := range items {
		if gctx.Err() != nil {
			break
		}
		g.Go(func() error { return work(gctx, i, item) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
