package perturb_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// shelter is a schema with what can be split and merged: dogs have keepers, some have a chip.
func shelter() *dataset.Database {
	db := &dataset.Database{ID: "shelter", Tables: []dataset.Table{
		table("dog", "id", "id", "name", "name", "born", "born", "weight", "weight", "keeper_id", "keeper id"),
		table("keeper", "keeper_id", "keeper id", "first_name", "first name", "last_name", "last name"),
		table("chip", "dog_id", "dog id", "code", "code", "year", "year"),
	}}
	for _, ref := range []dataset.ColumnRef{{Table: 0, Column: 3}, {Table: 0, Column: 4}, {Table: 0}, {Table: 1}, {Table: 2}, {Table: 2, Column: 2}} {
		db.Column(ref).Type = dataset.Number
	}
	at := func(t, c int) dataset.ColumnRef { return dataset.ColumnRef{Table: t, Column: c} }
	db.PrimaryKeys = []dataset.ColumnRef{at(0, 0), at(1, 0), at(2, 0)}
	db.ForeignKeys = []dataset.ForeignKey{{Column: at(0, 4), Target: at(1, 0)}, {Column: at(2, 0), Target: at(0, 0)}}
	return db
}

// shelterFile writes rows for [shelter]: one dog has no keeper, and two have a chip.
func shelterFile(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "shelter.sqlite")
	n, s, null := sqldata.NewInt, sqldata.NewText, sqldata.Value{}
	rows := [][][]sqldata.Value{
		{
			{n(1), s("Rex"), s("2019-02-03"), n(20), n(1)}, {n(2), s("Bob"), s("2020-11-30"), n(5), n(2)},
			{n(3), s("Ada"), s("2021-01-01"), n(9), n(1)}, {n(4), s("Tim"), null, n(7), null},
		},
		{{n(1), s("Ann"), s("Lee Moor")}, {n(2), s("Eve"), s("Poe")}},
		{{n(1), s("X1"), n(2019)}, {n(3), s("X3"), n(2022)}},
	}
	if err := sqlite.Create(t.Context(), file, dataset.SQLiteTables(shelter()), rows); err != nil {
		t.Fatal(err)
	}
	return file
}

var (
	mergeNames   = perturb.MergeColumns{Table: "keeper", Columns: []string{"first_name", "last_name"}, Template: "%s %s", Name: "full_name", Natural: "full name", Type: dataset.Text}
	divideBirth  = perturb.DivideTable{Table: "dog", Key: "id", Columns: []string{"born", "weight"}, NewTable: "dog_birth", Natural: "dog birth"}
	mergeKeepers = perturb.MergeTables{
		Table: "dog", Column: "keeper_id", Reference: "keeper", Target: "keeper_id", Whole: true, Marker: "keeper_id",
		Columns: []perturb.MergedColumn{{"first_name", "keeper_first_name", "keeper first name"}, {"last_name", "keeper_last_name", "keeper last name"}},
	}
	mergeChips = perturb.MergeTables{
		Table: "dog", Column: "id", Reference: "chip", Target: "dog_id", Whole: true, Marker: "code", Unique: true,
		Columns: []perturb.MergedColumn{{"code", "code", "code"}, {"year", "chip_year", "chip year"}},
	}
)

// splitBorn splits the birthdays of [shelterFile].
var splitBorn = perturb.SplitColumn{Template: "%s-%s", RecodeColumn: perturb.RecodeColumn{Recoding: recode.Recoding{
	Table: "dog", Column: "born", Category: recode.TextToTexts,
	Into: []recode.Column{{Name: "born_year", Natural: "born year", Type: dataset.Text}, {Name: "born_day", Natural: "born day", Type: dataset.Text}},
	Map:  recode.Map{Cells: []recode.Cell{birthday("2019", "02-03"), birthday("2020", "11-30"), birthday("2021", "01-01")}},
}}}

// birthday returns a cell that comes apart into year and day.
func birthday(year, day string) recode.Cell {
	return recode.Cell{Old: sqldata.NewText(year + "-" + day), New: []sqldata.Value{sqldata.NewText(year), sqldata.NewText(day)}}
}

// TestReshape rewrites gold SQL for splits and merges and compares its answers before and after.
func TestReshape(t *testing.T) {
	before := shelterFile(t)
	for _, test := range []struct {
		edit       perturb.Edit
		gold, want string // "" where it is refused
	}{
		{splitBorn, "SELECT born, name FROM dog", "SELECT born_year || '-' || born_day, name FROM dog"},
		{splitBorn, "SELECT name FROM dog WHERE born != '2021-01-01' OR born IS NULL", "SELECT name FROM dog WHERE born_year != '2021' OR born_day != '01-01' OR born_year IS NULL"},
		{splitBorn, "SELECT name FROM dog WHERE born LIKE '%03'", "SELECT name FROM dog WHERE born_year || '-' || born_day LIKE '%03'"},
		{splitBorn, "SELECT name FROM dog WHERE weight > 6", "SELECT name FROM dog WHERE weight > 6"},
		{mergeNames, "SELECT first_name FROM keeper", "SELECT substr(full_name, 1, instr(full_name, ' ') - 1) FROM keeper"},
		{mergeNames, "SELECT T1.name FROM (SELECT first_name AS name FROM keeper) AS T1", "SELECT T1.name FROM (SELECT substr(full_name, 1, instr(full_name, ' ') - 1) AS name FROM keeper) AS T1"},
		{
			mergeNames, "SELECT last_name FROM (SELECT last_name FROM keeper) AS T1",
			"SELECT last_name FROM (SELECT substr(full_name, instr(full_name, ' ') + 1) AS last_name FROM keeper) AS T1",
		},
		{mergeNames, "SELECT * FROM keeper", ""},
		{mergeNames, "SELECT keeper_id FROM keeper WHERE last_name = 'Lee Moor' AND first_name = \"Ann\" AND keeper_id > 0", "SELECT keeper_id FROM keeper WHERE full_name = 'Ann Lee Moor' AND keeper_id > 0"},
		{
			mergeNames, "SELECT T1.name FROM dog AS T1 JOIN keeper AS T2 ON T1.keeper_id = T2.keeper_id WHERE T2.first_name = 'Eve' AND T1.weight < 9 AND T2.last_name = 'Poe'",
			"SELECT T1.name FROM dog AS T1 JOIN keeper AS T2 ON T1.keeper_id = T2.keeper_id WHERE T2.full_name = 'Eve Poe' AND T1.weight < 9",
		},
		{
			mergeNames, "SELECT keeper_id FROM keeper WHERE first_name = 'Ann Lee' AND last_name = 'Moor'",
			"SELECT keeper_id FROM keeper WHERE substr(full_name, 1, instr(full_name, ' ') - 1) = 'Ann Lee' AND substr(full_name, instr(full_name, ' ') + 1) = 'Moor'",
		},
		{mergeNames, "SELECT count(*) FROM keeper WHERE first_name > 1", ""},
		{divideBirth, "SELECT name FROM dog", "SELECT name FROM dog"},
		{divideBirth, "SELECT id, born FROM dog", "SELECT id, born FROM dog_birth"},
		{divideBirth, "SELECT name, born FROM dog ORDER BY id", "SELECT name, born FROM dog JOIN dog_birth ON dog.id = dog_birth.id ORDER BY dog.id"},
		{
			divideBirth, "SELECT T1.name FROM dog AS T1 JOIN keeper AS T2 ON T1.keeper_id = T2.keeper_id WHERE T1.weight > (SELECT avg(weight) FROM dog) OR T2.first_name = 'Eve'",
			"SELECT T1.name FROM dog AS T1 JOIN dog_birth AS T3 ON T1.id = T3.id JOIN keeper AS T2 ON T1.keeper_id = T2.keeper_id WHERE T3.weight > (SELECT avg(weight) FROM dog_birth) OR T2.first_name = 'Eve'",
		},
		{divideBirth, "SELECT T1.first_name, T2.weight FROM keeper AS T1 LEFT JOIN dog AS T2 ON T1.keeper_id = T2.keeper_id", ""},
		{mergeKeepers, "SELECT T1.name, T2.last_name FROM dog AS T1 JOIN keeper AS T2 ON T1.keeper_id = T2.keeper_id", "SELECT T1.name, T1.keeper_last_name FROM dog AS T1 WHERE T1.keeper_id IS NOT NULL"},
		{
			mergeKeepers, "SELECT T1.name FROM keeper AS T2 JOIN dog AS T1 ON T1.keeper_id = T2.keeper_id WHERE T2.first_name = 'Eve' OR T1.weight > 10",
			"SELECT T1.name FROM dog AS T1 WHERE (T1.keeper_first_name = 'Eve' OR T1.weight > 10) AND T1.keeper_id IS NOT NULL",
		},
		{
			mergeKeepers, "SELECT T3.code FROM chip AS T3 JOIN keeper AS T2 JOIN dog AS T1 ON T1.keeper_id = T2.keeper_id AND T3.dog_id = T1.id WHERE T2.first_name = 'Ann'",
			"SELECT T3.code FROM chip AS T3 JOIN dog AS T1 WHERE T1.keeper_first_name = 'Ann' AND T3.dog_id = T1.id",
		},
		{mergeKeepers, "SELECT count(*) FROM keeper", "SELECT count(DISTINCT keeper_id) FROM dog"},
		{mergeKeepers, "SELECT keeper_id, last_name FROM keeper", "SELECT DISTINCT keeper_id, keeper_last_name FROM dog WHERE keeper_id IS NOT NULL"},
		{mergeKeepers, "SELECT last_name FROM keeper WHERE keeper_id = 1", "SELECT DISTINCT keeper_last_name FROM dog WHERE keeper_id = 1"},
		{mergeKeepers, "SELECT max(last_name) FROM keeper WHERE first_name LIKE 'A%'", "SELECT max(keeper_last_name) FROM (SELECT DISTINCT keeper_id, keeper_last_name, keeper_first_name FROM dog WHERE keeper_id IS NOT NULL) WHERE keeper_first_name LIKE 'A%'"},
		{mergeKeepers, "SELECT keeper_id FROM keeper ORDER BY last_name", "SELECT keeper_id FROM (SELECT DISTINCT keeper_id, keeper_last_name FROM dog WHERE keeper_id IS NOT NULL) ORDER BY keeper_last_name"},
		{mergeKeepers, "SELECT name FROM dog", "SELECT name FROM dog"},
		{mergeChips, "SELECT code FROM chip WHERE year = 2019 OR year = 2022", "SELECT code FROM dog WHERE chip_year = 2019 OR chip_year = 2022"},
		{mergeChips, "SELECT code FROM chip WHERE year = 2019 OR dog_id = 3", "SELECT code FROM dog WHERE (chip_year = 2019 OR id = 3) AND code IS NOT NULL"},
		{mergeChips, "SELECT max(year), count(DISTINCT code) FROM chip", "SELECT max(chip_year), count(DISTINCT code) FROM dog"},
		{mergeChips, "SELECT max(year) FROM chip GROUP BY code", "SELECT max(chip_year) FROM dog WHERE code IS NOT NULL GROUP BY code"},
		{mergeChips, "SELECT count(*) FROM chip", "SELECT count(code) FROM dog"},
		{mergeChips, "SELECT T1.name, T2.year FROM dog AS T1, chip AS T2 WHERE T1.id = T2.dog_id", "SELECT T1.name, T1.chip_year FROM dog AS T1 WHERE T1.code IS NOT NULL"},
		{mergeChips, "SELECT count(*) FROM dog WHERE id NOT IN (SELECT dog_id FROM chip)", "SELECT count(*) FROM dog WHERE id NOT IN (SELECT id FROM dog WHERE code IS NOT NULL)"},
	} {
		edits := []perturb.Edit{test.edit}
		after, err := perturb.ApplySchema(shelter(), edits)
		if err != nil {
			t.Fatal(err)
		}
		ex := example(t, shelter(), test.gold)
		got, err := perturb.RewriteGold(ex, edits, after)
		if _, refused := errors.AsType[*perturb.Refusal](err); err != nil && !refused || got != test.want {
			t.Errorf("%s under %s\n got %s, %v\nwant %s", test.gold, perturb.Op(test.edit), got, err, test.want)
		}
		if err != nil {
			continue
		}
		file := filepath.Join(t.TempDir(), "after.sqlite")
		if err := perturb.ApplyContent(t.Context(), before, file, edits); err != nil {
			t.Fatal(err)
		}
		if was, is := perturbtest.Query(t, before, test.gold), perturbtest.Query(t, file, got); !perturb.Holds(ex.Gold, was, is) {
			t.Errorf("%s answers %v, expected %v", got, is.Rows, was.Rows)
		}
	}
}

// TestReshapeLoses has splits and merges that would lose cells or rows: the file refuses them, in a copy and in a draft.
func TestReshapeLoses(t *testing.T) {
	file := shelterFile(t)
	unmarked, unique, years := mergeKeepers, mergeKeepers, mergeNames
	unmarked.Marker, unique.Unique = "", true
	years.Table, years.Columns = "chip", []string{"code", "year"} // a number comes back as a text
	others := perturb.MergeTables{Table: "chip", Column: "dog_id", Reference: "dog", Target: "id", Whole: true, Unique: true}
	for _, name := range []string{"name", "born", "weight", "keeper_id"} {
		others.Columns = append(others.Columns, perturb.MergedColumn{Column: name, Name: "dog_" + name, Natural: "dog " + name})
	}
	blanks := mergeNames
	blanks.Columns = []string{"last_name", "first_name"}
	for _, test := range []struct {
		edit perturb.Edit
		want string
	}{
		{unmarked, "rows of dog refer to nothing"},
		{unique, "rows of dog repeat keeper_id"},
		{years, "cells of chip.year would not come back from full_name"},
		{blanks, "cells of keeper.last_name would not come back from full_name"},
		{others, "rows of dog have none in chip"},
	} {
		edits := []perturb.Edit{test.edit}
		if _, err := perturb.ApplySchema(shelter(), edits); err != nil {
			t.Error(err)
		}
		err := perturb.ApplyContent(t.Context(), file, filepath.Join(t.TempDir(), "after.sqlite"), edits)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("copy: %v, want %q", err, test.want)
		}
		if _, err := perturb.DraftContent(t.Context(), file, edits); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("draft: %v, want %q", err, test.want)
		}
	}
	for _, template := range []perturb.Template{"%", "%x %s", "%s", "%s%s%s", "%s%s", "%d-%d-%d"} {
		e := mergeNames
		e.Template = template
		if _, err := perturb.ApplySchema(shelter(), []perturb.Edit{e}); err == nil {
			t.Errorf("template %q is taken, want an error", template)
		}
	}
	if _, err := perturb.RewriteGold(example(t, shelter(), "SELECT name FROM dog"), []perturb.Edit{divideBirth, mergeNames}, shelter()); err == nil {
		t.Error("two splits or merges at once are taken, want an error")
	}
}
