package retriever

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// PartKind is the kind of the parts that [BuildPart] writes.
const PartKind = "corpus build"

// partDir is the folder of a part. It has a file for each source: tables as JSON lines, and
// tables that could not be read as problems in their place.
const partDir = "sources"

// PartOptions are the options of [BuildPart].
type PartOptions struct {
	Workers int         // sources read concurrently
	Resume  bool        // continue an interrupted share
	Step    func()      // called for each table, also for one that cannot be read; may be nil
	Note    func(error) // gets oddities of the files of an earlier run
}

// BuildPart reads one share of the sources, each written "KIND:PATH", and writes their tables
// next to dir, as a part for [Merge]. The units of work are the sources, balanced by their
// bytes and identified by their names and the sizes of their files.
func BuildPart(ctx context.Context, sources []string, dir string, share outdir.Share, opts PartOptions) (*outdir.Part, error) {
	if _, err := OpenAll(sources, Limits{}); err != nil { // a bad source ends the build before it begins
		return nil, err
	}
	work := outdir.Division{
		Kind: PartKind, Fingerprint: fmt.Sprint(indexFormat), Sizes: make([]int64, len(sources)),
		Resume: opts.Resume, Note: opts.Note,
	}
	for i, source := range sources {
		if err := addSource(source, &work, i); err != nil {
			return nil, err
		}
	}
	return work.Part(dir, share, func(d *outdir.Dir, _ *outdir.Shards, units []int) error {
		return outdir.Run(ctx, opts.Workers, units, func(ctx context.Context, _, i int) error {
			path := d.Path(partFile(i))
			if _, err := os.Stat(path); err == nil { // written before the interruption
				return nil
			}
			return outdir.Replace(path, func(tmp string) error { return writeTables(ctx, tmp, sources[i], opts.Step) })
		})
	})
}

// addSource adds the sizes of a source's files to the size of its unit, and their names and sizes to the fingerprint:
// only runs on the same files are resumed or merged.
func addSource(source string, work *outdir.Division, unit int) error {
	kind, path, _ := strings.Cut(source, ":")
	work.Fingerprint += fmt.Sprintf("\n%d %s %q", unit, kind, filepath.Base(path))
	return filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(path, name)
		if err != nil {
			return err
		}
		work.Sizes[unit] += info.Size()
		work.Fingerprint += fmt.Sprintf("\n%d %q %d", unit, filepath.ToSlash(rel), info.Size())
		return nil
	})
}

// partFile returns the path of a source's file in a part.
func partFile(unit int) string { return filepath.Join(partDir, fmt.Sprintf("%06d.jsonl.gz", unit)) }

// partLine is a line of a part's file: a table, or why one could not be read.
type partLine struct {
	Table    *Table `json:"table,omitempty"`
	File     string `json:"file,omitempty"`
	Record   int    `json:"record,omitempty"`
	Problem  string `json:"problem,omitempty"`
	NoHeader bool   `json:"no_header,omitempty"`
}

// writeTables writes the tables of a source, written "KIND:PATH", to the file path as compressed JSON lines, and its
// problems in their place. It calls step for each line; step may be nil.
func writeTables(ctx context.Context, path, source string, step func()) error {
	tables, err := OpenAll([]string{source}, Limits{Context: ctx})
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	zw, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(zw)
	enc.SetEscapeHTML(false)
	var failed error // the first error of write, as the report function of a stream returns none
	write := func(line partLine) error {
		if step != nil {
			step()
		}
		failed = cmp.Or(failed, ctx.Err(), enc.Encode(line))
		return failed
	}
	err = tables(func(problem error) {
		line := partLine{Problem: problem.Error(), NoHeader: errors.Is(problem, ErrNoHeader)}
		if e, ok := errors.AsType[*TableError](problem); ok {
			line.File, line.Record, line.Problem = e.File, e.Record, e.Err.Error()
		}
		_ = write(line)
	}, func(t *Table) error { return write(partLine{Table: t}) })
	return cmp.Or(err, failed, errors.Join(zw.Close(), f.Close()))
}

// Merge builds the index dir from the parts of a divided build. It writes the bytes that [Build] writes for
// all sources. If a part's file cannot be read, the error names its share.
func Merge(ctx context.Context, dir string, parts []*outdir.Part, opts BuildOptions) (Stats, error) {
	files := make([]string, parts[0].Units) // by unit, the position of the source
	shares := make([]outdir.Share, parts[0].Units)
	for _, p := range parts {
		for _, unit := range p.Mine {
			files[unit], shares[unit] = filepath.Join(p.Share.Path(dir), partFile(unit)), p.Share
		}
	}
	return Build(ctx, dir, func(report func(error), each func(*Table) error) error {
		for unit, file := range files {
			if err := readTables(file, report, each); err != nil {
				return fmt.Errorf("%w; run its command again with --shard %s", err, shares[unit])
			}
		}
		return nil
	}, opts)
}

// readTables passes the tables of a file that writeTables wrote to each, and its problems to report, in order.
func readTables(path string, report func(error), each func(*Table) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	damaged := func(err error) error { return fmt.Errorf("%s: is damaged: %w", path, err) }
	zr, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return damaged(err)
	}
	for dec := json.NewDecoder(zr); ; {
		var line partLine
		switch err := dec.Decode(&line); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return damaged(err)
		case line.Table == nil:
			report(&TableError{File: line.File, Record: line.Record, Err: unread{line.Problem, line.NoHeader}})
			continue
		}
		if err := each(line.Table); err != nil {
			return err
		}
	}
}

// unread is the error of a table that could not be read, as a part stores it.
type unread struct {
	text     string
	noHeader bool
}

// Error returns the message of the original error.
func (u unread) Error() string { return u.text }

// Is reports whether u is [ErrNoHeader], the one problem that is no fault of a file.
func (u unread) Is(err error) bool { return u.noHeader && err == ErrNoHeader }
