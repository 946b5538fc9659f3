package folder

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Limits on the cells from which types are inferred.
const (
	typeRows  = 500 // rows of a table
	typeChars = 64  // characters of a text
)

// setTypes replaces the declared types of a table's columns by Spider's, by the cells of its first rows too. For a table that
// cannot be read, only the declared types count. The error is the context's.
func (r *schemaReader) setTypes(ctx context.Context, t *dataset.Table) error {
	if r.file.Enforces() { // declared types hold, so no cells are read
		for i := range t.Columns {
			t.Columns[i].Type = ColumnType(string(t.Columns[i].Type), nil)
		}
		return nil
	}
	cells := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		q := sqldata.QuoteName(c.Original)
		// A blob or text may be larger than a query's answer can be.
		cells[i] = fmt.Sprintf("CASE typeof(%s) WHEN 'blob' THEN x'' WHEN 'text' THEN substr(%s, 1, %d) ELSE %s END", q, q, typeChars, q)
	}
	sql := fmt.Sprintf("SELECT %s FROM %s LIMIT %d", strings.Join(cells, ", "), sqldata.QuoteName(t.Original), typeRows)
	res, err := r.file.Query(ctx, sql, sqldata.Limits{})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		res = &sqldata.Result{}
	}
	for i := range t.Columns {
		column := lists.Map(res.Rows, func(row []sqldata.Value) sqldata.Value { return row[i] })
		t.Columns[i].Type = ColumnType(string(t.Columns[i].Type), column)
	}
	return nil
}

// declarations gives the type for a part of a declared type; the first part that fits counts.
// The order is that of the program that made Spider's tables.json, with the usual types of other
// engines.
var declarations = []struct {
	part string
	typ  dataset.Type
}{
	{"char", dataset.Text}, {"text", dataset.Text}, {"clob", dataset.Text}, {"string", dataset.Text}, {"enum", dataset.Text}, {"uuid", dataset.Text},
	{"interval", dataset.Time}, {"timestamp", dataset.Time}, {"point", dataset.Others},
	{"int", dataset.Number}, {"serial", dataset.Number}, {"num", dataset.Number}, {"dec", dataset.Number}, {"real", dataset.Number},
	{"doub", dataset.Number}, {"float", dataset.Number}, {"money", dataset.Number},
	{"date", dataset.Time}, {"time", dataset.Time}, {"year", dataset.Time},
	{"bool", dataset.Boolean},
}

// ColumnType returns the type of a column by its declared type, unless most of the given cells
// contradict it: SQLite stores any value in any column.
func ColumnType(declared string, cells []sqldata.Value) dataset.Type {
	k := &cellCounts{}
	for _, cell := range cells {
		k.add(cell)
	}
	declared = strings.ToLower(declared)
	for _, d := range declarations {
		if !strings.Contains(declared, d.part) {
			continue
		}
		notNumbers := d.typ == dataset.Number && 2*(k.words+k.dates) > k.all // more than half of the cells
		notTimes := d.typ == dataset.Time && 2*k.words > k.all
		if notNumbers || notTimes {
			return k.mostLikelyType()
		}
		return d.typ
	}
	if declared == "bit" && k.words+k.dates == 0 {
		return dataset.Boolean
	}
	return k.mostLikelyType()
}

// cellCounts counts the cells of a column that are not NULL by their form.
type cellCounts struct{ all, numbers, dates, booleans, words, blobs int }

// add counts a cell, unless it is NULL or blank text.
func (k *cellCounts) add(v sqldata.Value) {
	if v.IsNull() || v.Kind() == sqldata.Text && strings.TrimSpace(v.Bytes()) == "" {
		return
	}
	k.all++
	switch {
	case v.Kind() == sqldata.Blob:
		k.blobs++
	case v.Kind() != sqldata.Text:
		k.numbers++
	default:
		k.addText(strings.TrimSpace(v.Bytes()))
	}
}

// momentPattern matches a date, a time of day or both, as ISO 8601 and everyday use write them;
// months may be words.
var momentPattern = lazyregexp.New(`(?i)^(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})|\d{1,2}[- ][a-z]{3,9}[- ,]+\d{2,4}|[a-z]{3,9} \d{1,2},? \d{4})?([ T]?\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[ap]m)?( ?(z|utc|[+-]\d{2}:?\d{2}))?)?$`)

// codePattern matches digits that are no number, because a number would lose the zeros: "00737".
var codePattern = lazyregexp.New(`^0[0-9]+$`)

// addText counts a text by its form. A code such as "00737" counts as a word, because a number would lose its zeros.
func (k *cellCounts) addText(s string) {
	switch _, err := strconv.ParseFloat(s, 64); {
	case codePattern.MatchString(s):
		k.words++
	case err == nil:
		k.numbers++
	case momentPattern.MatchString(s):
		k.dates++
	case strings.EqualFold(s, "true"), strings.EqualFold(s, "false"):
		k.booleans++
	default:
		k.words++
	}
}

// mostLikelyType returns the type of a column from its cells alone; text without cells.
func (k *cellCounts) mostLikelyType() dataset.Type {
	switch {
	case k.all == 0:
		return dataset.Text
	case 2*k.blobs > k.all:
		return dataset.Others
	case k.booleans == k.all:
		return dataset.Boolean
	case k.numbers == k.all:
		return dataset.Number
	case k.dates == k.all:
		return dataset.Time
	}
	return dataset.Text
}
