package benchmark

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// perturbed is a database after edits of its schema, with its open files.
type perturbed struct {
	verify.Target
	scratch   []string         // files that go with it
	hasSecond bool             // has a run on the second content
	refusal   *perturb.Refusal // why the database does not take the edits; it has no runs then
}

// perturbed returns the database of a variant with its contents opened: the content that is perturbed, its sample if the build writes
// that, and the second content, which is generated, if an example needs it. It returns the lane's current database if that is equal and
// has all contents that the examples need: consecutive variants often share a database.
func (r *lane) perturbed(ctx context.Context, v perturb.Variant) (*perturbed, error) {
	schema, err := verify.Schema(r.unit.DB, v.Edits)
	refusal, refused := errors.AsType[*perturb.Refusal](err)
	if err != nil && !refused {
		return nil, err
	}
	needsSecond := r.second != nil && slices.ContainsFunc(v.Examples, r.second.Executed)
	isCurrent := r.current != nil && r.current.Schema.ID == schema.ID
	if isCurrent && (r.current.hasSecond || !needsSecond) {
		return r.current, nil
	}
	r.close()
	t := &perturbed{Target: verify.Target{Schema: schema}, refusal: refusal}
	r.current = t
	if refused {
		return t, nil
	}
	contents := []*verify.Content{r.content}
	if r.sample != nil {
		contents = append(contents, r.sample)
	}
	if needsSecond {
		contents = append(contents, r.second)
	}
	return t, r.open(ctx, t, contents, v.Edits)
}

// open opens contents after the edits and adds them to the runs of t. If the edits fail on a content, t gets a refusal. If
// they fail on the second content, which is the last, t goes without it. The error ends the build.
func (r *lane) open(ctx context.Context, t *perturbed, contents []*verify.Content, edits []perturb.Edit) error {
	r.madeOf(t.Schema, edits) // records the database for keepDatabases, even if no copy is written
	for _, c := range contents {
		run, err := r.edited(ctx, t, c, edits)
		if err == nil {
			t.Runs, t.hasSecond = append(t.Runs, *run), c == r.second
			continue
		}
		if c != r.second {
			t.refusal = &perturb.Refusal{Reason: "database-refuses-edits", Detail: err.Error()}
		}
		return fatal(ctx, err) // nil unless err ends the build
	}
	return nil
}

// edited opens a content after the edits: its own file if they do not change the file, a temporary copy of the second content,
// a draft if the build writes no copy of the content, else the copy that it writes.
func (r *lane) edited(ctx context.Context, t *perturbed, c *verify.Content, edits []perturb.Edit) (*verify.Run, error) {
	isSampled := c == r.content && r.sample != nil
	switch {
	case !perturb.ChangesContent(edits):
		return openFile(ctx, c, c.Path)
	case c == r.second:
		return r.scratchCopy(ctx, t, c, edits)
	case r.Databases == DatabasesNone, isSampled:
		return r.draft(ctx, t, c, edits)
	}
	return r.madeOf(t.Schema, edits).openCopy(ctx, c, r.post(t.Schema.ID))
}

// madeDatabase is a perturbed database, which several lanes may ask for.
type madeDatabase struct {
	schema *dataset.Database
	edits  []perturb.Edit
	once   sync.Once
	err    error
}

// madeOf returns the job's one record of a perturbed database, which lanes share.
func (r *job) madeOf(schema *dataset.Database, edits []perturb.Edit) *madeDatabase {
	r.mu.Lock()
	defer r.mu.Unlock()
	made := r.made[schema.ID]
	if made == nil {
		made = &madeDatabase{schema: schema, edits: edits}
		r.made[schema.ID] = made
	}
	return made
}

// openCopy writes the database after the edits, if it is not there yet, and opens it.
func (m *madeDatabase) openCopy(ctx context.Context, c *verify.Content, path string) (*verify.Run, error) {
	m.once.Do(func() {
		if m.err = perturb.ApplyContent(ctx, c.Path, path, m.edits); m.err != nil {
			m.err = errors.Join(m.err, os.RemoveAll(filepath.Dir(path)))
		}
	})
	if m.err != nil {
		return nil, m.err
	}
	return openFile(ctx, c, path)
}

// post returns the path of the database of a perturbed schema in the build.
func (r *job) post(id string) string {
	return dataset.ContentPath(r.dir.Path(r.p.Name, "post"), id, r.content.Path)
}

// openFile opens the database at path as a run of a content. If that is not the content's own file, its rows may differ.
func openFile(ctx context.Context, c *verify.Content, path string) (*verify.Run, error) {
	db, err := engine.Open(ctx, path)
	return &verify.Run{Content: c, After: db, Own: path != c.Path}, err
}

// draft opens a content with the edits made and writes no copy of it, unless they change
// more than a draft can hold.
func (r *lane) draft(ctx context.Context, t *perturbed, c *verify.Content, edits []perturb.Edit) (*verify.Run, error) {
	db, err := perturb.DraftContent(ctx, c.Path, edits)
	if errors.Is(err, sqldata.ErrTooLarge) {
		return r.scratchCopy(ctx, t, c, edits)
	}
	return &verify.Run{Content: c, After: db, Draft: t.Schema.ID}, err
}

// scratchCopy writes a copy of a content with the edits made that is not part of the
// output, and opens it.
func (r *lane) scratchCopy(ctx context.Context, t *perturbed, c *verify.Content, edits []perturb.Edit) (*verify.Run, error) {
	path := filepath.Join(r.dir.Path(shardDir), "scratch", filepath.FromSlash(r.p.Name), fmt.Sprintf("%s.%s.%d%s", t.Schema.ID, c.Kind, r.number, engine.Ext(c.Path)))
	t.scratch = append(t.scratch, path)
	if err := perturb.ApplyContent(ctx, c.Path, path, edits); err != nil {
		return nil, err
	}
	return openFile(ctx, c, path)
}

// close closes the files of the lane's current database and removes those outside the output.
func (r *lane) close() {
	if r.current == nil {
		return
	}
	for _, run := range r.current.Runs {
		run.After.Close()
	}
	for _, path := range r.current.scratch {
		os.Remove(path)
	}
	r.current = nil
}

// keepDatabases adds the schemas that records refer to to the shard and removes the databases of the others. It
// also puts the content in place for schemas whose edits do not change it: no copy of theirs was written.
func (r *job) keepDatabases(ctx context.Context) error {
	kept := map[string]bool{}
	for _, rec := range r.shard.Records {
		id := rec.Record.DBPost
		if kept[id] {
			continue
		}
		kept[id] = true
		r.shard.After = append(r.shard.After, r.made[id].schema)
		if r.Databases != DatabasesNone && !perturb.ChangesContent(r.made[id].edits) {
			if err := r.share(ctx, r.post(id)); err != nil {
				return err
			}
		}
	}
	for id := range r.made {
		if !kept[id] {
			if err := os.RemoveAll(filepath.Dir(r.post(id))); err != nil {
				return err
			}
		}
	}
	return nil
}

// share puts the content before the edits, or its sample, at a path of the build, as a hard link to one file. It
// copies an original once for that, which costs nothing if the file system clones.
func (w *work) share(ctx context.Context, path string) error {
	w.sharing.Lock()
	defer w.sharing.Unlock()
	if w.shared == "" {
		shared := w.content.Path
		switch {
		case w.sample != nil:
			shared = w.sample.Path
		case w.content.Kind == dataset.ContentOriginal:
			shared = filepath.Join(w.dir.Path(shardDir), "original", w.unit.DB.ID+engine.Ext(w.content.Path))
			if err := engine.Copy(ctx, w.content.Path, shared); err != nil {
				return err
			}
		}
		w.shared = shared
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if os.Link(w.shared, path) == nil {
		return nil
	}
	return engine.Copy(ctx, w.shared, path) // a file system without links, or with too many
}
