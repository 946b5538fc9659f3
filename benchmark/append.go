package benchmark

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// IsBuild reports whether a folder holds a build.
func IsBuild(dir string) bool { return dataset.IsFile(filepath.Join(dir, RecordsFile)) }

// Has reports whether a perturbation is in the build.
func (m *Manifest) Has(name string) bool {
	return slices.ContainsFunc(m.Perturbations, func(r Result) bool { return r.Name == name })
}

// earlier is the build at the output, to which perturbations are added.
type earlier struct {
	*Manifest
	path string // of its records
	next func() (dataset.Record, error, bool)
	stop func()
}

// openEarlier opens the build at out, to which perturbations are added; nil if they are added to none. It returns an error
// if that build changed since the configuration was made.
func (c *Config) openEarlier(out string) (*earlier, error) {
	if c.Earlier == nil {
		return nil, nil
	}
	m, err := ReadManifest(out)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(m, c.Earlier) {
		return nil, fmt.Errorf("%s: was changed while it was added to, expected it to stay as it was; run it again", out)
	}
	e := &earlier{Manifest: m, path: filepath.Join(out, RecordsFile)}
	// next returns the records one at a time, stop ends the reading.
	e.next, e.stop = dataset.Pull(func(_ func(error), each func(dataset.Record) error) error { return recordfile.Read(e.path, each) }, nil)
	return e, nil
}

// records copies the records of a perturbation, which must be the next in the file, to a writer.
func (e *earlier) records(r *Result, to *recordfile.Writer) error {
	for range r.Records() {
		rec, err, ok := e.next()
		switch {
		case err != nil:
			return err
		case !ok, rec.Perturbation != r.Name:
			return fmt.Errorf("%s: ends early or has records in another order, expected %d of %s next", e.path, r.Records(), r.Name)
		}
		if err := to.Write(rec); err != nil {
			return err
		}
	}
	return nil
}

// joined returns the manifest of this build together with the earlier one, as if all its
// perturbations had been built at once.
func (e *earlier) joined(m *Manifest) *Manifest {
	out := *m
	out.Perturbations = append(slices.Clone(e.Perturbations), m.Perturbations...)
	place := func(r Result) int {
		if i := slices.IndexFunc(Catalog(), func(p *perturb.Perturbation) bool { return p.Name == r.Name }); i >= 0 {
			return i
		}
		return math.MaxInt // recorded edits follow the catalog
	}
	slices.SortStableFunc(out.Perturbations, func(a, b Result) int { return cmp.Compare(place(a), place(b)) })
	out.Models = union(e.Models, m.Models)
	out.Inputs = union(e.Inputs, m.Inputs)
	slices.SortStableFunc(out.Inputs, func(a, b Input) int { return cmp.Compare(a.Role.position(), b.Role.position()) })
	return &out
}

// position returns the position of a role among the inputs of a manifest.
func (r Role) position() int {
	return slices.Index([]Role{RoleSchemas, RoleExamples, RoleNames, RoleDatabases, RoleResource}, r)
}

// union returns the values of a, then those of b that a lacks.
func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// CanAdd returns an error if the perturbations of a configuration cannot be added to the build: seed, plan
// and data directory must be those of the build, and so must the names if both use any.
func (m *Manifest) CanAdd(c *Config) error {
	buildPlan, plan := m.Plan, c.Plan()
	buildPlan.Databases, plan.Databases = "", "" // compared on their own below: an old build may not know its choice
	for _, d := range []struct {
		what      string
		has, want any
	}{
		{"seed", m.Seed, c.Seed}, {"samples", m.Samples, c.Samples}, {"split", m.Split, c.Split},
		{"settings", buildPlan, plan}, {"databases", cmp.Or(m.Plan.Databases, c.Databases), c.Databases},
	} {
		if d.has != d.want {
			return fmt.Errorf("has the %s %v, expected the same of what is added, got %v", d.what, d.has, d.want)
		}
	}
	for _, role := range []Role{RoleSchemas, RoleExamples, RoleDatabases} {
		if !slices.Equal(InputsOf(m.Inputs, role), InputsOf(c.Inputs, role)) {
			return fmt.Errorf("was made from other %s, expected the same data directory and split", role)
		}
	}
	buildNames, names := InputsOf(m.Inputs, RoleNames), InputsOf(c.Inputs, RoleNames)
	if len(buildNames) > 0 && len(names) > 0 && !slices.Equal(buildNames, names) {
		return errors.New("was made from other names, expected the same --buckets")
	}
	return nil
}

// InputsOf returns the inputs with that role.
func InputsOf(inputs []Input, role Role) []Input {
	return lists.Filter(inputs, func(in Input) bool { return in.Role == role })
}

// adopt links the files of a perturbation of the earlier build into this one and copies its records.
func (b *builder) adopt(e *earlier, r *Result, records *recordfile.Writer) error {
	folder := filepath.FromSlash(r.Name)
	if err := b.dir.Adopt(folder); err != nil {
		return err
	}
	return errors.Join(e.checkComplete(r, b.dir.Path(folder)), e.records(r, records))
}

// checkComplete returns an error if a folder lacks records that the manifest counts.
func (e *earlier) checkComplete(r *Result, folder string) error {
	index, err := os.ReadFile(filepath.Join(folder, indexFile))
	if err != nil {
		return err
	}
	if n := bytes.Count(index, []byte("\n")); n != r.Records() {
		return fmt.Errorf("%s: has %d lines, expected %d; the build is damaged", indexFile, n, r.Records())
	}
	examples := map[string]int{} // by side; of interactions, their turns
	for _, side := range []string{"pre", "post"} {
		path, err := dataset.SplitFile(filepath.Join(folder, side), e.Split)
		if err != nil {
			return err
		}
		if examples[side], err = dataset.CountGold(path); err != nil {
			return fmt.Errorf("%w; the build is damaged", err)
		}
		if err := checkSchemas(filepath.Join(folder, side, "tables.json")); err != nil {
			return fmt.Errorf("%s/%w; the build is damaged", side, err)
		}
	}
	if before, after := examples["pre"], examples["post"]; before != after || before < r.Records() {
		return fmt.Errorf("has %d examples before and %d after, expected %d; the build is damaged", before, after, r.Records())
	}
	return nil
}

// checkSchemas reads a file of schemas that a build wrote, and returns its first error.
func checkSchemas(path string) error {
	if !dataset.IsFile(path) {
		return fmt.Errorf("%s: is not there", filepath.Base(path))
	}
	var damaged error
	err := dataset.ReadTables(path, func(err error) {
		if !dataset.IsNote(err) {
			damaged = cmp.Or(damaged, err)
		}
	}, func(*dataset.Database) error { return nil })
	if err = cmp.Or(err, damaged); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}
