package interaction_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/dataset/interaction"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// compact returns the JSON of a file, plain or gzip, without its blanks.
func compact(t *testing.T, path string) string {
	t.Helper()
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	var raw, out bytes.Buffer
	if _, err := raw.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	if err := json.Compact(&out, raw.Bytes()); err != nil {
		t.Fatal(path, err)
	}
	return out.String()
}

// folder links the files of a data set into one folder.
func folder(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	for file, from := range map[string]string{
		"tables.json.gz": shared.File(t, "data", "sparc", "tables.json.gz"),
		"dev.json.gz":    shared.File(t, "data", name, "dev.json.gz"),
	} {
		if err := os.Symlink(from, filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// copied reads a data set and writes it as the format has it.
func copied(t *testing.T, from *dataset.Format, dir string, to *dataset.Format) string {
	t.Helper()
	set, err := from.Read(t.Context(), dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	skipped := func(err error) {
		if !dataset.IsNote(err) {
			t.Error(err)
		}
	}
	if _, err := formats.Convert(t.Context(), set, to, out, formats.Options{Lossy: true, Report: skipped}); err != nil {
		t.Fatal(err)
	}
	return out
}

// The format reads and writes back what it read, through a data directory too.
func TestRoundTrip(t *testing.T) {
	shared.Quality(t)
	for _, f := range []*dataset.Format{interaction.SParC, interaction.CoSQL} {
		t.Run(f.Name, func(t *testing.T) {
			dir := folder(t, f.Name)
			direct := copied(t, f, dir, f)
			pivot := copied(t, formats.Spider, copied(t, f, dir, formats.Spider), f)
			for _, out := range []string{direct, pivot} {
				for _, file := range []string{"dev.json", "tables.json"} {
					want, got := compact(t, filepath.Join(dir, file+".gz")), compact(t, filepath.Join(out, file))
					if want != got {
						at := 0
						for at < min(len(want), len(got)) && want[at] == got[at] {
							at++
						}
						t.Errorf("%s: %d bytes, expected %d; from %d on %.80q, expected %.80q", file, len(got), len(want), at, got[at:], want[at:])
					}
				}
			}
			if f == interaction.CoSQL {
				return // its gold file has another order
			}
			got, err := os.ReadFile(filepath.Join(direct, "dev_gold.txt"))
			want, err2 := os.ReadFile(shared.File(t, "data", f.Name, "dev_gold.txt"))
			if err := errors.Join(err, err2); err != nil || !bytes.Equal(got, want) {
				t.Errorf("dev_gold.txt differs; %v", err)
			}
		})
	}
}

// The schema and the interactions of a small data set, with blanks and members of
// their own.
const (
	smallTables = `[{"db_id": "zoo", "table_names": ["animal"], "table_names_original": ["Animal"], "extra": 1.50,
 "column_names": [[-1, "*"], [0, "id"], [0, "name"]], "column_names_original": [[-1, "*"], [0, "Id"], [0, "Name"]],
 "column_types": ["text", "number", "text"], "primary_keys": [[1]], "foreign_keys": []}]`
	firstTurn = `{"query":"SELECT  Name FROM Animal","utterance":"Which animals?","utterance_toks":["Which","animals","?"],"note":"\u00e9","sql":` +
		`{"from":{"table_units":[["table_unit",0]],"conds":[]},"select":[false,[[0,[0,[0,2,false],null]]]],"where":[],"groupBy":[],"having":[],` +
		`"orderBy":[],"limit":null,"intersect":null,"union":null,"except":null}}`
	secondTurn       = `{"query":"SELECT count(*) FROM Animal","query_toks":["my","tokens"],"utterance":"How many?"}`
	smallInteraction = `{"interaction_id":7,"interaction":[` + firstTurn + `,` + secondTurn + `],"database_id":"zoo","final":{"query":"SELECT count(*) FROM Animal","utterance":"How many animals?"}}`
)

// small is a data set with these interactions.
func small(t *testing.T, interactions string) *dataset.Set {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"tables.json": smallTables, "dev.json": interactions} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	set, err := interaction.SParC.Read(t.Context(), dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// written returns the split and the lines of gold SQL that are written of a set, with
// what was left out.
func written(t *testing.T, set *dataset.Set) (split, gold string, left []string) {
	t.Helper()
	dir := t.TempDir()
	err := interaction.SParC.Write(t.Context(), set, dir, func(err error) { left = append(left, filepath.Base(err.Error())) })
	if err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(filepath.Join(dir, "dev_gold.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return compact(t, filepath.Join(dir, "dev.json")), string(lines), left
}

// changed returns the set with changes made to schemas and examples as they pass.
func changed(set *dataset.Set, schema func(*dataset.Database), example func(*dataset.Example)) *dataset.Set {
	c := *set
	c.Databases = streamtest.Of(func(yield func(*dataset.Database, error) bool) {
		for db, err := range streamtest.All(set.Databases) {
			if err == nil {
				schema(db)
			}
			if !yield(db, err) {
				return
			}
		}
	})
	c.Examples = streamtest.Of(func(yield func(*dataset.Example, error) bool) {
		for ex, err := range streamtest.All(set.Examples) {
			if err == nil {
				example(ex)
			}
			if !yield(ex, err) {
				return
			}
		}
	})
	return &c
}

// Only what changed is written anew, and what depends on it.
func TestPatches(t *testing.T) {
	nothing := func(*dataset.Database) {}
	const firstGold, secondGold = "SELECT  Name FROM Animal\tzoo\n", "SELECT count(*) FROM Animal\tzoo\n"
	for _, tt := range []struct {
		name     string
		schema   func(*dataset.Database)
		example  func(*dataset.Example)
		replaced []string // in the split, old and new in turn
		gold     string
	}{
		{"nothing", nothing, func(*dataset.Example) {}, nil, firstGold + secondGold + "\n"},
		{"a question", nothing, func(ex *dataset.Example) {
			if ex.Turn == 1 {
				ex.Question = "Which beasts?"
			}
		}, []string{
			`"utterance":"Which animals?","utterance_toks":["Which","animals","?"]`, `"utterance":"Which beasts?","utterance_toks":["Which","beasts","?"]`,
		}, firstGold + secondGold + "\n"},
		{"gold SQL", nothing, func(ex *dataset.Example) {
			if ex.Turn == 1 {
				ex.Query = "SELECT Id FROM Animal"
			}
		}, []string{"SELECT  Name", "SELECT Id", "[0,2,false]", "[0,1,false]"}, "SELECT Id FROM Animal\tzoo\n" + secondGold + "\n"},
		{"gold SQL with tokens", nothing, func(ex *dataset.Example) {
			if ex.Turn == 2 {
				ex.Query = "SELECT count(*) FROM Animal LIMIT 1"
			}
		}, []string{
			`"query":"SELECT count(*) FROM Animal","query_toks":["my","tokens"]`,
			`"query":"SELECT count(*) FROM Animal LIMIT 1","query_toks":["SELECT","count","(","*",")","FROM","Animal","LIMIT","1"]`,
		}, firstGold + "SELECT count(*) FROM Animal LIMIT 1\tzoo\n\n"},
		{"the final question", nothing, func(ex *dataset.Example) {
			if ex.Final != nil {
				ex.Final.Question = "What number?"
			}
		}, []string{`"utterance":"How many animals?"`, `"utterance":"What number?"`}, firstGold + secondGold + "\n"},
		{"a column before another", func(db *dataset.Database) {
			cols := db.Tables[0].Columns
			db.Tables[0].Columns = []dataset.Column{cols[0], {Name: "age", Original: "Age", Type: dataset.Number}, cols[1]}
		}, func(*dataset.Example) {}, []string{"[0,2,false]", "[0,3,false]"}, firstGold + secondGold + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			split, gold, left := written(t, changed(small(t, "["+smallInteraction+"]"), tt.schema, tt.example))
			want := "[" + strings.NewReplacer(tt.replaced...).Replace(smallInteraction) + "]"
			if diff := cmp.Diff(want, split) + cmp.Diff(tt.gold, gold); diff != "" || len(left) > 0 {
				t.Errorf("left out %q, %s", left, diff)
			}
		})
	}
}

// A final question that is null stays so, or gives way to one.
func TestNoFinal(t *testing.T) {
	null := regexp.MustCompile(`"final":\{.*\}\}$`).ReplaceAllString(smallInteraction, `"final":null}`)
	if null == smallInteraction {
		t.Fatal("the interaction has no final question to replace")
	}
	split, _, _ := written(t, small(t, "["+null+"]"))
	if diff := cmp.Diff("["+null+"]", split); diff != "" {
		t.Error(diff)
	}
	split, _, _ = written(t, changed(small(t, "["+null+"]"), func(*dataset.Database) {}, func(ex *dataset.Example) {
		if ex.Turn == 2 {
			ex.Final = &dataset.Example{Question: "q", Query: "SELECT 1"}
		}
	}))
	if want := "[" + strings.Replace(null, `"final":null`, `"final":{"utterance":"q","query":"SELECT 1"}`, 1) + "]"; split != want {
		t.Error(cmp.Diff(want, split))
	}
}

// A schema that is renamed keeps the form of what did not change in its record.
func TestSchemaPatch(t *testing.T) {
	set := changed(small(t, "["+smallInteraction+"]"), func(db *dataset.Database) {
		db.Tables[0].Columns[1].Name, db.Tables[0].Columns[1].Original = "full name", "Full_Name"
	}, func(*dataset.Example) {})
	dir := t.TempDir()
	if err := interaction.SParC.Write(t.Context(), set, dir, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(strings.NewReplacer(`"name"`, `"full name"`, `"Name"`, `"Full_Name"`).Replace(smallTables))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), compact(t, filepath.Join(dir, "tables.json"))); diff != "" {
		t.Error(diff)
	}
}

// Examples of other formats are written from their fields; those that stand alone
// are interactions of one turn.
func TestFromFields(t *testing.T) {
	set := changed(small(t, "["+smallInteraction+"]"), func(db *dataset.Database) { db.Source = nil }, func(ex *dataset.Example) {
		ex.Source, ex.Final, ex.Interaction = nil, nil, 0
		ex.Query = "SELECT 1"
	})
	split, gold, left := written(t, set)
	const toks = `"query":"SELECT 1","query_toks":["SELECT","1"],"query_toks_no_value":["select","value"],"sql":null}]}`
	const want = `[{"database_id":"zoo","interaction":[{"utterance":"Which animals?","utterance_toks":["Which","animals","?"],` + toks +
		`,{"database_id":"zoo","interaction":[{"utterance":"How many?","utterance_toks":["How","many","?"],` + toks + `]`
	if split != want || gold != "SELECT 1\tzoo\n\nSELECT 1\tzoo\n\n" || left != nil {
		t.Errorf("%s\nwant\n%s\ngold %q, left out %q", split, want, gold, left)
	}
}

// What cannot be read or written is one line each, and the rest is done.
func TestBadRecords(t *testing.T) {
	cut := strings.Replace(smallInteraction, secondTurn, `{"utterance":"q"}`, 1)
	set := small(t, "["+strings.Join([]string{
		cut,
		`{"database_id":"zoo","interaction":[]}`,
		strings.Replace(smallInteraction, `"zoo"`, `"jungle"`, 1),
		strings.Replace(smallInteraction, `"utterance"`, `"query"`, 1),
		smallInteraction,
		strings.Replace(smallInteraction, "SELECT  Name FROM Animal", `SELECT 'a\nb'`, 1),
		`{"database_id":"zoo","interaction":[` + firstTurn,
	}, ","))
	var n int
	for ex, err := range streamtest.All(set.Examples) {
		if err == nil && ex.Index != n {
			t.Errorf("turn %d of interaction %d has the index %d, want %d", ex.Turn, ex.Interaction, ex.Index, n)
		}
		if err == nil {
			n++
		}
	}
	var problems []string
	whole := *set
	whole.Examples = streamtest.Of(func(yield func(*dataset.Example, error) bool) {
		for ex, err := range streamtest.All(set.Examples) {
			if _, record := errors.AsType[*dataset.RecordError](err); err != nil && !record {
				problems = append(problems, filepath.Base(err.Error()))
				return
			}
			if !yield(ex, err) {
				return
			}
		}
	})
	split, gold, left := written(t, &whole)
	want := []string{
		`dev.json:1: turn 2: lacks "query", expected it`,
		`dev.json:2: "interaction" has no turns, expected at least one`,
		`dev.json:3: database_id "jungle" is unknown, expected one of tables.json`,
		`dev.json:4: turn 1: "query" stands twice, expected it once`,
		`dev:3: turn 1: gold SQL cannot stand on one line: a literal or name has a line break or tab, or SQL of several lines does not parse`,
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Error(diff)
	}
	if split != "["+smallInteraction+"]" || gold != "SELECT  Name FROM Animal\tzoo\nSELECT count(*) FROM Animal\tzoo\n\n" {
		t.Errorf("split %s, gold %q; want the fifth interaction alone", split, gold)
	}
	if len(problems) != 1 || !strings.HasPrefix(problems[0], "dev.json:7: ") {
		t.Errorf("ends with %q, want one error about the seventh record", problems)
	}
}
