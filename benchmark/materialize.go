package benchmark

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
)

// Wanted selects the databases of a build that [Materialize] makes.
type Wanted struct {
	Perturbations []string // names; all where there are none
	IDs           []string // ids of databases, perturbed ones or originals; all where there are none
	Workers       int
	Step          func() // called for each database that is made; may be nil
}

// wantsID reports whether a database is wanted.
func (w *Wanted) wantsID(id string) bool { return len(w.IDs) == 0 || slices.Contains(w.IDs, id) }

// wantsPerturbation reports whether the databases of a perturbation are wanted.
func (w *Wanted) wantsPerturbation(name string) bool {
	return len(w.Perturbations) == 0 || slices.Contains(w.Perturbations, name)
}

// Made is a database to make for a perturbation of a build, by the edits of its records.
type Made struct {
	Perturbation string
	ID           string // of the database
	Of           string // id of the original
	Edits        []perturb.Edit
	Pre          bool // it is the original, in the folder pre
}

// Path returns the path of the database in a build.
func (m *Made) Path(build string) string {
	side := "post"
	if m.Pre {
		side = "pre"
	}
	return dataset.SQLitePath(filepath.Join(build, filepath.FromSlash(m.Perturbation), side), m.ID)
}

// Databases lists the wanted databases of a build, in the order of its records.
func (w *Wanted) Databases(build string) (list []*Made, err error) {
	seen := map[string]bool{}
	add := func(m *Made) {
		if path := m.Path(""); w.wantsID(m.ID) && !seen[path] {
			seen[path] = true
			list = append(list, m)
		}
	}
	err = recordfile.Read(filepath.Join(build, RecordsFile), func(r dataset.Record) error {
		if !w.wantsPerturbation(r.Perturbation) {
			return nil
		}
		edits, err := perturb.UnmarshalEdits([]byte(r.Edits))
		switch {
		case err != nil:
			return fmt.Errorf("%s of example %d: %w", r.Perturbation, r.Example, err)
		case !filepath.IsLocal(filepath.FromSlash(r.Perturbation)), r.DBPre != filepath.Base(r.DBPre), r.DBPost != filepath.Base(r.DBPost):
			return fmt.Errorf("%s of example %d on %s: expected names without folders", r.Perturbation, r.Example, r.DBPost)
		}
		add(&Made{Perturbation: r.Perturbation, ID: r.DBPre, Of: r.DBPre, Pre: true})
		add(&Made{Perturbation: r.Perturbation, ID: r.DBPost, Of: r.DBPre, Edits: perturb.SchemaEdits(edits)})
		return nil
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: has no such database, expected ids of its records, as db_id_post has them", filepath.Join(build, RecordsFile))
	}
	return list, err
}

// Materialize makes databases of a build that was written without them, from the units that the build was
// made from and with the bytes that a build with [DatabasesFull] writes. place returns the path of each;
// content that is no SQLite file gets its own extension instead.
func Materialize(ctx context.Context, units []*dataset.Unit, seed uint64, list []*Made, place func(*Made) string, w Wanted) error {
	scratch, err := os.MkdirTemp("", "tabperturb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	groups := map[string][]*Made{}
	for _, m := range list {
		groups[m.Of] = append(groups[m.Of], m)
	}
	for id := range groups {
		if !slices.ContainsFunc(units, func(u *dataset.Unit) bool { return u.DB.ID == id }) {
			return fmt.Errorf("database %s is not one of the data directory, expected that which the build was made from", id)
		}
	}
	return outdir.Run(ctx, w.Workers, units, func(ctx context.Context, _ int, u *dataset.Unit) error {
		group := groups[u.DB.ID]
		if len(group) == 0 {
			return nil
		}
		content, err := contentOf(ctx, u, seed, filepath.Join(scratch, u.DB.ID+engine.Ext(u.DB.SQLite)))
		if err != nil {
			return fmt.Errorf("%s: %w", u.DB.ID, err)
		}
		for _, m := range group {
			path := strings.TrimSuffix(place(m), engine.Ext("")) + engine.Ext(content) // Ext("") is that of SQLite
			if err := perturb.ApplyContent(ctx, content, path, m.Edits); err != nil {
				return fmt.Errorf("%s: %w", m.ID, err)
			}
			if w.Step != nil {
				w.Step()
			}
		}
		return nil
	})
}

// contentOf returns the path of the file that a build perturbs: the unit's own or, if that has no rows, one
// that it generates at path.
func contentOf(ctx context.Context, u *dataset.Unit, seed uint64, path string) (string, error) {
	// The build has reported gold SQL that cannot be used: here such problems are dropped.
	w := &work{builder: &builder{Config: Config{Seed: seed, RecordOf: RecordsOf(u.DB.ID)}}, unit: u, unusable: map[int]Rejection{}, generated: path}
	problem, err := w.findContent(ctx, w.parse())
	if err = errors.Join(problem, err); err != nil {
		return "", err
	}
	return w.content.Path, nil
}

// CheckDatabases returns an error if the databases of units are not those that the build was made from.
func (m *Manifest) CheckDatabases(units []*dataset.Unit) error {
	now, err := HashDatabases(units)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(m.Inputs, func(in Input) bool { return in.Role == RoleDatabases })
	if i >= 0 && m.Inputs[i].SHA256 != now.SHA256 {
		return fmt.Errorf("its databases differ from those that the build was made from, expected SHA-256 %s of all, got %s", m.Inputs[i].SHA256, now.SHA256)
	}
	return nil
}

// DiskFor estimates the bytes that the databases of a list add at their places: the sizes of their
// originals, less those of the files that exist there.
func DiskFor(units []*dataset.Unit, list []*Made, place func(*Made) string) (n int64) {
	sizes := map[string]int64{}
	for _, u := range units {
		sizes[u.DB.ID] = dataset.FileSize(u.DB.SQLite)
	}
	for _, m := range list {
		n += max(sizes[m.Of]-dataset.FileSize(place(m)), 0)
	}
	return n
}
