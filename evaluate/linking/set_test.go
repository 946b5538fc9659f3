package linking

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/adveta"
	"github.com/tabperturb/tabperturb/benchmark/drspider/database"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestCarry(t *testing.T) {
	links := []Link{column(0, "singer", "Name"), column(1, "Stadium", "NAME"), column(2, "singer", "Age"), toTable(3, "singer")}
	for _, test := range []struct {
		name  string
		edits []perturb.Edit
		want  []Link
	}{
		{"nothing", nil, links},
		{"a column is renamed in its table alone", []perturb.Edit{perturb.RenameColumn{Table: "Singer", Column: "name", Name: "Title"}},
			[]Link{column(0, "singer", "Title"), links[1], links[2], links[3]}},
		{"two columns swap names", []perturb.Edit{perturb.RenameColumn{Table: "singer", Column: "Name", Name: "Age"}, perturb.RenameColumn{Table: "singer", Column: "Age", Name: "Name"}},
			[]Link{column(0, "singer", "Age"), links[1], column(2, "singer", "Name"), links[3]}},
		{"a column is added", []perturb.Edit{perturb.AddColumn{Table: "singer", Beside: "Age", Name: "Years"}}, links},
		{"a table is renamed, and its columns' links with it", []perturb.Edit{perturb.RenameTable{Table: "SINGER", Name: "artist"}},
			[]Link{column(0, "artist", "Name"), links[1], column(2, "artist", "Age"), toTable(3, "artist")}},
		{"a table and a column of it are renamed, the table first", []perturb.Edit{perturb.RenameTable{Table: "singer", Name: "artist"}, perturb.RenameColumn{Table: "singer", Column: "name", Name: "Title"}},
			[]Link{column(0, "artist", "Title"), links[1], column(2, "artist", "Age"), toTable(3, "artist")}},
		{"two tables swap names", []perturb.Edit{perturb.RenameTable{Table: "singer", Name: "Stadium"}, perturb.RenameTable{Table: "stadium", Name: "singer"}},
			[]Link{column(0, "Stadium", "Name"), column(1, "singer", "NAME"), column(2, "Stadium", "Age"), toTable(3, "Stadium")}},
		{"natural names change", []perturb.Edit{perturb.Relabel{Table: "singer", Natural: "artist"}, perturb.Relabel{Table: "singer", Column: "Name", Natural: "full name"}}, links},
		{"a table's name is no column's", []perturb.Edit{perturb.RenameColumn{Table: "singer", Column: "", Name: "x"}}, links},
	} {
		before := slices.Clone(links)
		got, err := Carry(links, test.edits)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, %v, want %v", test.name, got, err, test.want)
		}
		if !slices.Equal(links, before) {
			t.Fatalf("%s: links are changed in place", test.name)
		}
	}
	if _, err := Carry(links, []perturb.Edit{perturb.DropColumn{Table: "singer", Column: "Age"}}); err == nil {
		t.Error("links are carried through a dropped column, want an error")
	}
}

// names are candidates for the sample's farms.
func names() dataset.Buckets {
	of := func(names ...string) (list []dataset.Candidate) {
		for _, n := range names {
			list = append(list, dataset.Candidate{Name: n, Source: "written"})
		}
		return list
	}
	id := func(table, column string) dataset.ColumnID {
		return dataset.ColumnID{DB: "hill_farms", Table: table, Column: column}
	}
	return dataset.Buckets{
		id("farms", "farm_name"):     {Replace: of("estate title"), Add: of("name", "farm motto")},
		id("farms", "owner"):         {Replace: of("proprietor"), Add: of("tenant")},
		id("farms", "village"):       {Replace: of("hamlet", "settlement"), Add: of("county", "village founder")},
		id("farms", "area_ha"):       {Replace: of("size"), Add: of("height")},
		id("farms", "is_organic"):    {Replace: of("certified"), Add: of("fenced")},
		id("crops", "crop_name"):     {Replace: of("plant"), Add: of("crop colour")},
		id("crops", "crop_type"):     {Replace: of("kind"), Add: of("season")},
		id("crops", "price_per_kg"):  {Replace: of("cost"), Add: of("yield per hectare")},
		id("crops", "sowing_month"):  {Replace: of("seeding time"), Add: of("reaping month")},
		id("harvests", "qty_kg"):     {Replace: of("amount"), Add: of("kilogram")},
		id("harvests", "grade"):      {Replace: of("quality"), Add: of("moisture")},
		id("harvests", "harvest_id"): {Replace: of("number"), Add: of("weather")},
	}
}

// farms is the sample with its gold links, and a build from it.
func farms(t *testing.T) (original *Set, build string) {
	t.Helper()
	data := t.TempDir()
	if err := sample.WriteData(context.Background(), data); err != nil {
		t.Fatal(err)
	}
	units := slices.DeleteFunc(readUnits(t, data), func(u *dataset.Unit) bool { return u.DB.ID != "hill_farms" })
	build = filepath.Join(t.TempDir(), "build")
	_, err := benchmark.Build(context.Background(), units, build, benchmark.Config{
		Perturbations: slices.Concat(adveta.All, database.All), Buckets: names(),
		Resources: perturb.Resources{Dictionary: lexicon.DefaultDictionary(), Abbreviations: lexicon.DefaultAbbreviations()},
		Samples:   2, Seed: 1, Workers: 1, Split: "dev",
		Report: func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	split := NewSplit(units)
	original, err = NewSet("dev", split, ReadGold(filepath.Join("testdata", "gold.jsonl"), split, Options{}), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return original, build
}

func readUnits(t *testing.T, dir string) []*dataset.Unit {
	t.Helper()
	fail := func(err error) { t.Error(err) }
	units, err := dataset.Units(dir, "dev", fail)
	if err != nil {
		t.Fatal(err)
	}
	return units
}

func carried(t *testing.T, original *Set, build, name string) *Set {
	t.Helper()
	post := NewSplit(readUnits(t, filepath.Join(build, filepath.FromSlash(name), "post")))
	set, err := original.Carry(name, post, filepath.Join(build, benchmark.RecordsFile), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestBuild has what becomes of gold links in a build from the sample.
func TestBuild(t *testing.T) {
	original, build := farms(t)
	t.Run("carry", func(t *testing.T) { testCarry(t, original, build) })
	t.Run("refuse", func(t *testing.T) { testRefuse(t, original, build) })
	t.Run("measure", func(t *testing.T) {
		golden(t, "farms", measure(t, original, carried(t, original, build, "adveta/replace"), carried(t, original, build, "adveta/add")))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Measure(ctx, link.Methods(lexicon.Default())[0], original); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want that the context is cancelled", err)
		}
	})
}

// testCarry checks that a carried link stands at the same place of the schema,
// under a new name where the table or column was renamed.
func testCarry(t *testing.T, original *Set, build string) {
	if original.Len() != 14 {
		t.Fatalf("%d questions with gold, want 14", original.Len())
	}
	db := original.Split.Units[0].DB
	for name, want := range map[string]struct {
		tables, columns bool // whether there are links to what is renamed
		least           int
	}{
		"adveta/replace":               {false, true, 15},
		"adveta/add":                   {false, false, 15},
		"drspider/schema-synonym":      {false, true, 15},
		"drspider/schema-abbreviation": {false, true, 1},
	} {
		set := carried(t, original, build, name)
		if set.Len() < want.least || set.Len() != set.Split.Len() {
			t.Fatalf("%s: %d of %d questions have gold, want %d or more and all", name, set.Len(), set.Split.Len(), want.least)
		}
		tables, columns := 0, 0
		for index, c := range set.cases {
			post := set.Split.questions[index].db
			before := original.cases[c.origin].links
			for i, l := range c.links {
				if post.Table(l.Table) != db.Table(before[i].Table) || l.Token != before[i].Token {
					t.Errorf("%s: record %d links to %s, want the table that was %s", name, index, l.name(), before[i].name())
				}
				if l.Table != before[i].Table {
					tables++
				}
				if l.Column == "" {
					continue
				}
				at, ok := post.Lookup(l.Table, l.Column)
				was, _ := db.Lookup(before[i].Table, before[i].Column)
				if !ok || at != was {
					t.Errorf("%s: record %d links to %s, want the column that was %s", name, index, l.name(), before[i].name())
				}
				if l.Column != before[i].Column {
					columns++
				}
			}
		}
		if want.tables != (tables > 0) || want.columns != (columns > 0) {
			t.Errorf("%s: %d links to renamed tables, %d to renamed columns", name, tables, columns)
		}
		perfect := func(_ func(error), each func(*Example) error) error {
			for index, c := range set.cases {
				if err := each(&Example{Index: index, Links: c.links}); err != nil {
					return err
				}
			}
			return nil
		}
		tally, missing, err := set.Score(perfect, nil)
		if err != nil || missing != 0 || tally.Columns.F1() != 1 || tally.Tables.F1() != 1 || len(tally.Databases()) != 1 || tally.Databases()[0].DB != "hill_farms" {
			t.Errorf("%s: gold against itself: %+v, %d missing, %v", name, tally, missing, err)
		}
	}
}

// testRefuse checks that records that do not fit are skipped one by one.
func testRefuse(t *testing.T, original *Set, build string) {
	post := carried(t, original, build, "adveta/replace").Split
	records := filepath.Join(build, benchmark.RecordsFile)
	if _, err := original.Carry("adveta/rename", post, records, nil); err == nil || !strings.Contains(err.Error(), "no record of adveta/rename has gold links") {
		t.Errorf("an unknown perturbation: %v", err)
	}
	if _, err := original.Carry("adveta/replace", post, filepath.Join(build, "manifest.json"), nil); err == nil {
		t.Error("no parquet: want an error")
	}
	for name, change := range map[string]func(*dataset.Record){
		`db_id_pre is "other"`:      func(r *dataset.Record) { r.DBPre = "other" },
		"the question is perturbed": func(r *dataset.Record) { r.QuestionPost = "another" },
		`edit 0: "edit" is "swap"`:  func(r *dataset.Record) { r.Edits = `[{"edit":"swap"}]` },
		"link to farms.":            func(r *dataset.Record) { r.Edits = `[]` },
		`db_id "x", expected`:       func(r *dataset.Record) { r.DBPost = "x" },
	} {
		path := filepath.Join(t.TempDir(), "records.parquet")
		changeSecond(t, records, path, change)
		var skipped []string
		set, err := original.Carry("adveta/replace", post, path, func(err error) { skipped = append(skipped, err.Error()) })
		if err != nil {
			t.Fatal(err)
		}
		if len(skipped) != 1 || !strings.HasPrefix(skipped[0], path+":2: "+name) || set.Len() != post.Len()-1 {
			t.Errorf("%s: skipped %q, %d of %d left", name, skipped, set.Len(), post.Len())
		}
	}
}

// changeSecond copies records with the second one changed: its gold links to a
// column that is renamed.
func changeSecond(t *testing.T, from, to string, change func(*dataset.Record)) {
	t.Helper()
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	w := recordfile.NewWriter(f)
	n := 0
	for r, err := range streamtest.AllOfPlainFile(recordfile.Read, from) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 2 {
			change(&r)
		}
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestScore checks what becomes of questions without a usable prediction.
func TestScore(t *testing.T) {
	t.Chdir(t.TempDir())
	split := pets()
	text := `{"index":0,"db_id":"pets","links":[{"token":1,"table":"Pets"}]}` + "\n" + `{"index":2,"db_id":"pets","links":[{"token":1,"table":"Student","column":"Age"}]}`
	set, err := NewSet("dev", split, gold(t, text, split, Options{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	pred := text[:strings.Index(text, "\n")] + "\nbad\n"
	skipped := 0
	tally, missing, err := set.Score(gold(t, pred, split, Options{}), func(error) { skipped++ })
	if err != nil || skipped != 1 || missing != 1 || tally.Tables != (Counts{1, 1, 1}) || tally.Columns != (Counts{1, 0, 0}) || tally.Questions != 2 {
		t.Errorf("%+v, %d missing, %d skipped, %v", tally, missing, skipped, err)
	}
	if _, err := NewSet("dev", split, gold(t, "[]", split, Options{}), nil); err == nil {
		t.Error("no gold: want an error")
	}
}

// TestSpiderDev has the figures of all linkers on Spider dev, with SLSQL's links
// as gold.
func TestSpiderDev(t *testing.T) {
	split := spider(t)
	gold, err := NewSet("dev", split, ReadGold(shared.File(t, "data", "slsql", "spider_ant_dev.json.gz"), split, Options{}), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "spider_dev", measure(t, gold))
}

func measure(t *testing.T, original *Set, perturbed ...*Set) string {
	t.Helper()
	var rows []Row
	for _, m := range link.Methods(lexicon.Default()) {
		r, err := Measure(context.Background(), m, original, perturbed...)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r...)
	}
	var b strings.Builder
	if err := WriteTable(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
