package linking

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Counts compares two sets of links to items of one kind, micro-averaged: over
// all the links of a split.
type Counts struct {
	Gold      int // |Ω|, the links that people made
	Predicted int // |Ω̄|, the links that were found
	Correct   int // |Γ|, the links in both
}

// MarshalJSON returns the counts with precision, recall and F1.
func (c Counts) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Precision float64 `json:"precision"`
		Recall    float64 `json:"recall"`
		F1        float64 `json:"f1"`
		Gold      int     `json:"gold"`
		Predicted int     `json:"predicted"`
		Correct   int     `json:"correct"`
	}{c.Precision(), c.Recall(), c.F1(), c.Gold, c.Predicted, c.Correct})
}

// Precision is the share of the predicted links that are gold, 0..1; 0 if
// nothing was predicted.
func (c Counts) Precision() float64 { return stats.Ratio(c.Correct, c.Predicted) }

// Recall is the share of the gold links that were predicted, 0 to 1; 0 without gold links.
func (c Counts) Recall() float64 { return stats.Ratio(c.Correct, c.Gold) }

// F1 is the harmonic mean of precision and recall, 0..1.
func (c Counts) F1() float64 { return stats.Ratio(2*c.Correct, c.Gold+c.Predicted) }

// Add adds the counts d a number of times.
func (c *Counts) Add(d Counts, times int) {
	c.Gold += times * d.Gold
	c.Predicted += times * d.Predicted
	c.Correct += times * d.Correct
}

// Count counts an item that was predicted, or is gold, or both or neither.
func (c *Counts) Count(predicted, gold bool) {
	if gold {
		c.Gold++
	}
	if predicted {
		c.Predicted++
	}
	if predicted && gold {
		c.Correct++
	}
}

// Score compares predicted links with gold links, separately for columns and for tables, as ADVETA's tables
// 4 and 5 do.
type Score struct {
	Columns Counts `json:"columns"`
	Tables  Counts `json:"tables"`
}

// Compare scores the links of one question. Both are sets: a link given twice
// counts once, and names compare without case.
func Compare(gold, predicted []Link) Score {
	var s Score
	inGold, inPredicted := keySet(gold), keySet(predicted)
	for l := range inGold {
		s.countsOf(l).Count(inPredicted[l], true)
	}
	for l := range inPredicted {
		if !inGold[l] {
			s.countsOf(l).Count(true, false)
		}
	}
	return s
}

// keySet returns the distinct links, with their names folded.
func keySet(links []Link) map[Link]bool {
	return lists.Set(links, Link.key)
}

// countsOf returns the counts for the kind of a link: to a table or to a column.
func (s *Score) countsOf(l Link) *Counts {
	if l.Column == "" {
		return &s.Tables
	}
	return &s.Columns
}

// Add adds the counts of another score.
func (s *Score) Add(t Score) {
	s.Columns.Add(t.Columns, 1)
	s.Tables.Add(t.Tables, 1)
}

// Tally sums up the scores of questions, also by database: the questions of one database are not
// independent, so intervals must be computed by resampling databases.
type Tally struct {
	Score
	Questions int
	databases map[string]*DatabaseScore
}

// DatabaseScore is the part of a [Tally] for one database.
type DatabaseScore struct {
	DB        string `json:"db_id"`
	Questions int    `json:"questions"`
	Score
}

// Add counts a question on the database db; of a perturbed one, that is the
// original's id.
func (t *Tally) Add(db string, s Score) {
	if t.databases == nil {
		t.databases = map[string]*DatabaseScore{}
	}
	d := t.databases[db]
	if d == nil {
		d = &DatabaseScore{DB: db}
		t.databases[db] = d
	}
	t.Questions++
	d.Questions++
	t.Score.Add(s)
	d.Score.Add(s)
}

// Merge adds another tally.
func (t *Tally) Merge(o *Tally) {
	for _, d := range o.Databases() {
		t.Add(d.DB, d.Score) // counts one question
		t.databases[d.DB].Questions += d.Questions - 1
		t.Questions += d.Questions - 1
	}
}

// Databases returns the sums by database, in the order of their ids.
func (t *Tally) Databases() []DatabaseScore {
	return lists.Map(slices.Sorted(maps.Keys(t.databases)), func(id string) DatabaseScore { return *t.databases[id] })
}
