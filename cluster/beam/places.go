package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/tabperturb/tabperturb/cluster"
)

// inBucket finds what lies in a bucket, also where it stands behind a name or in a list, as in
// "NAME=gs://bucket/file,gs://bucket/other".
var inBucket = regexp.MustCompile(`\b(?:gs|s3|memfs)://[^,\s]+`)

// reachable returns an error for the first text that names a bucket of an unknown file system, or a pattern.
func reachable(texts []string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	for _, text := range texts {
		for _, uri := range inBucket.FindAllString(text, -1) {
			if strings.ContainsAny(uri, "*?[") {
				return fmt.Errorf("%s: expected a name without *, ? and [, which file systems of Beam take for patterns", uri)
			}
			filesystem.ValidateScheme(uri)
		}
	}
	return nil
}

// places are where a worker finds what a job reads and writes.
type places struct {
	job    cluster.Job          // with local paths
	out    string               // of the job, local
	remote string               // of the job, as it was given
	bucket filesystem.Interface // nil if out is on a folder that all workers see
}

// local calls work with places at which all is local. Inputs in buckets are copied first; what
// was copied is removed at the end.
func local(ctx context.Context, job cluster.Job, work func(*places) error) (err error) {
	out, err := job.Out()
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "tabperturb-beam-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	p := &places{job: cluster.Job{Shares: job.Shares}, out: out, remote: strings.TrimRight(out, "/")}
	at := map[string]string{}
	if inBucket.MatchString(out) {
		p.out = filepath.Join(scratch, "out", path.Base(out))
		at[out] = p.out
		if p.bucket, err = filesystem.New(ctx, out); err != nil {
			return err
		}
		defer p.bucket.Close()
		if err := os.Mkdir(filepath.Dir(p.out), 0o777); err != nil {
			return err
		}
	}
	for _, text := range job.Args {
		for _, uri := range inBucket.FindAllString(text, -1) {
			if at[uri] != "" {
				continue
			}
			at[uri] = filepath.Join(scratch, fmt.Sprintf("in-%d", len(at)), path.Base(uri))
			if err := fetch(ctx, uri, at[uri]); err != nil {
				return err
			}
		}
		p.job.Args = append(p.job.Args, inBucket.ReplaceAllStringFunc(text, func(uri string) string { return at[uri] }))
	}
	return work(p)
}

// depth bounds the folders below one in a bucket that are copied.
const depth = 8

// join returns the name of an object below another; rel "" is that itself.
func join(uri, rel string) string {
	if rel == "" {
		return uri
	}
	return uri + "/" + rel
}

// below lists the objects of a bucket at a name or below it, each with its path from there: ""
// for the object of that name.
func below(ctx context.Context, fs filesystem.Interface, uri string) (map[string]string, error) {
	uri = strings.TrimRight(uri, "/")
	found := map[string]string{}
	for pattern, i := uri, 0; i <= depth+1; pattern, i = pattern+"/*", i+1 {
		names, err := fs.List(ctx, pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", uri, err)
		}
		for _, name := range names {
			rel := strings.TrimPrefix(strings.TrimPrefix(name, uri), "/")
			switch {
			case strings.HasSuffix(name, "/"): // what stands for an empty folder
			case i > depth:
				return nil, fmt.Errorf("%s: lies %d folders deep, expected at most %d", name, i, depth)
			case rel != "" && !filepath.IsLocal(filepath.FromSlash(rel)):
				return nil, fmt.Errorf("%s: expected a name without .. in it", name)
			default:
				found[name] = rel
			}
		}
	}
	return found, nil
}

// fetch copies a file, or all that is below a name, from a bucket.
func fetch(ctx context.Context, uri, to string) error {
	fs, err := filesystem.New(ctx, uri)
	if err != nil {
		return err
	}
	defer fs.Close()
	names, err := below(ctx, fs, uri)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("%s: nothing is there, expected a file, or files below it", uri)
	}
	for name, rel := range names {
		if err := fetchOne(ctx, fs, name, filepath.Join(to, filepath.FromSlash(rel))); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// fetchOne downloads one object of a bucket to a file.
func fetchOne(ctx context.Context, fs filesystem.Interface, name, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	r, err := fs.OpenRead(ctx, name)
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// put writes an object of a bucket, whole or not at all.
func put(ctx context.Context, fs filesystem.Interface, name string, write func(io.Writer) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := write(w); err != nil {
		cancel() // or Close would put in place what there is of it
		w.Close()
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
