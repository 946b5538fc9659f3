package suite

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	text "github.com/tabperturb/tabperturb/internal/kit/table"
)

// The files of a suite in addition to its databases.
const (
	ManifestFile  = "manifest.json" // a [Manifest]
	CurveFile     = "curve.tsv"     // the share of neighbours left after each database tried
	CurvePlotFile = "curve.svg"     // the curve as a picture
)

// manifestVersion changes whenever the same input and seed give another suite.
const manifestVersion = 3

// Manifest describes the input of a suite, its databases, and the neighbours that they
// distinguish from the golds.
type Manifest struct {
	Version    int      `json:"version"`
	Seed       uint64   `json:"seed"`
	Tried      int      `json:"tried"` // random databases tried for each schema
	Depth      int      `json:"depth"` // wanted number of databases that distinguish each neighbour
	Nulls      Nulls    `json:"nulls"`
	Inputs     []Input  `json:"inputs"`
	Examples   int      `json:"examples"`   // of the split
	Golds      int      `json:"golds"`      // distinct gold queries
	Failing    int      `json:"failing"`    // golds that cannot be run
	Empty      int      `json:"empty"`      // golds without a determined answer that has rows
	Neighbours int      `json:"neighbours"` // of all golds
	Left       int      `json:"left"`       // neighbours that no database distinguishes
	Kept       int      `json:"kept"`       // databases in the suite
	Bytes      int64    `json:"bytes"`      // their size
	Schemas    []Schema `json:"schemas"`
}

// Input is a file that a suite was made of.
type Input struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Schema is the part of a suite that belongs to one database id.
type Schema struct {
	ID         string     `json:"db_id"`
	Problem    string     `json:"problem,omitempty"` // why there are no databases
	Databases  []Database `json:"databases"`         // those that distinguish most neighbours first
	Golds      []Gold     `json:"golds"`
	Neighbours int        `json:"neighbours"`
	Curve      []Point    `json:"curve"` // the points at which it falls
}

// Database is a database of a suite.
type Database struct {
	File  string `json:"file"`  // its name in database/DB_ID
	Tried int    `json:"tried"` // which of the random databases it is, from 1; 0: the schema's own content; -1: no rows
	Tells int    `json:"tells"` // neighbours that it distinguishes and fewer than Depth databases tried before it did
}

// Gold is a distinct gold query.
type Gold struct {
	SQL          string   `json:"sql"`
	Examples     []int    `json:"examples"` // positions in the split, from 0
	Problem      string   `json:"problem,omitempty"`
	Empty        bool     `json:"empty,omitempty"` // no database tried gives it a determined answer with rows, so it is not judged
	Neighbours   int      `json:"neighbours"`
	Left         []string `json:"left,omitempty"`         // the neighbours that no database with rows distinguishes
	Tells        []int    `json:"tells"`                  // positions of the databases that distinguish its neighbours
	Undetermined []int    `json:"undetermined,omitempty"` // positions of the databases on which its answer is not determined, or fails
}

// Point is the number of neighbours left after a number of random databases. The schema's own
// content is tried before them and included in the point at 0. If it is large it is tried after
// them, and included in the last point instead.
type Point struct {
	Tried int `json:"tried"`
	Left  int `json:"left"`
}

// add appends a schema and adds its figures to the sums.
func (m *Manifest) add(s Schema) {
	m.Schemas = append(m.Schemas, s)
	m.Kept += len(s.Databases) // databases in the suite
	m.Neighbours += s.Neighbours
	for _, g := range s.Golds {
		m.Golds++
		m.Examples += len(g.Examples)
		m.Left += len(g.Left) // neighbours that no database distinguishes
		switch {
		case g.Problem != "":
			m.Failing++
		case g.Empty:
			m.Empty++
		}
	}
}

// ShareLeft returns the share of neighbours, 0 to 1, that no database distinguishes.
func (m *Manifest) ShareLeft() float64 { return stats.Ratio(m.Left, m.Neighbours) }

// ShareLeftAfter returns the share of neighbours that were left after a number of
// random databases, at most m.Tried.
func (m *Manifest) ShareLeftAfter(tried int) float64 {
	return stats.Ratio(m.Curve()[tried], m.Neighbours)
}

// write writes the manifest as JSON.
func (m *Manifest) write(path string) error {
	return outdir.WriteFile(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false) // SQL has < and >
		enc.SetIndent("", " ")
		return enc.Encode(m)
	})
}

// ReadManifest reads the manifest of the suite in a folder.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w; expected a folder that `suite distill` wrote", err)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.Version != manifestVersion {
		return nil, fmt.Errorf("%s: version %d, expected %d of a test suite", path, m.Version, manifestVersion)
	}
	return &m, nil
}

// WriteText writes the figures for people: a table with a row for each schema and their sum, the share
// of neighbours left after some numbers of databases tried, and then the line last.
func (m *Manifest) WriteText(w io.Writer, last string) error {
	t := text.New("", "schema", "golds", "neighbours", "left", "databases")
	for _, s := range m.Schemas {
		left := lists.Sum(s.Golds, func(g Gold) int { return len(g.Left) })
		t.Add(s.ID, len(s.Golds), s.Neighbours, left, len(s.Databases))
	}
	t.Add("all", m.Golds, m.Neighbours, m.Left, m.Kept)
	fmt.Fprint(w, t)
	fmt.Fprintf(w, "%d examples, %d distinct golds, %.1f neighbours a gold; %.2f%% of the neighbours told apart\n",
		m.Examples, m.Golds, float64(m.Neighbours)/float64(max(m.Golds, 1)), 100*(1-m.ShareLeft()))
	fmt.Fprintf(w, "%d databases in %.1f MB; golds that fail: %d, without a determined answer that has rows: %d\n",
		m.Kept, float64(m.Bytes)/1e6, m.Failing, m.Empty)
	steps := []int{0, 1, 10, 100, 300}
	steps = append(slices.DeleteFunc(steps, func(tried int) bool { return tried >= m.Tried }), m.Tried)
	shares := lists.Map(steps, func(tried int) string { return fmt.Sprintf("%d: %.2f%%", tried, 100*m.ShareLeftAfter(tried)) })
	_, err := fmt.Fprintf(w, "left after databases tried: %s\n%s\n", strings.Join(shares, ", "), last)
	return err
}
