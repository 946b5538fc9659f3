package benchmark

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/internal/language/fluency"
	"github.com/tabperturb/tabperturb/perturb"
)

// manifestFile is the name of the manifest in a build.
const manifestFile = "manifest.json"

// Version is the version of the format that [Build] writes.
const Version = 1

// Manifest is what manifest.json holds.
type Manifest struct {
	Version       int      `json:"version"`
	Seed          uint64   `json:"seed"`
	Samples       int      `json:"samples"`
	Split         string   `json:"split"`
	Plan          Plan     `json:"plan"`
	Inputs        []Input  `json:"inputs"`
	Models        []string `json:"models,omitempty"` // that perturbations were drawn from or judged by
	Skipped       int      `json:"skipped"`          // records, gold SQL and databases of the input that could not be used
	Perturbations []Result `json:"perturbations"`

	// KeptColumns counts the columns that cannot be renamed, by what keeps them: "views" that no other statement of theirs
	// would serve, "triggers".
	KeptColumns map[string]int `json:"kept_columns,omitempty"`

	// Strength holds, by perturbation of schemas and then by linker, what it costs the built-in schema linkers.
	Strength []Strength `json:"strength,omitempty"`
}

// Result counts the records of one perturbation. Verified and Rejected count records:
// an example under a sample. An example that cannot be used at all counts as
// rejected once, and not as applicable. Unchanged turns of interactions with verified
// turns are records too ([Result.Records]), but count as Unchanged alone.
type Result struct {
	Name         string                 `json:"name"`
	Version      int                    `json:"version"`
	Relation     perturb.Relation       `json:"relation"`
	Group        perturb.Group          `json:"group,omitempty"`
	EveryColumn  bool                   `json:"every_column,omitempty"` // the perturbation means to perturb every mentioned column
	Samples      int                    `json:"samples"`
	Examples     int                    `json:"examples"`   // in the split
	Applicable   int                    `json:"applicable"` // examples with something to perturb
	Covered      int                    `json:"covered"`    // examples with a verified record
	Variants     int                    `json:"variants"`   // distinct perturbed databases
	Verified     int                    `json:"verified"`
	Unchanged    int                    `json:"unchanged,omitempty"`
	Interactions int                    `json:"interactions,omitempty"` // in the records, each once for a sample
	Distinct     int                    `json:"distinct"`               // of the verified, distinct ones: samples may draw the same names
	Complete     int                    `json:"complete"`               // of the verified, those in which every mentioned column was perturbed, or no schema
	Generated    int                    `json:"generated"`              // of the verified, on generated content alone
	Both         int                    `json:"both"`                   // on original and, for their answer there could not show a change, generated content
	Differ       int                    `json:"differ"`                 // of retargeted ones, those whose answers differ on a generated database
	Weak         int                    `json:"weak"`                   // whose answer could not show a change on any content: no rows, NULL or 0; retargeted ones, that did not
	Rejected     map[perturb.Reason]int `json:"rejected"`               // by reason
	Fluency      *Fluency               `json:"fluency,omitempty"`
	Doc          string                 `json:"doc,omitempty"` // the definition of a perturbation outside the catalog
}

// Definition returns the sentence that defines the perturbation, from the catalog or else from Doc.
func (r *Result) Definition() string {
	if p := catalogued(r.Name); p != nil {
		return p.Doc
	}
	return r.Doc
}

// Records returns the number of records: of lines in index.jsonl, and of examples before
// and after.
func (r *Result) Records() int { return r.Verified + r.Unchanged }

// Fluency is how natural questions read that changed, see package fluency: the
// mean over the records, of the questions before and after.
type Fluency struct {
	Records int     `json:"records"`
	Before  float64 `json:"before"`
	After   float64 `json:"after"`
}

// add adds the questions of a record before and after to the means.
func (f *Fluency) add(before, after string) {
	n := float64(f.Records)
	// The conversions keep processors from fusing the two operations, which would
	// round otherwise.
	f.Before = (float64(f.Before*n) + fluency.Score(before)) / (n + 1)
	f.After = (float64(f.After*n) + fluency.Score(after)) / (n + 1)
	f.Records++
}

// Reasons returns the reasons of rejections, in the order of their words.
func (r *Result) Reasons() []perturb.Reason {
	return slices.SortedFunc(maps.Keys(r.Rejected), func(a, b perturb.Reason) int { return cmp.Compare(a.Text(), b.Text()) })
}

// RejectedTotal returns the number of rejected records.
func (r *Result) RejectedTotal() (n int) {
	for _, count := range r.Rejected {
		n += count
	}
	return n
}

// ReadManifest reads the manifest of a build. Perturbations and split name files there, so
// that it refuses names that lead elsewhere.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, manifestFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s: %w, expected the manifest of a build", path, err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.Plan.Databases == "" {
		err = m.readOldPlan(dir, data)
	}
	return m, err
}

// write writes the manifest to a file.
func (m *Manifest) write(path string) error {
	return outdir.WriteFile(path, func(w io.Writer) error { return table.JSON(w, m) })
}

// check returns an error for names that lead out of the build's folder, and for negative numbers of records.
func (m *Manifest) check() error {
	for _, r := range m.Perturbations {
		if !filepath.IsLocal(filepath.FromSlash(r.Name)) || !filepath.IsLocal(m.Split) || min(r.Verified, r.Unchanged) < 0 {
			return fmt.Errorf("perturbation %q of split %q with %d records, expected those of a build", r.Name, m.Split, r.Records())
		}
	}
	return nil
}

// newManifest returns the manifest of a configuration, without perturbations.
func newManifest(c Config) *Manifest {
	return &Manifest{Version: Version, Seed: c.Seed, Samples: c.Samples, Split: c.Split, Plan: c.Plan(), Inputs: slices.Clone(c.Inputs), Models: c.Resources.Models()}
}

// add counts the records and rejections of a shard.
func (r *Result) add(s *shard) {
	r.Examples += s.Examples
	r.Applicable += s.Applicable
	r.Variants += len(s.After)
	type key struct {
		example             int32
		db, question, query string
	}
	covered, distinct := map[int32]bool{}, map[key]bool{}
	for _, rec := range s.Records {
		if rec.unchanged() {
			r.Unchanged++
			continue
		}
		r.Verified++
		covered[rec.Record.Example] = true
		distinct[key{rec.Record.Example, rec.Record.DBPost, rec.Record.QuestionPost, rec.Record.QueryPost}] = true
		switch rec.Record.Content {
		case dataset.ContentGenerated:
			r.Generated++
		case dataset.ContentBoth:
			r.Both++
		}
		if rec.Record.Perturbed == rec.Record.Mentioned || rec.Record.DBPost == rec.Record.DBPre {
			r.Complete++ // all mentioned columns are perturbed, or the schema is unchanged
		}
		if rec.Record.QuestionPre != rec.Record.QuestionPost {
			r.Fluency = cmp.Or(r.Fluency, &Fluency{})
			r.Fluency.add(rec.Record.QuestionPre, rec.Record.QuestionPost)
		}
		if rec.Differs {
			r.Differ++
		}
		if !rec.Record.Conclusive {
			r.Weak++
		}
	}
	r.Distinct += len(distinct)
	r.Covered += len(covered)
	for _, rej := range s.Rejected {
		r.Rejected[rej.Reason]++
	}
}

// ReadResults returns the split of the build in dir and its perturbations that have records. The
// names of perturbations or families select some; no name selects all.
func ReadResults(dir string, names []string) (split string, results []Result, err error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return "", nil, err
	}
	known := make([]bool, len(names))
	for _, r := range m.Perturbations {
		family := familyOf(r.Name)
		chosen := len(names) == 0
		for i, n := range names {
			if n == r.Name || n == family {
				chosen, known[i] = true, true
			}
		}
		if chosen && r.Verified > 0 {
			results = append(results, r)
		}
	}
	if i := slices.Index(known, false); i >= 0 {
		return "", nil, fmt.Errorf("--perturb %q: expected a perturbation or family of %s", names[i], filepath.Join(dir, manifestFile))
	}
	switch {
	case len(results) == 0 && len(names) > 0:
		return "", nil, fmt.Errorf("--perturb %s: no record was verified; %s has the reasons", strings.Join(names, ","), filepath.Join(dir, manifestFile))
	case len(results) == 0:
		return "", nil, fmt.Errorf("%s: has no records, expected some", dir)
	}
	return m.Split, results, nil
}

// CheckDatabases returns an error if a perturbation of the build in dir has no SQLite files, so that no SQL
// can be run on it.
func CheckDatabases(dir string, results []Result) error {
	for _, r := range results {
		if !dataset.IsDir(filepath.Join(dir, filepath.FromSlash(r.Name), "pre", "database")) {
			return fmt.Errorf("%s: was written without databases, expected those that \"tabperturb materialize %s --data DIR\" makes", filepath.Join(dir, filepath.FromSlash(r.Name)), dir)
		}
	}
	return nil
}
