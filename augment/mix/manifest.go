package mix

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Version is the version of the files that [Mix] writes.
const Version = 2

// Manifest is what manifest.json holds.
type Manifest struct {
	Version      int        `json:"version"`
	Seed         uint64     `json:"seed"`
	Strategy     Strategy   `json:"strategy"`
	Originals    int        `json:"originals"`
	Drawn        int        `json:"drawn"`                  // perturbed records
	Unchanged    int        `json:"unchanged,omitempty"`    // unchanged turns of drawn interactions
	Rows         int        `json:"rows"`                   // all of these
	Interactions int        `json:"interactions,omitempty"` // among the rows
	Databases    int        `json:"databases"`
	Shards       int        `json:"shards"`            // Parquet files
	Skipped      int        `json:"skipped"`           // originals that could not be used
	Data         *Source    `json:"data,omitempty"`    // the originals; those of the builds if absent
	Builds       []Source   `json:"builds"`            //
	Rates        *Input     `json:"rates,omitempty"`   // the error rates of strategy adaptive
	Exclude      []Source   `json:"exclude,omitempty"` // splits none of whose databases occur
	Relations    []Relation `json:"relations"`
}

// Source is a folder that was read.
type Source struct {
	Name      string  `json:"name"`
	Split     string  `json:"split"`
	Databases int     `json:"databases,omitempty"` // of an excluded split
	Inputs    []Input `json:"inputs,omitempty"`    // its files
	From      []Input `json:"from,omitempty"`      // the inputs of a build, by its manifest
}

// Input is a file that was read.
type Input struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Relation counts the records of one perturbation. Distinct, First and Drawn count an
// interaction once.
type Relation struct {
	Name     string   `json:"name"`
	Relation string   `json:"relation"`
	Records  int      `json:"records"`        // verified ones of the build
	Distinct int      `json:"distinct"`       // of those, different ones: what is drawn from
	Rate     *float64 `json:"rate,omitempty"` // error rate, 0..1
	First    int      `json:"first"`          // drawn as its share
	Drawn    int      `json:"drawn"`          // with what was drawn of the rest
}

// HashInput returns the hash of a file, with its name without the path.
func HashInput(path string) (Input, error) {
	f, err := os.Open(path)
	if err != nil {
		return Input{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return Input{}, fmt.Errorf("%s: %w", path, err)
	}
	return Input{baseName(path), fmt.Sprintf("%x", h.Sum(nil))}, nil
}

// fillManifest adds to the manifest what was read, and what was drawn of all relations; first has
// the number drawn from each before the rest was drawn from all.
func (m *mixer) fillManifest(all []*relation, first []int) error {
	man := &m.manifest
	man.Version, man.Seed, man.Strategy, man.Rates = Version, m.Seed, m.Strategy, m.RatesFile
	man.Originals = len(m.originals.fingerprints)
	for _, b := range m.builds {
		s := Source{Name: baseName(b.dir), Split: b.split, From: b.inputs}
		for _, name := range []string{manifestFile, recordsFile} {
			in, err := HashInput(filepath.Join(b.dir, name))
			if err != nil {
				return err
			}
			s.Inputs = append(s.Inputs, in)
		}
		man.Builds = append(man.Builds, s)
	}
	for i, r := range all {
		rel := Relation{Name: r.name, Relation: r.kind, Records: r.verified, Distinct: r.distinct, First: first[i]}
		if rate, ok := m.Rates[r.name]; ok && m.Strategy == Adaptive {
			rel.Rate = &rate
		}
		rel.Drawn = lists.Count(r.taken, func(taken bool) bool { return taken })
		man.Relations = append(man.Relations, rel)
	}
	return nil
}
