package question

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
)

//go:embed data/column_adjectives.txt
var adjectivesText string

//go:embed data/column_people.txt
var peopleText string

var people = sync.OnceValue(func() map[string]bool {
	var words strings.Builder
	for line := range strings.Lines(peopleText) {
		if !strings.HasPrefix(line, "#") {
			words.WriteString(line)
		}
	}
	return wordSet(words.String())
})

// adjectives is a line of data/column_adjectives.txt.
type adjectives struct {
	columns         []string
	more, less      []string // before "than"
	most, least     []string // before a noun
	rising, falling string   // the orders; "" for none
	how             []string // "how old"
}

var allAdjectives = sync.OnceValue(func() []adjectives {
	list, err := readAdjectives(adjectivesText)
	if err != nil {
		panic("question: " + err.Error())
	}
	return list
})

func readAdjectives(text string) ([]adjectives, error) {
	var out []adjectives
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "|")
		if len(fields) != 7 {
			return nil, fmt.Errorf("column_adjectives.txt:%d: %d fields, expected 7", n, len(fields))
		}
		a := adjectives{
			columns: splitList(fields[0], ","),
			more:    splitList(fields[1], ";"), less: splitList(fields[2], ";"),
			most: splitList(fields[3], ";"), least: splitList(fields[4], ";"),
			how: splitList(fields[6], ";"),
		}
		if orders := splitList(fields[5], ";"); len(orders) > 0 {
			rest, from := strings.CutPrefix(orders[0], "from ")
			low, high, to := strings.Cut(rest, " to ")
			if !from || !to {
				return nil, fmt.Errorf("column_adjectives.txt:%d: order %q, expected \"from … to …\"", n, orders[0])
			}
			a.rising, a.falling = orders[0], "from "+high+" to "+low
			if len(orders) > 1 {
				a.falling = orders[1]
			}
		}
		out = append(out, a)
	}
	return out, nil
}

func splitList(field, sep string) []string {
	var out []string
	for f := range strings.SplitSeq(field, sep) {
		if f = strings.TrimSpace(f); f != "" && f != "-" {
			out = append(out, f)
		}
	}
	return out
}

// adjectivesAt returns the adjectives of the column that the question names at
// the token i, the token after its name, and the column, one of those given.
func adjectivesAt(s sentence, i int, db *dataset.Database, columns []dataset.ColumnRef) (*adjectives, int, dataset.ColumnRef) {
	for n := 6; n > 0; n-- {
		if i < 0 || i+n > len(s.low) {
			continue
		}
		named := strings.Join(s.low[i:i+n], " ")
		one := singular(named)
		list := allAdjectives()
		for k := range list {
			if !slices.Contains(list[k].columns, one) && !slices.Contains(list[k].columns, named) {
				continue
			}
			for _, c := range columns {
				if list[k].of(db.Column(c).Name) {
					return &list[k], i + n, c
				}
			}
		}
	}
	return nil, i, dataset.ColumnRef{}
}

// of tells whether a column of that name is one of the set: the name ends or, for
// units, begins with one of its columns.
func (a *adjectives) of(name string) bool {
	words := " " + lexicon.Normal(name) + " "
	for _, c := range a.columns {
		key := " " + lexicon.Normal(c) + " "
		if strings.HasSuffix(words, key) || strings.HasPrefix(words, key) && !strings.HasSuffix(words, " id ") {
			return true
		}
	}
	return false
}
