package exact

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/stats"
)

// Tally sums up results by the hardness of their golds. The zero Tally is empty;
// it is not safe for concurrent use.
type Tally struct {
	levels [numLevels + 1]tallyLevel // the last is of all results
}

// tallyLevel counts the results of one level; see [LevelScore] for the figures.
type tallyLevel struct {
	count, match, rejected, gained, lost int
	parts                                [NumParts]struct{ same, gold, pred int }
}

// Add counts a result of a gold with the given hardness. gained counts the matches that are no official matches, lost the
// official matches that are no matches.
func (t *Tally) Add(h Hardness, r Result) {
	for _, l := range [...]*tallyLevel{&t.levels[h], &t.levels[numLevels]} { // the level of the gold, and all
		l.count++
		l.match += toInt(r.Match)
		l.rejected += toInt(r.Rejected != nil)
		l.gained += toInt(r.Match && !r.Official)
		l.lost += toInt(!r.Match && r.Official)
		for p, c := range r.Partial {
			n := &l.parts[p]
			n.gold += toInt(c.Gold > 0)
			n.pred += toInt(c.Pred > 0)
			n.same += toInt(c.Same && c.Pred > 0)
		}
	}
}

// LevelScore sums up the results of the golds of one level, or of all.
type LevelScore struct {
	Level      string      `json:"level"` // "easy", "medium", "hard", "extra" or "all"
	Count      int         `json:"count"`
	Matches    int         `json:"matches"`
	ExactMatch float64     `json:"exact_match"` // Matches by Count, 0..1
	Rejected   int         `json:"rejected"`    // predictions that the official parser refuses
	Gained     int         `json:"gained"`      // matches that are no official matches
	Lost       int         `json:"lost"`        // official matches that are no matches
	Parts      []PartScore `json:"parts"`
}

// PartScore is the score of one [Part], as the official evaluator computes it.
type PartScore struct {
	Part      string  `json:"part"`
	Precision float64 `json:"precision"` // officially "accuracy": same parts by predictions that have the part
	Recall    float64 `json:"recall"`    // same parts by golds that have it
	F1        float64 `json:"f1"`        // 1 where precision and recall are 0, for a level with golds
}

// Scores returns the four levels and all, in this order.
func (t *Tally) Scores() []LevelScore {
	list := make([]LevelScore, 0, len(t.levels))
	for i := range t.levels {
		l := &t.levels[i]
		name := "all"
		if i < int(numLevels) {
			name = Hardness(i).String()
		}
		score := LevelScore{
			Level: name, Count: l.count, Matches: l.match, ExactMatch: stats.Ratio(l.match, l.count),
			Rejected: l.rejected, Gained: l.gained, Lost: l.lost,
		}
		for p, n := range l.parts {
			s := PartScore{Part: Part(p).String(), Precision: stats.Ratio(n.same, n.pred), Recall: stats.Ratio(n.same, n.gold)}
			switch {
			case s.Precision+s.Recall > 0:
				s.F1 = 2 * s.Precision * s.Recall / (s.Recall + s.Precision)
			case l.count > 0:
				s.F1 = 1 // as officially
			}
			score.Parts = append(score.Parts, s)
		}
		list = append(list, score)
	}
	return list
}

// MarshalJSON returns the scores as a JSON array.
func (t *Tally) MarshalJSON() ([]byte, error) { return json.Marshal(t.Scores()) }

// WriteText writes the figures that the official evaluator prints, a column for
// each level, rounded to three digits as there.
func (t *Tally) WriteText(w io.Writer) error {
	var b strings.Builder
	scores := t.Scores()
	row := func(name string, cell func(*LevelScore) string) {
		fmt.Fprintf(&b, "%-18s", name)
		for i := range scores {
			fmt.Fprintf(&b, "%8s", cell(&scores[i]))
		}
		b.WriteByte('\n')
	}
	row("", func(l *LevelScore) string { return l.Level })
	row("count", func(l *LevelScore) string { return fmt.Sprint(l.Count) })
	row("exact match", func(l *LevelScore) string { return fmt.Sprintf("%.3f", l.ExactMatch) })
	for _, block := range []struct {
		title string
		of    func(PartScore) float64
	}{
		{"precision", func(s PartScore) float64 { return s.Precision }},
		{"recall", func(s PartScore) float64 { return s.Recall }},
		{"F1", func(s PartScore) float64 { return s.F1 }},
	} {
		fmt.Fprintf(&b, "\n%s\n", block.title)
		for p := range NumParts {
			row("  "+p.String(), func(l *LevelScore) string { return fmt.Sprintf("%.3f", block.of(l.Parts[p])) })
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
