package benchmark

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
)

// Plan is what was chosen for a build, apart from its seed, samples, split, inputs and
// perturbations. manifest.json stores it. Members other than Databases are left out at their
// defaults.
type Plan struct {
	Databases  Databases `json:"databases"`             // never [DatabasesAuto]; empty for an old build without records
	Scope      string    `json:"scope,omitempty"`       // of perturbed schemas, see [perturb.Scope]
	Prefer     string    `json:"prefer,omitempty"`      // even, where near names were not preferred: [dataset.Prefer]
	Rows       int       `json:"rows,omitempty"`        // of each table, about
	MinFluency float64   `json:"min_fluency,omitempty"` // of changed questions, 0 to 1
	Selected   string    `json:"selected,omitempty"`    // which examples of the split, where not all
	Accepted   string    `json:"accepted,omitempty"`    // hashes of the decisions that select records
	Timeout    string    `json:"timeout,omitempty"`     // of a query
	Samples    bool      `json:"samples,omitempty"`     // [DefaultSamples] also for perturbations with a number of their own
}

// Plan returns those settings of the configuration that decide which records a build writes.
func (c *Config) Plan() Plan {
	p := Plan{
		Databases: c.Databases, Rows: c.Rows, MinFluency: c.MinFluency, Selected: c.Selected, Accepted: c.AcceptedBy,
		Samples: !c.OwnSamples && c.Samples == DefaultSamples, // set by a flag, so also for perturbations with a number of their own
	}
	if l := c.Limits; l.Time != 0 && l.Steps == 0 { // by default steps bound a query, and time is no setting
		p.Timeout = l.Time.String()
	}
	if c.Scope != perturb.ScopeQuestion {
		p.Scope = string(c.Scope)
	}
	if c.Prefer == dataset.Even {
		p.Prefer = string(c.Prefer)
	}
	return p
}

// String returns the flags of build that make the plan, --databases apart.
func (p Plan) String() string {
	var list []string
	add := func(set bool, flag string, value any) {
		if set {
			list = append(list, fmt.Sprintf("%s %v", flag, value))
		}
	}
	add(p.Scope != "", "--scope", p.Scope)
	add(p.Prefer != "", "--prefer", p.Prefer)
	add(p.Rows != 0, "--rows", p.Rows)
	add(p.MinFluency != 0, "--min-fluency", p.MinFluency)
	add(p.Samples, "--samples", DefaultSamples)
	add(p.Accepted != "", "--accepted", p.Accepted)
	add(p.Timeout != "", "--timeout", p.Timeout)
	add(p.Selected != "", "--limit, --only or --examples that select", p.Selected)
	if len(list) == 0 {
		return "by default"
	}
	return strings.Join(list, " ")
}

// readOldPlan fills in the plan of a manifest that stores none. Its "settings" hold all but
// Databases, which the folders of the build show. A build without records has no such folders:
// its Databases stay empty.
func (m *Manifest) readOldPlan(dir string, data []byte) error {
	old := struct {
		Settings *Plan `json:"settings"`
	}{&m.Plan} // decoding fills m.Plan
	if err := json.Unmarshal(data, &old); err != nil {
		return fmt.Errorf("%s: %w, expected the manifest of a build", filepath.Join(dir, manifestFile), err)
	}
	i := slices.IndexFunc(m.Perturbations, func(r Result) bool { return r.Records() > 0 })
	switch {
	case m.Plan.Rows > 0:
		m.Plan.Databases = DatabasesRows
	case i < 0:
	case dataset.IsDir(filepath.Join(dir, filepath.FromSlash(m.Perturbations[i].Name), "pre", "database")):
		m.Plan.Databases = DatabasesFull
	default:
		m.Plan.Databases = DatabasesNone
	}
	return nil
}

// StoreMaterialized stores in the manifest of the build in dir that all its databases are there.
func (m *Manifest) StoreMaterialized(dir string) error {
	if m.Plan.Databases != DatabasesNone { // it has had databases from the beginning
		return nil
	}
	m.Plan.Databases = DatabasesFull
	return m.write(filepath.Join(dir, manifestFile))
}

// Databases is the choice of the SQLite files that a build writes. Files that are equal to the
// original are one file, which the folders share.
type Databases string

// The choices.
const (
	DatabasesAuto Databases = "auto" // full where the copies are small, else none: [Databases.Resolve] decides
	DatabasesFull Databases = "full" // a copy of the original for each perturbed schema
	DatabasesRows Databases = "rows" // a sample: about [Config.Rows] rows of each table
	DatabasesNone Databases = "none" // none: [Materialize] makes them when asked
)

// DatabasesFlags returns the values of the flag --databases. [DatabasesRows] is none of them: the
// flag --rows chooses it.
func DatabasesFlags() []string {
	return []string{string(DatabasesAuto), string(DatabasesFull), string(DatabasesNone)}
}

// maxRows bounds the rows of each table of a sample.
const maxRows = 1_000_000

// ParseDatabases returns the choice that the values of --databases and --rows make together.
func ParseDatabases(text string, rows int) (Databases, error) {
	switch {
	case rows < 0, rows > maxRows, rows > 0 && text != string(DatabasesAuto):
		return "", fmt.Errorf("--rows %d: expected 1 to %d, and no --databases with it", rows, maxRows)
	case rows > 0:
		return DatabasesRows, nil
	case !slices.Contains(DatabasesFlags(), text):
		return "", fmt.Errorf("--databases %q: expected auto, full or none", text)
	}
	return Databases(text), nil
}

// The sizes in bytes up to which [DatabasesAuto] writes all SQLite files of a build: one for data
// sets whose databases are as small as Spider's, one for others. Copies of large databases would
// take many times the space of the data set.
const (
	smallDatabase = 1 << 20
	smallFiles    = 1 << 30
	fewFiles      = 50 << 20
)

// Resolve returns the choice in the place of [DatabasesAuto], and any other choice as it is. The
// build may take at most maxBytes.
func (d Databases) Resolve(e Estimate, maxBytes int64) Databases {
	if d != DatabasesAuto {
		return d
	}
	limit := int64(fewFiles)
	if e.Largest <= smallDatabase { // copies of small databases may take more space in all
		limit = smallFiles
	}
	if e.Files <= limit && e.Bytes(DatabasesFull) <= maxBytes {
		return DatabasesFull
	}
	return DatabasesNone
}

// MaxSamples bounds the perturbed versions of an example.
const MaxSamples = 9999

// CheckSamples returns an error for a number of samples out of bounds.
func CheckSamples(n int) error {
	if n < 1 || n > MaxSamples {
		return fmt.Errorf("--samples %d: expected 1 or more, and not more than %d", n, MaxSamples)
	}
	return nil
}

// ParseScope parses the value of --scope.
func ParseScope(text string) (perturb.Scope, error) {
	scope := perturb.Scope(text)
	if scope != perturb.ScopeQuestion && scope != perturb.ScopeDatabase {
		return "", fmt.Errorf("--scope %q: expected question or database", text)
	}
	return scope, nil
}

// DefaultLimits returns the bounds on a query of a build. Steps of the engine are the same on
// every machine; the time only ends a query that hangs.
func DefaultLimits() sqldata.Limits {
	return sqldata.Limits{Time: 10 * time.Minute, Steps: 1_000_000_000}
}
