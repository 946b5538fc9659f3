package doctor

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// columnStats describes the cells of a stored column. The zero columnStats is that of a column that
// does not exist or cannot be read.
type columnStats struct {
	table, column string // as the SQLite file spells them
	declaredType  string
	numbers       int64  // cells that are integers or reals
	texts         int64  // cells that are text
	blanks        int64  // of the texts, those that are ''
	nulls         int64  // cells that are NULL
	exampleText   string // one of the texts

	// textsAreNumbers reports whether some texts are numbers and all others are placeholders.
	textsAreNumbers bool
	// misordered holds, if textsAreNumbers, two texts that sort in opposite ways as text and as
	// numbers, such as "10" and "9"; empty if there are none.
	misordered [2]string
}

// mixture describes the mixed cells of a column, numbers with text or empty text with NULL, with their counts; "" if they are not mixed.
func (c *columnStats) mixture() string {
	switch {
	case c.numbers > 0 && c.texts > 0:
		return fmt.Sprintf("(declared %q) has %s such as %q beside %s", c.declaredType, table.Count(int(c.texts), "text"), c.exampleText, table.Count(int(c.numbers), "number"))
	case c.blanks > 0 && c.nulls > 0:
		return fmt.Sprintf("(declared %q) has %s '' beside %s NULL", c.declaredType, table.Count(int(c.blanks), "cell"), table.Count(int(c.nulls), "cell"))
	}
	return ""
}

// onlyNumbers reports whether the column has numbers and no text.
func (c *columnStats) onlyNumbers() bool { return c.numbers > 0 && c.texts == 0 }

// onlyTexts reports whether the column has text and no numbers.
func (c *columnStats) onlyTexts() bool { return c.texts > 0 && c.numbers == 0 }

// placeholders are texts that stand for a missing number in columns of text.
var placeholders = []string{"", "null", "none", "nan", "na", "n/a", "nil", "unknown", "-", "--", "?"}

// isPlaceholder reports whether a cell is one of the placeholders, ignoring case and blanks.
func isPlaceholder(cell string) bool {
	return slices.Contains(placeholders, strings.ToLower(strings.TrimSpace(cell)))
}

// parseDecimal parses a cell as a decimal number, with or without an exponent; ok is false for any other text.
func parseDecimal(cell string) (v float64, ok bool) {
	cell = strings.TrimSpace(cell)
	// Go also parses 1_000, hexadecimal numbers, infinities and NaN, which all have one of these letters.
	if strings.ContainsAny(cell, "_xXpPnN") {
		return 0, false
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil
}

// columnStats returns the statistics of a column of a table or view, by names in any case. It reads the cells of a column once. A column
// that does not exist has zero statistics.
func (u *unit) columnStats(ctx context.Context, table, column string) *columnStats {
	t := u.storedRelation(table)
	c := storedColumn(t, column)
	if c == nil {
		return &columnStats{}
	}
	id := dataset.ColumnID{Table: table, Column: column}.Key()
	if u.columns[id] == nil {
		u.columns[id] = u.readColumn(ctx, t.Name, c)
	}
	return u.columns[id]
}

// readColumn computes the statistics of a stored column. They are zero if an engine enforces types, as no cell can contradict its type
// then, and if the column cannot be read.
func (u *unit) readColumn(ctx context.Context, table string, c *sqldata.Column) *columnStats {
	if u.content.Enforces() {
		return &columnStats{}
	}
	what := fmt.Sprintf("column %s.%s", table, c.Name)
	name, from := sqldata.QuoteName(c.Name), " FROM "+sqldata.QuoteName(table)
	res := u.query(ctx, what, fmt.Sprintf(
		"SELECT count(CASE WHEN typeof(%[1]s) IN ('integer', 'real') THEN 1 END), count(CASE WHEN typeof(%[1]s) = 'text' THEN 1 END), min(CASE WHEN typeof(%[1]s) = 'text' THEN substr(%[1]s, 1, 80) END), count(CASE WHEN typeof(%[1]s) = 'text' AND %[1]s = '' THEN 1 END), count(*) - count(%[1]s)%[2]s", name, from))
	if res == nil {
		return &columnStats{}
	}
	row := res.Rows[0]
	stats := &columnStats{table: table, column: c.Name, declaredType: c.Type, numbers: row[0].Int(), texts: row[1].Int(), exampleText: row[2].String(), blanks: row[3].Int(), nulls: row[4].Int()}
	if stats.texts > 0 {
		u.readTexts(ctx, what, name, from, stats)
	}
	return stats
}

// readTexts sets textsAreNumbers, whether all texts of a column but placeholders are numbers, and misordered, two of these numbers
// that sort otherwise as text. It leaves both unset if they are not all numbers. name is the column and from the FROM clause of its
// table, in SQL; what names the column in messages. It first queries for a few texts that do not begin like a number, because these
// decide quickly about a long column of names.
func (u *unit) readTexts(ctx context.Context, what, name, from string, stats *columnStats) {
	// The limit is one more than there are placeholders such as "n/a", so a full answer has a text that is none.
	words := u.query(ctx, what, fmt.Sprintf(
		"SELECT DISTINCT %[1]s%[2]s WHERE typeof(%[1]s) = 'text' AND trim(%[1]s) NOT GLOB '[-+.0-9]*' LIMIT %[3]d", name, from, len(placeholders)+1))
	if words == nil || slices.ContainsFunc(words.Rows, func(row []sqldata.Value) bool { return !isPlaceholder(row[0].Bytes()) }) {
		return
	}
	texts := u.query(ctx, what, fmt.Sprintf("SELECT DISTINCT %[1]s%[2]s WHERE typeof(%[1]s) = 'text' ORDER BY 1", name, from))
	if texts == nil {
		return
	}
	// The rows are sorted as text, so a number below the largest before it is misordered.
	var largest float64
	var largestText string
	var misordered [2]string
	for _, row := range texts.Rows {
		text := row[0].Bytes()
		if isPlaceholder(text) {
			continue
		}
		v, ok := parseDecimal(text)
		if !ok {
			return
		}
		if largestText != "" && v < largest && misordered[0] == "" {
			misordered = [2]string{largestText, text}
		}
		if largestText == "" || v > largest {
			largest, largestText = v, text
		}
	}
	stats.textsAreNumbers, stats.misordered = largestText != "", misordered
}
