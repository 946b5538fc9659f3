package formats

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// TestSpiderKeepsEverything writes a set with every feature to a data directory, and
// reads it back.
func TestSpiderKeepsEverything(t *testing.T) {
	db := database("one", "shop", "owner")
	db.Tables[0].Caption, db.Source = "Shops", json.RawMessage(`{"a":1.0}`)
	db.Tables[0].Columns = append(db.Tables[0].Columns, dataset.Column{
		Name: "name number", Original: "Name_number", Type: dataset.Number, Base: "Name", Header: "Näme (no.)", Description: "counts", Values: "1: one",
	})
	db.PrimaryKeys = []dataset.ColumnRef{{Table: 0, Column: 0}}
	db.ForeignKeys = []dataset.ForeignKey{{Column: dataset.ColumnRef{Table: 0, Column: 0}, Target: dataset.ColumnRef{Table: 1, Column: 0}}}
	first := turn(1, 1, "First?", "SELECT Name FROM shop")
	first.ID, first.Evidence, first.Difficulty, first.Source = "nt-1", "names", "simple", json.RawMessage(`["é"]`)
	first.Further = []dataset.Member{{Key: "type", Value: json.RawMessage("0")}}
	last := turn(1, 2, "Last?", "SELECT count(*) FROM shop")
	last.Final = &dataset.Example{DB: "one", Question: "All of it?", Query: "SELECT count(*) FROM shop"}
	other := turn(2, 1, "Other?", "SELECT Name FROM owner")
	other.Answer = []string{"Ann", ""}
	out := filepath.Join(t.TempDir(), "out")
	if _, err := Convert(t.Context(), newSet([]any{db}, []any{first, last, other}), Spider, out, Options{}); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, out, "dev_gold.sql"), "SELECT Name FROM shop\tone\nSELECT count(*) FROM shop\tone\n\nSELECT Name FROM owner\tone\n"; got != want {
		t.Errorf("gold lines %q, expected %q", got, want)
	}
	set, err := Spider.Read(t.Context(), out, "dev")
	if err != nil {
		t.Fatal(err)
	}
	var features []dataset.Feature
	for got, err := range streamtest.All(set.Databases) {
		if err != nil {
			t.Fatal(err)
		}
		features = append(features, got.Features()...)
		got.Source, got.Record = untagSource("other", got.Source), nil
		if diff := cmp.Diff(db, got, sameSource); diff != "" {
			t.Errorf("schema (-want +got):\n%s", diff)
		}
	}
	want := []*dataset.Example{first, last, other}
	for ex, err := range streamtest.All(set.Examples) {
		if err != nil {
			t.Fatal(err)
		}
		features = append(features, ex.Features()...)
		ex.Source, ex.Record = untagSource("other", ex.Source), nil
		want[ex.Index].Index, want[ex.Index].Tokens = ex.Index, ex.Tokens
		if diff := cmp.Diff(want[ex.Index], ex, sameSource); diff != "" {
			t.Errorf("example (-want +got):\n%s", diff)
		}
	}
	for _, f := range dataset.AllFeatures {
		if f != dataset.Rows && !slices.Contains(features, f) {
			t.Errorf("the set has no %s, expected all features", f)
		}
	}
}

var sameSource = cmp.Comparer(func(a, b json.RawMessage) bool {
	return len(a) == 0 && len(b) == 0 || dataset.SameJSON(a, b)
})

func TestSpiderContent(t *testing.T) {
	set := newSet([]any{database("one", "shop"), database("none", "shop"), database("../out", "shop")}, []any{
		example("one", "Who?", "SELECT Name FROM shop"), example("../out", "Where?", "SELECT Name FROM shop"),
	})
	set.Rows = func(_ context.Context, db *dataset.Database, each func([]sqldata.Value) error) error {
		if db.ID == "none" {
			return nil
		}
		return each([]sqldata.Value{sqldata.NewText("Ann")})
	}
	dir := t.TempDir()
	var told []string
	_, err := Convert(t.Context(), set, Spider, filepath.Join(dir, "a"), Options{Report: func(err error) { told = append(told, err.Error()) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 2 || !strings.Contains(told[0], `other:3: db_id is "../out"`) || !strings.Contains(told[1], `dev:1: db_id "../out" is unknown`) {
		t.Errorf("reported %q, expected the db_id that is no folder's, and its example", told)
	}
	again, err := Spider.Read(t.Context(), filepath.Join(dir, "a"), "dev")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Convert(t.Context(), again, Spider, filepath.Join(dir, "b"), Options{}); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"a", "b"} {
		names, err := filepath.Glob(filepath.Join(dir, out, "database", "*"))
		if err != nil || len(names) != 1 {
			t.Errorf("%s: databases %v, error %v; expected the one that has content", out, names, err)
		}
	}
	path := func(out string) string { return dataset.SQLitePath(filepath.Join(dir, out), "one") }
	if a, b := read(t, path("a")), read(t, path("b")); a != b {
		t.Error("content is not the same after a second conversion")
	}
	db, err := sqlite.Open(t.Context(), path("b"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	res, err := db.Query(t.Context(), "SELECT Name FROM shop", sqldata.Limits{})
	if err != nil || len(res.Rows) != 1 || res.Rows[0][0].String() != "Ann" {
		t.Errorf("rows %v, error %v; expected Ann", res, err)
	}
}

// TestSpiderBadContent has a SQLite file that is none: the rest is done.
func TestSpiderBadContent(t *testing.T) {
	dir := t.TempDir()
	write(t, []byte("no database"), dir, "one.sqlite")
	broken := database("one", "shop")
	broken.SQLite = filepath.Join(dir, "one.sqlite")
	set := newSet([]any{broken, database("two", "shop")}, []any{example("one", "Who?", "SELECT Name FROM shop")})
	var told []string
	out := filepath.Join(dir, "out")
	sum, err := Convert(t.Context(), set, Spider, out, Options{Report: func(err error) { told = append(told, err.Error()) }})
	if err != nil || sum.Databases != 2 || sum.Skipped != 1 {
		t.Fatalf("%+v, error %v; expected two databases and one record skipped", sum, err)
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], broken.SQLite+": content is left out: ") || strings.Contains(told[0], "\n") {
		t.Errorf("reported %q, expected one line about the file", told)
	}
	if left, _ := filepath.Glob(filepath.Join(out, "database", "*")); len(left) > 0 {
		t.Errorf("%v are left, expected none", left)
	}
}

func TestSpiderGold(t *testing.T) {
	unanswered := example("one", "Who?", "")
	unanswered.Answer = []string{"Ann"}
	onLines := example("one", "What?", "SELECT 'a\nb'")
	set := newSet([]any{database("one", "shop")}, []any{example("one", "Why?", "SELECT Name\nFROM shop"), unanswered, onLines})
	out := filepath.Join(t.TempDir(), "out")
	got, err := Convert(t.Context(), set, Spider, out, Options{Lossy: true})
	if err != nil || got.Examples != 2 || len(got.LeftOut) != 1 || got.LeftOut[0].What != dataset.RefuseGold(onLines.Query).Error() {
		t.Fatalf("summary %+v, error %v; expected the SQL with a line break in a literal left out", got, err)
	}
	if _, err := os.Stat(filepath.Join(out, "dev_gold.sql")); err == nil {
		t.Error("there are gold lines although an example has no gold SQL")
	}
}

func write(t *testing.T, data []byte, elem ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(elem...), data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestSpiderRoundTrip converts the beginning of Spider dev to itself: what is in the
// files, and the tokens and parsed SQL that are made anew, keep their values.
func TestSpiderRoundTrip(t *testing.T) {
	dir := t.TempDir()
	write(t, []byte(read(t, shared.File(t, "data", "spider", "tables.json"))), dir, "tables.json")
	write(t, firstElements(t, []byte(read(t, shared.File(t, "data", "spider", "dev.json"))), 60), dir, "dev.json")
	set, err := Spider.Read(t.Context(), dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if _, err := Convert(t.Context(), set, Spider, out, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tables.json", "dev.json"} {
		if !dataset.SameJSON(json.RawMessage(read(t, dir, name)), json.RawMessage(read(t, out, name))) {
			t.Errorf("%s: values differ after the round trip", name)
		}
	}
}

// firstElements returns the first n elements of an array.
func firstElements(t *testing.T, data []byte, n int) []byte {
	t.Helper()
	var all []json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return slices.Concat([]byte("["), bytes.Join(rawBytes(all[:min(n, len(all))]), []byte(",")), []byte("]"))
}

func rawBytes(list []json.RawMessage) (out [][]byte) {
	for _, raw := range list {
		out = append(out, raw)
	}
	return out
}
