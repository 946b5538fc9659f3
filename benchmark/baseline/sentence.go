package baseline

import (
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// sentenceThreshold is the least similarity of the sentence with a new name to
// the one with the column's own. TextFooler's is 0.7, of Universal Sentence
// Encoder vectors; its released code switches the threshold off for texts of less
// than 15 words. ADVETA takes SimCSE and does not say which threshold. Here a
// sentence is the mean of its words' vectors.
const sentenceThreshold = 0.7

// Bounds of what a sentence quotes.
const (
	maxCells     = 3
	maxCellRunes = 30
)

// sentence is the template that gives a column a context: "The song name of the
// singer is Sun, You or Love." ADVETA's footnote 8 says that there is one with
// cell values, not what it is.
type sentence struct {
	before, after string    // of the name
	vec           []float32 // of the whole with the column's own name
}

// newSentence returns the sentence of a column, with a few of its cells.
func newSentence(p *perturb.Pass, ref dataset.ColumnRef) *sentence {
	s := &sentence{before: "The ", after: " of the " + NoBlank(p.DB.Tables[ref.Table].Name)}
	if cells := cellsOf(p, ref); len(cells) > 0 {
		s.after += " is " + english.Enumerate(cells, "or")
	}
	s.after += "."
	if p.Vectors != nil {
		s.vec, _, _ = lexicon.Phrase(p.Vectors, s.with(p.DB.Column(ref).Name))
	}
	return s
}

// with returns the sentence with a name for the column.
func (s *sentence) with(name string) string { return s.before + name + s.after }

// similarity compares the sentence with a new name to the one with the column's
// own; it is 0 where either has no known word.
func (s *sentence) similarity(v lexicon.Vectors, name string) float64 {
	vec, _, _ := lexicon.Phrase(v, s.with(name))
	return lexicon.Cosine(s.vec, vec)
}

// NoBlank keeps data from looking like a token of a model, such as [MASK].
func NoBlank(text string) string { return strings.NewReplacer("[", " ", "]", " ").Replace(text) }

// cellsOf returns up to maxCells short values of a column as texts. It returns none for a column whose values
// cannot be read: the sentence then goes without.
func cellsOf(p *perturb.Pass, ref dataset.ColumnRef) []string {
	var cells []string
	for _, v := range p.Content.Distinct(p.Context, ref) {
		if v.IsNull() || v.Kind() == sqldata.Blob {
			continue
		}
		text := strings.Join(strings.Fields(NoBlank(v.String())), " ")
		if text == "" || len([]rune(text)) > maxCellRunes {
			continue
		}
		if cells = append(cells, text); len(cells) == maxCells {
			break
		}
	}
	return cells
}
