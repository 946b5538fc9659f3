package models

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// With returns the models of the catalogue, then those of the store that were pulled from another
// catalogue. Broken locks of the store are reported.
func (c Catalogue) With(s Store, report func(error)) (Catalogue, error) {
	others, err := s.Models(report)
	c = slices.Clone(c)
	for _, m := range others {
		if _, ok := c.Find(m.Name); !ok {
			c = append(c, m)
		}
	}
	return c, err
}

// Choose returns the named models; without names those that the store has a file of.
func (c Catalogue) Choose(s Store, names []string) (chosen Catalogue, err error) {
	for _, name := range names {
		m, ok := c.Find(name)
		if !ok {
			return nil, c.unknown(name)
		}
		chosen = append(chosen, m)
	}
	if len(names) > 0 {
		return chosen, nil
	}
	return lists.Filter(c, func(m Model) bool {
		state, err := s.State(m)
		return err == nil && state != Absent
	}), nil
}

// unknown returns the error for a name that the catalogue does not have.
func (c Catalogue) unknown(name string) error {
	names := lists.Map(c, func(m Model) string { return m.Name })
	return fmt.Errorf("%q: no such model, expected one of %s", name, strings.Join(names, ", "))
}

// Resolve returns the path for the value of a flag that takes a path or the name of a pulled
// model, and the model for a name. A file or folder of that name comes first. A value that is
// neither is returned as it is: opening it fails.
func Resolve(value string, kind Kind) (path string, m Model, err error) {
	if _, err := os.Lstat(value); !errors.Is(err, fs.ErrNotExist) || !Name(value) {
		return value, Model{}, nil
	}
	listed, inCatalogue := Default().Find(value)
	dir, err := DefaultDir()
	if err != nil { // there is no store
		if inCatalogue {
			return "", listed, err
		}
		return value, Model{}, nil
	}
	store := Store{Dir: dir}
	m, pulled, err := store.Find(value)
	switch {
	case err != nil:
		return "", m, err
	case m.Name == "" && inCatalogue: // not pulled
		m = listed
	case m.Name == "": // no model
		return value, m, nil
	}
	switch {
	case m.Kind != kind:
		return "", m, fmt.Errorf("%s is a model of kind %s, expected %s", value, m.Kind, kind)
	case !pulled:
		return "", m, fmt.Errorf("%s is a model that is not pulled; run `tabperturb models pull %s`", value, value)
	}
	return store.Path(m), m, nil
}

// Listed is a model with what the store has of it.
type Listed struct {
	Model
	Flag   string `json:"flag"`
	Pinned string `json:"pinned"` // all, some or none of its files have a known checksum
	State  State  `json:"state"`
	Path   string `json:"path"`
}

// List returns the models of a catalogue with what the store has of them. It leaves out models
// with a broken lock, which [Catalogue.With] reports.
func (s Store) List(c Catalogue) ([]Listed, error) {
	rows := []Listed{}
	for _, m := range c {
		row := Listed{Flag: m.Kind.Flag(), Path: s.Path(m)}
		var err error
		if row.Model, err = s.Pinned(m); err != nil {
			continue
		}
		if row.State, err = s.State(m); err != nil {
			return nil, err
		}
		row.Pinned = row.pinned()
		rows = append(rows, row)
	}
	return rows, nil
}

// pinned returns whether all, some or none of the files have a checksum.
func (m Model) pinned() string {
	switch lists.Count(m.Files, func(f File) bool { return f.SHA256 != "" }) {
	case 0:
		return "none"
	case len(m.Files):
		return "all"
	}
	return "some"
}

// WriteList writes a table of models.
func WriteList(w io.Writer, rows []Listed) error {
	t := table.New("", "name", "kind", "size", "licence", "checksum", "state")
	checksum := map[string]string{"all": "pinned", "some": "partly", "none": "unpinned"}
	for _, r := range rows {
		t.Add(r.Name, r.Kind, r.sizeText(), r.Licence, checksum[r.Pinned], r.State)
	}
	_, err := fmt.Fprint(w, t)
	return err
}

// sizeText returns the size for people: "1.2 GB", "~90 MB" if it is not exact, "unknown".
func (m Model) sizeText() string {
	n, exact := m.Size()
	switch {
	case n == 0:
		return "unknown"
	case !exact:
		return "~" + table.Bytes(n)
	}
	return table.Bytes(n)
}

// WritePulled writes how many files of a model were downloaded, how many bytes they have in all,
// and how the model is used.
func WritePulled(w io.Writer, m Model, pulls []Pull) error {
	size, fetched := int64(0), 0
	for _, p := range pulls {
		size += p.File.Size
		if p.Fetched {
			fetched++
		}
	}
	_, err := fmt.Fprintf(w, "%s: %d of %d files downloaded, %s in all; licence: %s\nuse it with %s %s\n",
		m.Name, fetched, len(pulls), table.Bytes(size), m.Licence, m.Kind.Flag(), m.Name)
	return err
}
