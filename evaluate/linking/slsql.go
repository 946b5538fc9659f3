package linking

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// mark is the annotation of one token in SLSQL.
type mark struct {
	Type string `json:"type"` // "tbl", "col" or "val"
	// ID is a position in tables.json: of the table, or of the column counted over
	// all tables, where 0 is the star. A value of no column has 0.
	ID *int `json:"id"`
}

// decodeMarks decodes the marks of the question with an index in the split, a mark or null for each token, to the links of
// an example, each link once.
func decodeMarks(raw []byte, index int, split *Split, o Options) (*Example, error) {
	q, ok := split.questions[index]
	if !ok {
		return nil, fmt.Errorf("no example that can be used, expected at most the split's %d", len(split.questions))
	}
	var marks []*mark
	if err := json.Unmarshal(raw, &marks); err != nil {
		return nil, fmt.Errorf("%w, expected an array of marks", err)
	}
	tokens, err := alignMarks(q.tokens, len(marks))
	if err != nil {
		return nil, err
	}
	ex := &Example{Index: index, DB: q.db.ID, Links: []Link{}}
	for i, m := range marks {
		if m == nil { // the token refers to nothing
			continue
		}
		l, ok, err := m.link(q.db, o)
		if err != nil {
			return nil, fmt.Errorf("mark %d: %w", i+1, err)
		}
		l.Token = tokens[i]
		if ok && !slices.Contains(ex.Links, l) {
			ex.Links = append(ex.Links, l)
		}
	}
	return ex, nil
}

// link returns the table or column that a mark refers to, without its token; false for a value that is no
// link: one of no column, or any value unless o.Values is set.
func (m *mark) link(db *dataset.Database, o Options) (Link, bool, error) {
	if m.ID == nil {
		return Link{}, false, errors.New(`lacks "id", expected a position in tables.json`)
	}
	switch m.Type {
	case "tbl":
		if *m.ID < 0 || *m.ID >= len(db.Tables) {
			return Link{}, false, fmt.Errorf("table %d, expected 0 to %d", *m.ID, len(db.Tables)-1)
		}
		return Link{Table: db.Tables[*m.ID].Original}, true, nil
	case "val":
		if *m.ID == 0 || !o.Values {
			return Link{}, false, nil
		}
	case "col":
	default:
		return Link{}, false, fmt.Errorf(`type is %q, expected "tbl", "col" or "val"`, dataset.Clip(m.Type))
	}
	position := *m.ID - 1 // counted from the first column of t; id 0 is the star
	for _, t := range db.Tables {
		if position >= 0 && position < len(t.Columns) {
			return Link{Table: t.Original, Column: t.Columns[position].Original}, true, nil
		}
		position -= len(t.Columns)
	}
	return Link{}, false, fmt.Errorf("column %d, expected one of %s", *m.ID, db.ID)
}

// tokenPart matches the parts into which SLSQL splits a token: it splits quotes off
// ("'Hey" is two tokens) and at underscores, but keeps clitics whole ("'s").
var tokenPart = lazyregexp.New(`['‘’](?:s|re|ll|ve|d|m)$|['‘’]|_|[^'‘’_]+`)

// alignMarks returns for each of n marks the position of the token that it annotates. SLSQL splits 56 of the 1034
// questions differently from Spider's question_toks, so a token may have several marks: n must be the number of the
// tokens or of their parts by [tokenPart].
func alignMarks(tokens []string, n int) ([]int, error) {
	var whole, parts []int
	for i, t := range tokens {
		whole = append(whole, i)
		count := 1
		if t != "''" { // a closing double quote, which SLSQL keeps whole
			count = len(tokenPart.FindAllString(t, -1))
		}
		parts = append(parts, slices.Repeat([]int{i}, count)...)
	}
	switch n {
	case len(whole):
		return whole, nil
	case len(parts):
		return parts, nil
	}
	return nil, fmt.Errorf("%d marks, expected %d, one a token, or %d with quotes apart", n, len(whole), len(parts))
}
