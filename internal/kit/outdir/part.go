package outdir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// PartFile marks a finished part of divided work.
const PartFile = "part.json"

// partVersion is the version of the format of parts. Parts of another version are not merged.
const partVersion = 2

// A Part is the result of one share of divided work: a folder next to the output with the shards of its units, in the folder
// ".shards", and the other files that the work wrote.
type Part struct {
	Version     int    `json:"version"`
	Kind        string `json:"kind"` // of work: the name of the command
	Share       Share  `json:"share"`
	Fingerprint string `json:"fingerprint"` // of all that shards depend on
	Units       int    `json:"units"`       // of the whole work
	Mine        []int  `json:"mine"`        // units of the part, in order

	// Assembly is what a merge needs in addition to the shards; equal in all parts.
	Assembly json.RawMessage `json:"assembly"`

	// Failed counts the items without an answer, which another run may get.
	Failed int `json:"failed,omitempty"`

	path string
}

// PartShards is the folder of a part that has its shards.
const PartShards = ".shards"

// A Division is long work that is done in shares.
type Division struct {
	Kind        string       // of work: the name of the command
	Fingerprint string       // of all that shards depend on
	Sizes       []int64      // of the units, by which the shares are balanced
	Assembly    any          // what a merge needs in addition to the shards, as JSON; equal in all parts
	Resume      bool         // go on where an interrupted share stopped, and keep one that is done
	Note        func(error)  // called for each damaged shard, which is made again
	Failed      func() int   // called after the work: the number of items without an answer; may be nil
	Unchanged   func() error // called before the part is renamed into place: an error if the inputs changed; may be nil
}

// Part does one share: work writes the results of the units mine into the directory and the shards, and the part is renamed into
// place next to out. With Resume, a finished part of the same work is returned as it is; where some of its items had no answer,
// work starts from its shards.
func (v *Division) Part(out string, s Share, work func(d *Dir, shards *Shards, mine []int) error) (*Part, error) {
	p := &Part{Version: partVersion, Kind: v.Kind, Share: s, Fingerprint: v.Fingerprint, Units: len(v.Sizes), Mine: s.Units(v.Sizes), path: s.Path(out)}
	var err error
	if p.Assembly, err = json.Marshal(v.Assembly); err != nil {
		return nil, err
	}
	old, err := readPart(out, s)
	reuse := err == nil && v.Resume && slices.Equal(old.Mine, p.Mine) && !old.differs(p) // old is of the same work
	if reuse && old.Failed == 0 && p.whole() {
		return p, nil
	}
	d, err := NewDir(p.path, PartFile)
	if err != nil {
		return nil, err
	}
	shards, err := d.Shards(PartShards, v.Fingerprint+"\n"+string(p.Assembly), v.Resume, v.Note)
	if err != nil {
		return nil, err
	}
	defer func() { shards.Close() }() // after an error, for Resume
	if reuse && v.Failed != nil {     // some items had no answer, or a shard is damaged: begin with the shards that are whole
		if err := d.inherit(old); err != nil {
			return nil, err
		}
	}
	if err := work(d, shards, p.Mine); err != nil {
		return nil, err
	}
	if v.Unchanged != nil {
		if err := v.Unchanged(); err != nil {
			return nil, errors.Join(err, d.Abort())
		}
	}
	if v.Failed != nil {
		p.Failed = v.Failed()
	}
	return p, p.Commit(d)
}

// whole reports whether all shards of the part can be read and have the right checksum.
func (p *Part) whole() bool {
	return filepath.WalkDir(filepath.Join(p.path, PartShards), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && e.Name() != fingerprintFile {
			_, err = readShard(path)
		}
		return err
	}) == nil
}

// inherit links the shards of an earlier part of the same work that d lacks. It skips damaged ones, which are made again.
func (d *Dir) inherit(p *Part) error {
	return walkFiles(p.path, PartShards, func(path, rel string, e fs.DirEntry) error {
		_, missing := os.Lstat(d.Path(rel))
		if _, damaged := readShard(path); missing == nil || damaged != nil {
			return nil
		}
		return d.gather(p, path, rel, e)
	})
}

// differs reports whether two parts are of different runs.
func (p *Part) differs(q *Part) bool {
	return p.Kind != q.Kind || p.Fingerprint != q.Fingerprint || p.Units != q.Units || string(p.Assembly) != string(q.Assembly)
}

// Commit writes the file of the part into d, its unfinished directory, and renames that into place.
func (p *Part) Commit(d *Dir) error {
	p.Version = partVersion
	err := WriteFile(d.Path(PartFile), func(w io.Writer) error { return json.NewEncoder(w).Encode(p) })
	if err != nil {
		return err
	}
	return d.Commit()
}

// readPart reads the part of a share. For a missing or unfinished part the error names the command line that makes it.
func readPart(out string, s Share) (*Part, error) {
	path := s.Path(out)
	data, err := os.ReadFile(filepath.Join(path, PartFile))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(path + ".partial"); err == nil {
			return nil, fmt.Errorf("%s: is not finished; run its command again with --shard %s --resume", path, s)
		}
		return nil, fmt.Errorf("%s: is missing; run its command again with --shard %s", path, s)
	}
	if err != nil {
		return nil, err
	}
	p := &Part{path: path}
	if err := json.Unmarshal(data, p); err != nil || p.Version != partVersion || p.Share != s {
		return nil, fmt.Errorf("%s: expected a part of version %d of share %s; run its command again", filepath.Join(path, PartFile), partVersion, s)
	}
	return p, nil
}

// Parts reads the parts of an output, in order. The error names all that are missing or unfinished. Parts of different runs are an
// error too, and so is a unit in none of them or in two.
func Parts(out string) ([]*Part, error) {
	n, err := shares(out)
	if err != nil {
		return nil, err
	}
	parts := make([]*Part, n)
	var errs []error
	for i := range parts {
		if parts[i], err = readPart(out, Share{i + 1, n}); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return parts, oneRun(parts)
}

// oneRun returns an error unless the parts are of one run and each unit is in exactly one of them.
func oneRun(parts []*Part) error {
	first := parts[0]
	owner := map[int]*Part{}
	for _, p := range parts {
		if p.differs(first) {
			return fmt.Errorf("%s: is of other inputs, flags or versions than %s, expected parts of one run; run the one that is wrong again", p.path, first.path)
		}
		for _, unit := range p.Mine {
			if other := owner[unit]; other != nil || unit < 0 || unit >= p.Units {
				return fmt.Errorf("%s: has unit %d, which is in another part or in none of the work, expected each of %d units once", p.path, unit, p.Units)
			}
			owner[unit] = p
		}
	}
	if len(owner) != first.Units {
		return fmt.Errorf("%s and the other parts have %d units, expected all %d", first.path, len(owner), first.Units)
	}
	return nil
}

// Read returns a shard of the part. One that is damaged or not there is an error that names the
// share to run again.
func (p *Part) Read(part string, i int) ([]byte, error) {
	data, err := readShard(shardPath(filepath.Join(p.path, PartShards), part, i))
	if err != nil {
		return nil, fmt.Errorf("%w; run its command again with --shard %s", err, p.Share)
	}
	return data, nil
}

// ShardsOf are the shards of parts, to be read where they lie.
type ShardsOf []*Part

// Read returns the shard of unit i, as [Part.Read] does.
func (s ShardsOf) Read(part string, i int) ([]byte, error) {
	for _, p := range s {
		if _, mine := slices.BinarySearch(p.Mine, i); mine {
			return p.Read(part, i)
		}
	}
	return nil, fmt.Errorf("unit %d is in no part", i)
}

// Gather puts the files of parts into the unfinished directory, with their shards in the folder
// [PartShards]. Where the file system can, files are linked and take no space. A damaged shard is an
// error that names the share to run again.
func (d *Dir) Gather(ctx context.Context, parts []*Part) error {
	for _, p := range parts {
		if err := walkFiles(p.path, ".", func(path, rel string, e fs.DirEntry) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return d.gather(p, path, rel, e)
		}); err != nil {
			return err
		}
	}
	return nil
}

// Merge gathers the files of parts in an unfinished directory, calls assemble to write the output from their
// shards there, and renames the directory to out. marker is as for [NewDir]; report is called for each damaged shard.
func Merge(ctx context.Context, out, marker string, parts []*Part, report func(error), assemble func(*Dir, *Shards) error) error {
	d, err := NewDir(out, marker)
	if err != nil {
		return err
	}
	shards, err := d.Shards(PartShards, parts[0].Fingerprint, false, report)
	if err != nil {
		return err
	}
	defer shards.Close()
	if err = d.Gather(ctx, parts); err == nil {
		err = assemble(d, shards)
	}
	if err != nil {
		return errors.Join(err, d.Abort())
	}
	if err := shards.Remove(); err != nil {
		return err
	}
	return d.Commit()
}

// walkFiles calls do for each file in a folder below root and its subfolders: with its path, and the
// path relative to root.
func walkFiles(root, folder string, do func(path, rel string, e fs.DirEntry) error) error {
	return filepath.WalkDir(filepath.Join(root, folder), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return do(path, rel, e)
	})
}

// gather links the file of a part at path, relative to the part rel, into d. It leaves out unfinished
// shards and the files by which a part is recognised.
func (d *Dir) gather(p *Part, path, rel string, e fs.DirEntry) error {
	isShard := strings.HasPrefix(rel, PartShards+string(filepath.Separator))
	switch {
	case rel == PartFile, rel == filepath.Join(PartShards, fingerprintFile), isShard && strings.HasSuffix(rel, ".tmp"):
		return nil
	case !e.Type().IsRegular():
		return fmt.Errorf("%s: is no ordinary file, expected those of a part", path)
	case isShard:
		if _, err := readShard(path); err != nil {
			return fmt.Errorf("%w; run its command again with --shard %s", err, p.Share)
		}
	}
	return link(path, d.Path(rel))
}

// Adopt copies a folder of the finished directory at the path into the unfinished one. Where the file
// system can, files are linked and take no space.
func (d *Dir) Adopt(folder string) error {
	if err := os.RemoveAll(d.Path(folder)); err != nil { // of a run that was killed
		return err
	}
	return walkFiles(d.path, folder, func(path, rel string, e fs.DirEntry) error {
		if !e.Type().IsRegular() {
			return fmt.Errorf("%s: is no ordinary file, expected those of what is added to", path)
		}
		return link(path, d.Path(rel))
	})
}

// link makes to a hard link of from, or a copy on a file system without links.
func link(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	return CopyFile(from, to)
}

// CopyFile copies a file to a new one. On Linux the kernel copies, and shares the blocks where the file
// system can.
func CopyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
