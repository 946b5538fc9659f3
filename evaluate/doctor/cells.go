package doctor

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// cells is what a stored column holds.
type cells struct {
	table, column string // as the SQLite file spells them
	declared      string // type
	numbers       int64  // cells that are integers or reals
	texts         int64  // cells that are text
	witness       string // one of the texts

	// numeric reports whether some texts are numbers and all others are placeholders.
	numeric bool
	// If numeric, two texts that sort in opposite ways as text and as numbers; empty if
	// there are none.
	inverted [2]string
}

// onlyNumbers reports whether the column has numbers and no text.
func (c *cells) onlyNumbers() bool { return c.numbers > 0 && c.texts == 0 }

// onlyTexts reports whether the column has text and no numbers.
func (c *cells) onlyTexts() bool { return c.texts > 0 && c.numbers == 0 }

// placeholders stand in columns of text where a number is not known.
var placeholders = []string{"", "null", "none", "nan", "na", "n/a", "nil", "unknown", "-", "--", "?"}

func isPlaceholder(s string) bool {
	return slices.Contains(placeholders, strings.ToLower(strings.TrimSpace(s)))
}

// number reads a cell as a decimal number.
func number(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if strings.ContainsAny(s, "_xXpPnN") { // of Go's numbers; infinities and NaN among them
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// cells returns the statistics of a column; they are empty if there is no such column or it cannot
// be read.
func (u *unit) cells(ctx context.Context, table, column string) (*cells, error) {
	t := u.storedRelation(table)
	c := storedColumn(t, column)
	if c == nil {
		return &cells{}, nil
	}
	id := dataset.ColumnID{Table: table, Column: column}.Key()
	if known, ok := u.columns[id]; ok {
		return known, nil
	}
	u.columns[id] = &cells{}
	what := fmt.Sprintf("column %s.%s", t.Name, c.Name)
	name, from := sqlite.QuoteName(c.Name), " FROM "+sqlite.QuoteName(t.Name)
	res, err := u.query(ctx, what, fmt.Sprintf(
		"SELECT count(CASE WHEN typeof(%[1]s) IN ('integer', 'real') THEN 1 END), count(CASE WHEN typeof(%[1]s) = 'text' THEN 1 END), min(CASE WHEN typeof(%[1]s) = 'text' THEN substr(%[1]s, 1, 80) END)%[2]s", name, from))
	if res == nil {
		return &cells{}, err
	}
	row := res.Rows[0]
	cs := &cells{table: t.Name, column: c.Name, declared: c.Type, numbers: row[0].Int(), texts: row[1].Int(), witness: row[2].String()}
	if cs.texts > 0 {
		if err := u.readTexts(ctx, what, name, from, cs); err != nil {
			return &cells{}, err
		}
	}
	u.columns[id] = cs
	return cs, nil
}

// readTexts finds out whether the texts of a column are numbers. Texts that do
// not begin as numbers do are looked at first: of a long column of names a few
// cells tell.
func (u *unit) readTexts(ctx context.Context, what, name, from string, cs *cells) error {
	words, err := u.query(ctx, what, fmt.Sprintf(
		"SELECT DISTINCT %[1]s%[2]s WHERE typeof(%[1]s) = 'text' AND trim(%[1]s) NOT GLOB '[-+.0-9]*' LIMIT %[3]d", name, from, len(placeholders)+1))
	if words == nil {
		return err
	}
	for _, row := range words.Rows {
		if !isPlaceholder(row[0].Bytes()) {
			return nil
		}
	}
	texts, err := u.query(ctx, what, fmt.Sprintf("SELECT DISTINCT %[1]s%[2]s WHERE typeof(%[1]s) = 'text' ORDER BY 1", name, from))
	if texts == nil {
		return err
	}
	var largest float64
	var of string
	var inverted [2]string
	for _, row := range texts.Rows {
		text := row[0].Bytes()
		if isPlaceholder(text) {
			continue
		}
		v, ok := number(text)
		if !ok {
			return nil
		}
		if of != "" && v < largest && inverted[0] == "" {
			inverted = [2]string{of, text}
		}
		if of == "" || v > largest {
			largest, of = v, text
		}
	}
	cs.numeric, cs.inverted = of != "", inverted
	return nil
}
