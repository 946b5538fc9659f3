package outdir

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// fingerprintFile is the file of a folder of shards that has the fingerprint of its run.
const fingerprintFile = "fingerprint"

// Shards make long work resumable: each unit's result is a file of its own, renamed
// into place when it is whole, in a folder that remembers by its fingerprint what it
// was made from. Assembling the shards in order gives the same bytes whether the run
// was interrupted or not, and whatever the workers. The folder is locked until it is
// closed or removed.
//
// A shard ends with its checksum. It is not synced to disk before it is renamed, which would often take longer than making it. If
// the machine stops meanwhile, the checksum reveals a damaged shard, which is made again.
type Shards struct {
	path string
	lock *Lock
	note func(error) // called with each damaged shard
}

// OpenShards makes or reopens the folder at path. Without resume, the shards of an
// earlier run are removed; with it, they are kept where fingerprint (of inputs, flags
// and versions) is the one that they were made with, and note is called with each that is
// damaged and made again. A folder that holds anything else, or in which another run is
// at work, is an error.
func OpenShards(path, fingerprint string, resume bool, note func(error)) (*Shards, error) {
	lock, err := TryLock(path)
	if err != nil {
		return nil, err
	}
	s := &Shards{path, lock, note}
	if _, err := s.claim(fingerprint, resume); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Shards opens shards as [OpenShards] does, in the folder name of the unfinished directory d, whose lock they take over. If
// no shards of an earlier run are reused, it empties d first, so that nothing of an earlier run is mixed with this one.
func (d *Dir) Shards(name, fingerprint string, resume bool, note func(error)) (*Shards, error) {
	s := &Shards{d.Path(name), d.lock, note}
	reused, err := s.claim(fingerprint, resume)
	if err == nil && !reused {
		if err = d.Restart(); err == nil {
			_, err = s.claim(fingerprint, false) // Restart removed the folder that the first claim prepared
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// claim prepares the folder for this run and reports whether it holds shards to reuse: with resume, those made with the same
// fingerprint. It rejects a folder of other files and, with resume, one of a run with another fingerprint.
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
		case resume && len(old) > 0: // an empty one is of a run that was killed as it began
			return false, fmt.Errorf("%s: left by a run with other inputs or flags; run without --resume to start anew", s.path)
		}
	}
	if err := s.empty(); err != nil {
		return false, err
	}
	return false, os.WriteFile(mark, []byte(fingerprint), 0o644)
}

// empty removes all files but the fingerprint, by which the next run recognises the folder if
// this one is killed meanwhile.
func (s *Shards) empty() error { return removeOthers(s.path, fingerprintFile) }

// Close unlocks the folder and leaves its files.
func (s *Shards) Close() error { return s.lock.Close() }

// Path returns the path of the shard of unit i of a part of the work.
func (s *Shards) Path(part string, i int) string { return shardPath(s.path, part, i) }

// shardPath returns the path of the shard of unit i of a part of the work: DIR/PART/000042.
func shardPath(dir, part string, i int) string {
	return filepath.Join(dir, filepath.FromSlash(part), fmt.Sprintf("%06d", i))
}

// Has reports whether a shard exists and is undamaged. It removes a damaged one, and calls note with its error.
func (s *Shards) Has(part string, i int) bool {
	_, err := s.Read(part, i)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.note(fmt.Errorf("%w; it is made again", err))
		os.Remove(s.Path(part, i))
	}
	return err == nil
}

// sum returns the checksum that ends the shard of data.
func sum(data []byte) []byte {
	return binary.BigEndian.AppendUint32(nil, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}

// Read returns what was written as a shard.
func (s *Shards) Read(part string, i int) ([]byte, error) { return readShard(s.Path(part, i)) }

// readShard returns the contents of the shard at path, without its checksum, which must be right.
func readShard(path string) ([]byte, error) {
	all, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n := len(all) - crc32.Size
	if n < 0 || !bytes.Equal(sum(all[:n]), all[n:]) {
		return nil, fmt.Errorf("%s: is damaged, expected a file that ends with its checksum", path)
	}
	return all[:n:n], nil
}

// Keep removes all shards except the shards of the named parts of the work; a part's folder is the first
// element of its name.
func (s *Shards) Keep(parts ...string) error {
	kept := []string{fingerprintFile}
	for _, p := range parts {
		first, _, _ := strings.Cut(p, "/")
		kept = append(kept, first)
	}
	return removeOthers(s.path, kept...)
}

// Write puts a shard in place, whole or not at all.
func (s *Shards) Write(part string, i int, data []byte) error {
	path := s.Path(part, i)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, slices.Concat(data, sum(data)), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// Remove deletes the folder. It keeps the lock for the rest of the work.
func (s *Shards) Remove() error { return errors.Join(s.empty(), os.RemoveAll(s.path)) }

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
