package benchmark

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Strength is what a perturbation of schemas costs a schema linker: the F1 of the columns, 0 to 1, that it finds for
// the same questions before and after.
type Strength struct {
	Perturbation string         `json:"perturbation"`
	Linker       string         `json:"linker"`
	Questions    int            `json:"questions"` // drawn by the seed, of at most [StrengthQuestions] examples
	Before       stats.Number   `json:"before"`
	After        stats.Number   `json:"after"`
	Change       stats.Estimate `json:"change"` // its interval draws whole databases
}

// StrengthQuestions is the largest number of questions that the strength of a perturbation is measured on. Fewer than
// leastQuestions would prove nothing, and are not measured.
const (
	StrengthQuestions = 300
	leastQuestions    = 30
)

// Linkers measures the strength of a perturbation on units before and after it, whose examples have the same
// indexes.
type Linkers func(ctx context.Context, name string, pre, post []*dataset.Unit) ([]Strength, error)

// strengthRecord is a record that strength may be measured on, with its schemas.
type strengthRecord struct {
	key           uint64 // by which it is drawn
	example       int32
	pre, post     dataset.SpiderExample
	before, after *dataset.Database
}

// strengthSample draws the records of a perturbation that its strength is measured on: the first record of
// each drawn example, of those with another schema.
type strengthSample struct {
	seed    uint64
	records []strengthRecord
}

// add adds the first record of each example of a shard that changes the schema. Of all records added so far it keeps
// the [StrengthQuestions] with the smallest keys, a random choice by the seed.
func (d *strengthSample) add(s *shard) {
	after := lists.Index(s.After, func(db *dataset.Database) string { return db.ID })
	seen := map[int32]bool{}
	for i := range s.Records {
		r := &s.Records[i]
		db, ok := after[r.Record.DBPost]
		isChanged := ok && r.Record.DBPost != r.Record.DBPre
		if !isChanged || r.Post.Unanswerable || seen[r.Record.Example] {
			continue
		}
		seen[r.Record.Example] = true
		d.records = append(d.records, strengthRecord{d.key(r.Record.Example), r.Record.Example, r.Pre, r.Post, s.Before, db})
	}
	slices.SortFunc(d.records, func(x, y strengthRecord) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.example, y.example))
	})
	if len(d.records) > StrengthQuestions {
		clear(d.records[StrengthQuestions:]) // so that their schemas can be freed
		d.records = d.records[:StrengthQuestions]
	}
}

// key returns a hash of the seed and an example, by which records are drawn.
func (d *strengthSample) key(example int32) uint64 {
	h := sha256.Sum256(fmt.Appendf(nil, "strength %d %d", d.seed, example))
	return binary.BigEndian.Uint64(h[:])
}

// units returns the drawn examples, grouped by database, before and after. It looks for content of the databases in the
// folders pre and post of dir.
func (d *strengthSample) units(dir string) (pre, post []*dataset.Unit) {
	slices.SortFunc(d.records, func(x, y strengthRecord) int { return cmp.Compare(x.example, y.example) })
	for i, r := range d.records {
		pre = addExample(pre, dir+"/pre", r.before, &r.pre, i)
		post = addExample(post, dir+"/post", r.after, &r.post, i)
	}
	return pre, post
}

// addExample adds an example to the unit of its database.
func addExample(units []*dataset.Unit, dir string, db *dataset.Database, record *dataset.SpiderExample, index int) []*dataset.Unit {
	i := slices.IndexFunc(units, func(u *dataset.Unit) bool { return u.DB.ID == db.ID })
	if i < 0 {
		i = len(units)
		schema := *db
		schema.SQLite = dataset.FindContent(dir, db.ID)
		units = append(units, &dataset.Unit{DB: &schema})
	}
	units[i].Examples = append(units[i].Examples, &dataset.Example{
		Index: index, DB: db.ID, Question: record.Question, Query: record.Query, Tokens: record.QuestionToks,
	})
	return units
}

// writeStrength writes a table of what perturbed schemas cost the built-in linkers, a row for each perturbation of
// schemas; nothing where there is none.
func (m *Manifest) writeStrength(w io.Writer) {
	heads := []string{"what it costs", "questions"}
	var rows [][]any
	for i, s := range m.Strength {
		if i == 0 || s.Perturbation != m.Strength[i-1].Perturbation { // the first linker of the perturbation
			rows = append(rows, []any{s.Perturbation, s.Questions})
		}
		if head := "column F1, linker " + s.Linker; !slices.Contains(heads, head) {
			heads = append(heads, head)
		}
		last := &rows[len(rows)-1]
		*last = append(*last, fmt.Sprintf("%s to %s: %s", s.Before.Percent(), s.After.Percent(), s.Change.Points()))
	}
	t := table.New("", heads...)
	for _, row := range rows {
		t.Add(row...)
	}
	if len(rows) > 0 {
		fmt.Fprint(w, t)
	}
}

// Against returns the strengths in this build and in the other one, paired by perturbation and linker. It leaves out
// those that only one build has.
func (m *Manifest) Against(other *Manifest) []StrengthPair {
	var pairs []StrengthPair
	for _, s := range m.Strength {
		for _, o := range other.Strength {
			if s.Perturbation == o.Perturbation && s.Linker == o.Linker {
				pairs = append(pairs, StrengthPair{s, o})
			}
		}
	}
	return pairs
}

// StrengthPair is the strength of a perturbation in two builds, such as two builds with other names.
type StrengthPair struct {
	A Strength `json:"a"`
	B Strength `json:"b"`
}
