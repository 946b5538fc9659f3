package recode_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// school is a schema with columns for every kind of map.
func school() *dataset.Database {
	text := func(name string) dataset.Column {
		return dataset.Column{Name: name, Original: name, Type: dataset.Text}
	}
	number := func(name string) dataset.Column {
		return dataset.Column{Name: name, Original: name, Type: dataset.Number}
	}
	return &dataset.Database{
		ID: "school",
		Tables: []dataset.Table{
			{Name: "student", Original: "student", Columns: []dataset.Column{
				text("name"), number("id"), text("sex"), number("age"), text("since"), text("degree"), number("height"),
			}},
			{Name: "pet", Original: "pet", Columns: []dataset.Column{
				number("id"), number("owner"), text("called"), number("years"), text("kind"),
			}},
		},
		PrimaryKeys: []dataset.ColumnRef{{Table: 0, Column: 1}, {Table: 1, Column: 0}},
		ForeignKeys: []dataset.ForeignKey{{Column: dataset.ColumnRef{Table: 1, Column: 1}, Target: dataset.ColumnRef{Table: 0, Column: 1}}},
	}
}

var schoolRows = [][][]any{
	{
		{"Ann Lee", 1, "F", 20, "2014", "BA", 1.62},
		{"Ann Moe", 2, "F", 23, "2015", "MA", nil},
		{"Bob Lee", 3, "M", 20, "2014", "PhD", 1.8},
		{"Cy O'Hara", 4, "M", 31, "2019", nil, 1.75},
		{nil, 5, "F", 27, "2016", "BA", 1.62},
	},
	{
		{1, 1, "Bob Lee", 3, "cat"},
		{2, 1, "Rex", 20, "dog"},
		{3, 4, "Ann Moe", 8, "cat"},
	},
}

// schoolFile writes the rows of [school] to a SQLite file.
func schoolFile(tb testing.TB) string {
	tb.Helper()
	rows := make([][][]sqldata.Value, len(schoolRows))
	for t, table := range schoolRows {
		for _, row := range table {
			cells := make([]sqldata.Value, len(row))
			for i, v := range row {
				cells[i] = value(v)
			}
			rows[t] = append(rows[t], cells)
		}
	}
	path := filepath.Join(tb.TempDir(), "school.sqlite")
	if err := sqlite.Create(tb.Context(), path, dataset.SQLiteTables(school()), rows); err != nil {
		tb.Fatal(err)
	}
	return path
}

func value(v any) sqldata.Value {
	switch v := v.(type) {
	case int:
		return sqldata.NewInt(int64(v))
	case float64:
		return sqldata.NewFloat(v)
	case string:
		return sqldata.NewText(v)
	}
	return sqldata.Value{}
}

// cells returns a map from rows of the old value and the new ones.
func cells(rows ...[]any) recode.Map {
	var m recode.Map
	for _, row := range rows {
		c := recode.Cell{Old: value(row[0])}
		for _, v := range row[1:] {
			c.New = append(c.New, value(v))
		}
		m.Cells = append(m.Cells, c)
	}
	return m
}

func linear(scale, offset, over int64, digits int) recode.Map {
	return recode.Map{Linear: &recode.Linear{Scale: scale, Offset: offset, Over: over, Digits: digits}}
}

// recode returns an edit into columns given as "name type".
func recoding(table, column string, category recode.Category, m recode.Map, into ...string) perturb.RecodeColumn {
	e := perturb.RecodeColumn{Recoding: recode.Recoding{Table: table, Column: column, Category: category, Map: m}}
	for _, s := range into {
		name, typ, _ := strings.Cut(s, " ")
		e.Into = append(e.Into, recode.Column{Name: name, Natural: name, Type: dataset.Type(typ)})
	}
	return e
}

// The recodings that the tests use; they hold all values of [schoolRows].
var (
	names = cells([]any{"Ann Lee", "Ann", "Lee"}, []any{"Ann Moe", "Ann", "Moe"}, []any{"Bob Lee", "Bob", "Lee"},
		[]any{"Cy O'Hara", "Cy", "O'Hara"}, []any{"Rex", "Rex", ""})
	split   = recoding("student", "name", recode.TextToTexts, names, "fname text", "lname text")
	called  = recoding("pet", "called", recode.TextToTexts, names, "call_first text", "call_last text")
	swapped = recoding("student", "name", recode.TextToTexts, cells([]any{"Ann Lee", "Lee", "Ann"}, []any{"Ann Moe", "Moe", "Ann"},
		[]any{"Bob Lee", "Lee", "Bob"}, []any{"Cy O'Hara", "O'Hara", "Cy"}), "lname text", "fname text")
	female  = recoding("student", "sex", recode.TextToBoolean, cells([]any{"F", 1}, []any{"M", 0}), "is_female boolean")
	male    = recoding("student", "sex", recode.TextToBoolean, cells([]any{"F", 0}, []any{"M", 1}), "is_male boolean")
	birth   = recoding("student", "age", recode.NumberToNumber, linear(-1, 2018, 0, 0), "birth number")
	months  = recoding("student", "age", recode.NumberToNumber, linear(12, 0, 0, 0), "months number")
	petAge  = recoding("pet", "years", recode.NumberToNumber, linear(-1, 2018, 0, 0), "pet_birth number")
	ago     = recoding("student", "since", recode.NumberToNumber, linear(-1, 2018, 0, 4), "ago number")
	degrees = recoding("student", "degree", recode.TextToBooleans,
		cells([]any{"BA", 1, 0, 0}, []any{"MA", 0, 1, 0}, []any{"PhD", 0, 0, 1}), "is_ba boolean", "is_ma boolean", "is_phd boolean")
	mixed = recoding("student", "degree", recode.BooleanToText, cells([]any{"BA", "second"}, []any{"MA", "first"}, []any{"PhD", "third"}), "rank text")
	cm    = recoding("student", "height", recode.NumberToNumber, linear(100, 0, 0, 0), "cm number")
	milli = recoding("student", "height", recode.NumberToNumber, linear(1, 0, 1000, 0), "km number")
	kinds = recoding("pet", "kind", recode.TextToBooleans, cells([]any{"cat", 1, 0}, []any{"dog", 0, 1}), "is_cat boolean", "is_dog boolean")
	dates = recoding("student", "since", recode.TextToTexts, cells([]any{"2014", 20, 14}, []any{"2015", 20, 15}, []any{"2016", 20, 16}, []any{"2019", 20, 19}),
		"century number", "year number")
)

func example(t *testing.T, db *dataset.Database, query string) *perturb.Example {
	t.Helper()
	ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Query: query})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return ex
}
