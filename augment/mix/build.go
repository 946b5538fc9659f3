package mix

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

const (
	manifestFile = "manifest.json"
	recordsFile  = "records.parquet"
)

// build is a finished build.
type build struct {
	dir       string
	split     string
	inputs    []Input
	relations []*relation
}

// relation is a perturbation of a build with its records, in their order. It is drawn by units:
// a unit is one record, or all records of an interaction under one sample.
type relation struct {
	name         string
	kind         string // the relation that it promises: "renamed"
	used         bool   // drawn from
	verified     int    // records, by the manifest
	records      int    // verified ones and unchanged turns
	interactions int    // in the records
	fresh        []bool // by unit: differs from all earlier ones of its example
	taken        []bool // by unit: drawn
	distinct     int    // fresh units, the paper's m_i

	// The position of a walk.
	at, unit    int
	begins      bool // the record begins the unit
	interaction int  // of the record

	example int32           // the first example of the unit that is surveyed
	text    []byte          // databases, questions and queries of that unit
	same    map[string]bool // the texts of all units of that example
}

// builtManifest holds the fields that are read from a build's manifest.json.
type builtManifest struct {
	Version       int     `json:"version"`
	Split         string  `json:"split"`
	Inputs        []Input `json:"inputs"`
	Perturbations []struct {
		Name         string `json:"name"`
		Relation     string `json:"relation"`
		Verified     int    `json:"verified"`
		Unchanged    int    `json:"unchanged"`
		Interactions int    `json:"interactions"`
	} `json:"perturbations"`
}

// unanswerable is the relation of records without gold SQL, which no training set takes.
const unanswerable = "unanswerable"

// openBuild reads the manifest of a build. It marks as used the perturbations that names lists, by name or
// by family, or all if names is empty, but never those of unanswerable questions. It sets known[i] if the
// build has names[i].
func openBuild(dir string, names []string, known []bool) (*build, error) {
	data, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, manifestFile)
	var man builtManifest
	if err := json.Unmarshal(data, &man); err != nil {
		return nil, fmt.Errorf("%s: %w, expected the manifest of a build", path, err)
	}
	if man.Split == "" || !filepath.IsLocal(man.Split) || man.Perturbations == nil {
		return nil, fmt.Errorf("%s: has no split and perturbations, expected the manifest of a build", path)
	}
	b := &build{dir: dir, split: man.Split, inputs: man.Inputs}
	for _, p := range man.Perturbations {
		isName := filepath.IsLocal(filepath.FromSlash(p.Name)) && !strings.ContainsFunc(p.Name, unicode.IsControl) // it is also a folder
		if !isName || min(p.Verified, p.Unchanged, p.Interactions) < 0 {
			return nil, fmt.Errorf("%s: perturbation %q with %d records, expected one of a build", path, p.Name, p.Verified)
		}
		r := &relation{
			name: p.Name, kind: p.Relation, used: len(names) == 0 && p.Relation != unanswerable, verified: p.Verified, records: p.Verified + p.Unchanged, interactions: p.Interactions, example: -1,
		}
		family, _, _ := strings.Cut(p.Name, "/")
		for i, n := range names {
			if n == p.Name || n == family {
				r.used, known[i] = p.Relation != unanswerable, true
			}
		}
		b.relations = append(b.relations, r)
	}
	return b, nil
}

// readManifest returns the manifest of a build, or an error if dir is no finished build.
func readManifest(dir string) ([]byte, error) {
	const again = "run build again with --resume"
	exists := func(elem ...string) bool {
		_, err := os.Lstat(filepath.Join(elem...))
		return err == nil
	}
	switch {
	case exists(dir, ".tabperturb-partial"):
		return nil, fmt.Errorf("%s: is a build that was cut short, expected a finished one; %s", dir, again)
	case !exists(dir) && exists(filepath.Clean(dir)+".partial"):
		return nil, fmt.Errorf("%s: was cut short, expected a finished build; %s", dir, again)
	case !exists(dir):
		return nil, fmt.Errorf("%s: is not there, expected a folder that build wrote", dir)
	case !exists(dir, recordsFile):
		return nil, fmt.Errorf("%s: holds no %s, expected a folder that build wrote", dir, recordsFile)
	}
	data, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: holds no %s, expected a folder that build wrote", dir, manifestFile)
	}
	return data, err
}

// addToUnit adds the relation's next record to the text of its unit; the first record of a unit ends the unit
// before. endUnit compares the units of one example, whose texts r.same holds: samples may draw the same names,
// and a repeated example teaches nothing.
func (r *relation) addToUnit(rec *dataset.Record) {
	if r.begins {
		r.endUnit()
		if r.example != rec.Example || r.same == nil {
			r.example, r.same = rec.Example, map[string]bool{}
		}
	}
	r.text = fmt.Appendf(r.text, "%q%q%q", rec.DBPost, rec.QuestionPost, rec.QueryPost)
}

// endUnit ends the unit whose records were added, if there is one, and stores whether it differs from the earlier
// units of its example.
func (r *relation) endUnit() {
	if len(r.text) == 0 {
		return
	}
	fresh := !r.same[string(r.text)]
	r.same[string(r.text)] = true
	r.text = r.text[:0]
	if r.fresh = append(r.fresh, fresh); fresh {
		r.distinct++
	}
}

// walk calls f with each record of the perturbations that are used, and with its element of the
// data directory on the side "pre" or "post". r.at is the position of the record in its
// perturbation. With side "", elements may be nil.
func (b *build) walk(ctx context.Context, side string, f func(r *relation, rec *dataset.Record, elem *elements) error) error {
	path := filepath.Join(b.dir, recordsFile)
	var elem *elements
	defer func() { elem.close() }()
	next, n := 0, 0 // the next relation, the records so far
	var r *relation
	err := recordfile.Read(path, func(rec dataset.Record) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for r == nil || r.at+1 >= r.records { // go to the relation of the record; some have none
			if next == len(b.relations) {
				return fmt.Errorf("%s:%d: is one record more than %s says, expected as many", path, n+1, manifestFile)
			}
			r = b.relations[next]
			next++
			if err := elem.close(); err != nil {
				return err
			}
			if elem, err = b.begin(r, side); err != nil {
				return err
			}
		}
		n++
		if rec.Perturbation != r.name {
			return fmt.Errorf("%s:%d: is of %q, expected %s as %s says", path, n, rec.Perturbation, r.name, manifestFile)
		}
		if err := r.advance(elem); err != nil {
			return err
		}
		if !r.used {
			return nil
		}
		return f(r, &rec, elem)
	})
	if err != nil {
		return err
	}
	if want := b.records(); n != want {
		return fmt.Errorf("%s: has %d records, expected %d as %s says", path, n, want, manifestFile)
	}
	return nil
}

// begin begins a walk of a relation and opens its file of examples on a side, "pre" or "post". It returns nil if the walk needs no
// examples. A walk without a side needs them only for the numbers of interactions, which records lack.
func (b *build) begin(r *relation, side string) (*elements, error) {
	r.at, r.unit, r.interaction = -1, -1, 0
	needsExamples := side != "" || r.interactions > 0
	if !r.used || r.records == 0 || !needsExamples {
		return nil, nil
	}
	return openElements(b.path(r, cmp.Or(side, "post"), b.split+".json"))
}

// advance moves to the next record and, unless elem is nil, to its element. It sets r.begins and counts units: a record
// begins a unit if it is single or the first turn of another interaction.
func (r *relation) advance(elem *elements) (err error) {
	r.at++
	interaction := 0
	if elem != nil {
		if err := elem.advance(); err != nil {
			return err
		}
		if r.interactions > 0 {
			if interaction, err = elem.interaction(); err != nil {
				return err
			}
		}
	}
	r.begins = interaction == 0 || interaction != r.interaction
	if r.interaction = interaction; r.begins {
		r.unit++
	}
	return nil
}

// records returns the number of records by the manifest.
func (b *build) records() int {
	return lists.Sum(b.relations, func(r *relation) int { return r.records })
}

// path returns the path of a file on a side of a perturbation.
func (b *build) path(r *relation, elem ...string) string {
	return filepath.Join(append([]string{b.dir, filepath.FromSlash(r.name)}, elem...)...)
}
