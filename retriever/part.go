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

// PartKind is the kind of parts that [BuildPart] leaves.
const PartKind = "corpus build"

// partDir is the folder of a part that has a file for each of its sources: tables as JSON lines,
// with what could not be read where it came.
const partDir = "sources"

// PartOptions say how a share of a corpus is read.
type PartOptions struct {
	Workers int    // sources read at once
	Resume  bool   // go on where an interrupted share stopped
	Step    func() // called for each table and each that cannot be read; may be nil
	Note    func(error)
}

// BuildPart reads one share of the sources, each written "KIND:PATH", and leaves their tables
// beside dir, as a part that [Merge] puts together with the others. The units are the sources,
// balanced by their bytes; they are known by their names and the sizes of their files.
func BuildPart(ctx context.Context, sources []string, dir string, share outdir.Share, opts PartOptions) (*outdir.Part, error) {
	if _, err := OpenAll(sources, Limits{}); err != nil {
		return nil, err
	}
	work := outdir.Division{
		Kind: PartKind, Fingerprint: fmt.Sprint(indexFormat), Sizes: make([]int64, len(sources)),
		Resume: opts.Resume, Note: opts.Note,
	}
	for i, source := range sources {
		if err := measure(source, &work, i); err != nil {
			return nil, err
		}
	}
	return work.Part(dir, share, func(d *outdir.Dir, _ *outdir.Shards, mine []int) error {
		return outdir.Run(ctx, opts.Workers, mine, func(ctx context.Context, _, i int) error {
			path := d.Path(partFile(i))
			if _, err := os.Stat(path); err == nil {
				return nil
			}
			return outdir.Replace(path, func(tmp string) error { return writeTables(ctx, tmp, sources[i], opts.Step) })
		})
	})
}

// measure adds the files of a source to the size of its unit and to the fingerprint.
func measure(source string, work *outdir.Division, unit int) error {
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

func partFile(unit int) string { return filepath.Join(partDir, fmt.Sprintf("%06d.jsonl.gz", unit)) }

// partLine is a line of a part: a table, or one that could not be read.
type partLine struct {
	Table    *Table `json:"table,omitempty"`
	File     string `json:"file,omitempty"`
	Record   int    `json:"record,omitempty"`
	Problem  string `json:"problem,omitempty"`
	NoHeader bool   `json:"no_header,omitempty"`
}

// writeTables writes the tables of a source to a file.
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
	var failed error
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

// Merge puts the parts of a divided build together, with the bytes that [Build] writes.
func Merge(ctx context.Context, dir string, parts []*outdir.Part, opts BuildOptions) (Stats, error) {
	files := make([]string, parts[0].Units)
	of := make([]*outdir.Part, parts[0].Units)
	for _, p := range parts {
		for _, unit := range p.Mine {
			files[unit], of[unit] = filepath.Join(p.Share.Path(dir), partFile(unit)), p
		}
	}
	return Build(ctx, dir, func(report func(error), each func(*Table) error) error {
		for unit, file := range files {
			if err := readTables(file, report, each); err != nil {
				return fmt.Errorf("%w; run its command again with --shard %s", err, of[unit].Share)
			}
		}
		return nil
	}, opts)
}

// readTables reads what writeTables wrote.
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

// unread is why a table could not be read, as a part has it.
type unread struct {
	text     string
	noHeader bool
}

func (u unread) Error() string { return u.text }

// Is tells of the one problem that is no fault of a file.
func (u unread) Is(err error) bool { return u.noHeader && err == ErrNoHeader }
