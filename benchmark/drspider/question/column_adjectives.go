package question

import (
	_ "embed" // column_adjectives.txt, column_people.txt
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

//go:embed data/column_adjectives.txt
var adjectivesText string

//go:embed data/column_people.txt
var peopleText string

// people returns the nouns for people, singular.
var people = sync.OnceValue(func() map[string]bool { return wordfile.ReadSet(peopleText) })

// adjectives is a line of data/column_adjectives.txt.
type adjectives struct {
	columns         []string
	more, less      []string // before "than"
	most, least     []string // before a noun
	rising, falling string   // the orders; "" for none
}

// allAdjectives returns the lines of data/column_adjectives.txt.
var allAdjectives = sync.OnceValue(func() []adjectives {
	var out []adjectives
	for _, row := range wordfile.Rows(adjectivesText, 6) {
		a := adjectives{
			columns: splitList(row[0], ","),
			more:    splitList(row[1], ";"), less: splitList(row[2], ";"),
			most: splitList(row[3], ";"), least: splitList(row[4], ";"),
		}
		switch orders := splitList(row[5], ";"); len(orders) {
		case 1:
			low, high, _ := strings.Cut(strings.TrimPrefix(orders[0], "from "), " to ")
			a.rising, a.falling = orders[0], "from "+high+" to "+low
		case 2:
			a.rising, a.falling = orders[0], orders[1]
		}
		out = append(out, a)
	}
	return out
})

// splitList returns the items of a cell, without blanks around them. It leaves out empty items and dashes, which mean none.
func splitList(cell, sep string) []string {
	var out []string
	for item := range strings.SplitSeq(cell, sep) {
		if item = strings.TrimSpace(item); strings.Trim(item, "-") != "" {
			out = append(out, item)
		}
	}
	return out
}

// adjectivesAt reads the name of a column with adjectives at the token i. It returns the adjectives, the token after the name and the
// column, which is one of columns. If no such name begins at i, it returns nil, i and the zero column.
func adjectivesAt(s sentence, i int, db *dataset.Database, columns []dataset.ColumnRef) (*adjectives, int, dataset.ColumnRef) {
	if i < 0 {
		return nil, i, dataset.ColumnRef{}
	}
	for end := min(i+6, len(s.Words)); end > i; end-- { // the longest name first
		named := strings.Join(s.Words[i:end], " ")
		for k, a := range allAdjectives() {
			if !a.lists(named) {
				continue
			}
			if at := slices.IndexFunc(columns, func(c dataset.ColumnRef) bool { return a.suit(db.Column(c).Name) }); at >= 0 {
				return &allAdjectives()[k], end, columns[at]
			}
		}
	}
	return nil, i, dataset.ColumnRef{}
}

// lists reports whether the line lists words of a question as a column, in either number.
func (a *adjectives) lists(named string) bool {
	return slices.Contains(a.columns, named) || slices.Contains(a.columns, english.SingularPhrase(named))
}

// suit reports whether the adjectives suit a column of that name: the name ends with a column that the list has them for ("car weight" with
// "weight") or, unless it is an ID, begins with one ("weight in kg").
func (a *adjectives) suit(name string) bool {
	words := " " + lexicon.Normal(name) + " "
	isID := strings.HasSuffix(words, " id ")
	return slices.ContainsFunc(a.columns, func(c string) bool {
		key := " " + lexicon.Normal(c) + " "
		return strings.HasSuffix(words, key) || !isID && strings.HasPrefix(words, key)
	})
}
