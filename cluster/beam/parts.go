package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/tabperturb/tabperturb/cluster"
)

// In a bucket, a part is one object, OUT.part-I-of-N.tar.gz, which is there whole or not at all.

// archive is the name of the object of a part.
func (p *places) archive(i int) string {
	folder, base := path.Split(p.remote)
	return folder + cluster.PartPath(base, i, p.job.Shares) + ".tar.gz"
}

// fetchPart downloads a part from the bucket and reports whether it exists.
func (p *places) fetchPart(ctx context.Context, i int) (bool, error) {
	found, err := p.bucket.List(ctx, p.archive(i))
	if err != nil || len(found) == 0 {
		return false, err
	}
	r, err := p.bucket.OpenRead(ctx, p.archive(i))
	if err != nil {
		return false, fmt.Errorf("%s: %w", p.archive(i), err)
	}
	defer r.Close()
	to := cluster.PartPath(p.out, i, p.job.Shares)
	if err := untar(r, to); err != nil {
		return false, fmt.Errorf("%s: %w", p.archive(i), errors.Join(err, os.RemoveAll(to)))
	}
	return true, nil
}

// do does a share whose part goes to the bucket, unless it is there: what lies there is checked
// as what lies on a folder is, and goes on or is made anew.
func (p *places) do(ctx context.Context, i int, work func() error) error {
	if _, err := p.fetchPart(ctx, i); err != nil {
		if ctx.Err() != nil {
			return err
		}
		log.Warnf(ctx, "%v; the share is done anew", err)
	}
	file := filepath.Join(cluster.PartPath(p.out, i, p.job.Shares), cluster.PartFile)
	before, _ := os.Stat(file)
	if err := work(); err != nil {
		return err
	}
	if after, err := os.Stat(file); err != nil || before != nil && os.SameFile(before, after) {
		return err
	}
	return put(ctx, p.bucket, p.archive(i), func(w io.Writer) error { return pack(w, filepath.Dir(file)) })
}

// merge makes the output of the parts in the bucket and takes it there, as the files that it is
// of. What lies there may only be of an older output: others' objects would stand among its files.
func (p *places) merge(ctx context.Context, work func() error) error {
	for i := range p.job.Shares {
		if _, err := p.fetchPart(ctx, i+1); err != nil {
			return err
		}
	}
	if err := work(); err != nil {
		return err
	}
	outputs, err := p.outputs()
	if err != nil {
		return err
	}
	folder, _ := path.Split(p.remote)
	for _, name := range outputs {
		if err := p.take(ctx, filepath.Join(filepath.Dir(p.out), name), folder+name); err != nil {
			return err
		}
	}
	return nil
}

// outputs returns the names of what a merge wrote beside its parts: the output, and what has
// its name and a number, as the repeats of predict do.
func (p *places) outputs() (names []string, err error) {
	parts := p.parts()
	entries, err := os.ReadDir(filepath.Dir(p.out))
	for _, e := range entries {
		if !parts[e.Name()] && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// parts are the names of the folders of all parts.
func (p *places) parts() map[string]bool {
	names := map[string]bool{}
	for i := range p.job.Shares {
		names[filepath.Base(cluster.PartPath(p.out, i+1, p.job.Shares))] = true
	}
	return names
}

// take puts the file, or the files of the folder, at from into the bucket.
func (p *places) take(ctx context.Context, from, to string) error {
	files, err := filesOf(from)
	if err != nil {
		return err
	}
	there, err := below(ctx, p.bucket, to)
	if err != nil {
		return err
	}
	for name, rel := range there {
		if !slices.Contains(files, rel) {
			return fmt.Errorf("%s: is there and is no file of the output, expected another place or none there", name)
		}
	}
	for _, rel := range files {
		if err := put(ctx, p.bucket, join(to, rel), func(w io.Writer) error { return copyFile(w, filepath.Join(from, rel)) }); err != nil {
			return err
		}
	}
	return nil
}

// filesOf returns the paths of all files in a folder, in order; "" of what is a file itself.
func filesOf(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, at)
		if rel == "." {
			rel = ""
		}
		names = append(names, filepath.ToSlash(rel))
		return err
	})
	return names, err
}

// copyFile writes the bytes of a file.
func copyFile(w io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// untar makes the files of an archive in a folder, and no others.
func untar(r io.Reader, to string) error {
	zr, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, zr) // to the checksum, without which it may have broken off
			return err
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s is no file, expected those of a part", h.Name)
		}
		if err := untarOne(root, h.Name, tr); err != nil {
			return err
		}
	}
}

// untarOne makes one file of an archive in a folder.
func untarOne(root *os.Root, name string, r io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// pack writes the files of a folder as an archive.
func pack(w io.Writer, dir string) error {
	names, err := filesOf(dir)
	if err != nil {
		return err
	}
	zw, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	tw := tar.NewWriter(zw)
	for _, name := range names {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: info.Size()}); err != nil {
			return err
		}
		if err := copyFile(tw, file); err != nil {
			return err
		}
	}
	return errors.Join(tw.Close(), zw.Close())
}
