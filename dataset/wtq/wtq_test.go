package wtq

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// folder returns a data set with tables and a split dev.
func folder(t testing.TB, tsv string, tables map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"data/dev.tsv": tsvHeader + "\n" + tsv}
	for path, data := range tables {
		files[path] = data
	}
	for path, data := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "csv"), 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func collect[T any](t testing.TB, stream dataset.Stream[T]) (all []T, errs []string) {
	t.Helper()
	for v, err := range streamtest.All(stream) {
		if err != nil {
			errs = append(errs, err.Error())
		} else {
			all = append(all, v)
		}
	}
	return all, errs
}

const chartCSV = "\"Year\",\"Chart-Positions\\nUK\",\"\",\"Year\",\"#\",\"W\",\"column 9\",\"Größe (km²)\",\"Order\"\n" +
	"\"1969\",\"a \\\"b\\\"\",\"\",\"007\",\"1.50\",\"x\\\\y\",\"two\\nlines\",\"-\",\"1st\"\n"

func chart() string { return strings.ReplaceAll(chartCSV, `\n`, "\n") }

func TestRead(t *testing.T) {
	dir := folder(t, "nt-0\twhich | is?\tcsv/200-csv/0.csv\ta\\pb|c\\nd\\\\\nnt-1\t two\\nlines\tcsv/200-csv/0.csv\t\n", map[string]string{"csv/200-csv/0.csv": chart()})
	set, err := Format.Read(t.Context(), dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	dbs, errs := collect(t, set.Databases)
	want := []*dataset.Database{{ID: "200_0", Tables: []dataset.Table{{Name: "table", Original: "w", Columns: []dataset.Column{
		{Name: "year", Original: "year", Type: dataset.Number, Header: "Year"},
		{Name: "chart positions uk", Original: "chart_positions_uk", Type: dataset.Text, Header: "Chart-Positions\nUK"},
		{Name: "column 3", Original: "column_3", Type: dataset.Text},
		{Name: "year", Original: "year_2", Type: dataset.Number, Header: "Year"},
		{Name: "number", Original: "number", Type: dataset.Number, Header: "#"},
		{Name: "w", Original: "w_", Type: dataset.Text, Header: "W"},
		{Name: "column 9", Original: "column_9", Type: dataset.Text, Header: "column 9"},
		{Name: "größe (km²)", Original: "grosse_km2", Type: dataset.Text, Header: "Größe (km²)"},
		{Name: "order", Original: "order_", Type: dataset.Text, Header: "Order"},
	}}}}}
	if diff := cmp.Diff(want, dbs); diff != "" || errs != nil {
		t.Errorf("errors %v, databases (-want +got):\n%s", errs, diff)
	}
	examples, errs := collect(t, set.Examples)
	if errs != nil || len(examples) != 2 {
		t.Fatalf("%d examples, errors %v", len(examples), errs)
	}
	if diff := cmp.Diff(&dataset.Example{ID: "nt-0", DB: "200_0", Question: "which | is?", Answer: []string{"a|b", "c\nd\\"},
		Source: []byte(`{"line":"nt-0\twhich | is?\tcsv/200-csv/0.csv\ta\\pb|c\\nd\\\\"}`)}, examples[0]); diff != "" {
		t.Errorf("example (-want +got):\n%s", diff)
	}
	if e := examples[1]; e.Question != " two\nlines" || e.Index != 1 || e.Source != nil || !slices.Equal(e.Answer, []string{""}) {
		t.Errorf("example is %+v", e)
	}
}

// TestWriteChanged writes a renamed and an added column and a changed question, and
// nothing else anew.
func TestWriteChanged(t *testing.T) {
	dir := folder(t, "nt-0\twhich | is?\tcsv/200-csv/0.csv\ta\\pb\nnt-1\twho?\tcsv/200-csv/0.csv\tx\n", map[string]string{"csv/200-csv/0.csv": chart()})
	set, err := Format.Read(t.Context(), dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	changed := *set
	changed.Databases = streamtest.Of(func(yield func(*dataset.Database, error) bool) {
		for db, err := range streamtest.All(set.Databases) {
			c := &db.Tables[0].Columns[1]
			c.Name, c.Original, c.Header = "british rank", "british_rank", ""
			if !yield(db, err) {
				return
			}
		}
	})
	changed.Examples = streamtest.Of(func(yield func(*dataset.Example, error) bool) {
		for ex, err := range streamtest.All(set.Examples) {
			if ex.ID == "nt-0" {
				ex.Answer = []string{"a|b", "7"}
			} else {
				ex.Question = "whose?"
			}
			if !yield(ex, err) {
				return
			}
		}
	})
	out := t.TempDir()
	if err := Format.Write(t.Context(), &changed, out, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"data/dev.tsv":      tsvHeader + "\nnt-0\twhich | is?\tcsv/200-csv/0.csv\ta\\pb|7\nnt-1\twhose?\tcsv/200-csv/0.csv\tx\n",
		"csv/200-csv/0.csv": strings.Replace(chart(), "Chart-Positions\nUK", "british rank", 1),
	}
	for path, text := range want {
		if got, err := os.ReadFile(filepath.Join(out, path)); err != nil || string(got) != text {
			t.Errorf("%s: %v, written as\n%s\nwant\n%s", path, err, got, text)
		}
	}
}

func TestBadInput(t *testing.T) {
	good := "nt-0\tgood?\tcsv/200-csv/0.csv\t1\n"
	for _, c := range []struct {
		name, tsv, table string
		want             string // in the one error
		databases, ex    int
	}{
		{"few fields", "nt-1\twhat?\tcsv/200-csv/0.csv\n", "", "dev.tsv:3: line has 3 fields, expected 4", 1, 1},
		{"key twice", good, "", `dev.tsv:3: id "nt-0" is there already`, 1, 1},
		{"no question", "nt-1\t \tcsv/200-csv/0.csv\t1\n", "", "utterance is empty", 1, 1},
		{"outside", "nt-1\ta?\tcsv/../../etc.csv\t1\n", "", "expected csv/N-csv/M.csv", 1, 1},
		{"unclosed quote", "nt-1\ta?\tcsv/1-csv/2.csv\t1\n", "\"a\",\"b\"\n\"c\",\"d\n", "2.csv:2: quoted field is never closed", 1, 2},
		{"header longer than its rows", "nt-1\ta?\tcsv/1-csv/2.csv\t1\n", "\"a\",\"b\"\n\"c\"\n\"d\",\"e\"\n", "2.csv:2: row has 1 cells and the header 2", 2, 2},
		{"many rows like this", "nt-1\ta?\tcsv/1-csv/2.csv\t1\n", "\"a\",\"b\"\n\"c\",\"d\"\n\"c\"\n\"d\"\n", "2.csv:3: row has 1 cells and the header 2, expected as many; the others are empty; 2 rows are like this", 2, 2},
		{"row longer than the header", "nt-1\ta?\tcsv/1-csv/2.csv\t1\n", "\"a\"\n\"c\",\"d\"\n", "2.csv:2: row has 2 cells and the header 1", 2, 2},
		{"empty table", "nt-1\ta?\tcsv/1-csv/2.csv\t1\n", "", "2.csv:1: file is empty", 1, 2},
		{"not UTF-8", "nt-1\ta?\tcsv/1-csv/2.csv\t1\n", "\"a\"\n\"\xff\"\n", "2.csv:2: text is not UTF-8", 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			tables := map[string]string{"csv/200-csv/0.csv": chart()}
			if strings.Contains(c.tsv, "1-csv/2") {
				tables["csv/1-csv/2.csv"] = c.table
			}
			set, err := Format.Read(t.Context(), folder(t, good+c.tsv, tables), "dev")
			if err != nil {
				t.Fatal(err)
			}
			dbs, errs := collect(t, set.Databases)
			examples, more := collect(t, set.Examples)
			errs = append(errs, more...)
			if len(dbs) != c.databases || len(examples) != c.ex || len(errs) != 1 || !strings.Contains(errs[0], c.want) {
				t.Errorf("%d databases, %d examples, errors %q, want %d, %d, %q", len(dbs), len(examples), errs, c.databases, c.ex, c.want)
			}
		})
	}
	set, err := Format.Read(t.Context(), folder(t, good, nil), "dev")
	if err != nil {
		t.Fatal(err)
	}
	_, errs := collect(t, set.Databases)
	examples, more := collect(t, set.Examples)
	if errs = append(errs, more...); len(examples) != 0 || len(errs) != 2 || !strings.Contains(errs[0], "0.csv:1: table is not there") {
		t.Errorf("without its table: %d examples, errors %q", len(examples), errs)
	}
	if _, err := Format.Read(t.Context(), t.TempDir(), "dev"); err == nil || !strings.Contains(err.Error(), "dev.tsv") {
		t.Errorf("an empty folder: error is %v, want one that names dev.tsv", err)
	}
}

func TestRefuses(t *testing.T) {
	one := &dataset.Database{Tables: make([]dataset.Table, 1)}
	if err := refuses(one, &dataset.Example{Answer: []string{"1"}}); err != nil {
		t.Error(err)
	}
	if refuses(one, &dataset.Example{}) == nil || refuses(&dataset.Database{Tables: make([]dataset.Table, 2)}, &dataset.Example{Answer: []string{"1"}}) == nil {
		t.Error("takes an example without an answer or with two tables")
	}
}

func TestTableID(t *testing.T) {
	for id, path := range map[string]string{
		"204_590": "csv/204-csv/590.csv", "204_590_3fa9": "csv/204-csv/590_3fa9.csv", "concert_singer": "csv/concert-csv/singer.csv", "plain": "csv/plain.csv",
	} {
		if got := tablePath(id); got != path {
			t.Errorf("file of %s is %s, want %s", id, got, path)
		}
		if got, err := TableID(path); err != nil || got != id {
			t.Errorf("id of %s is %q, %v, want %s", path, got, err, id)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add("nt-0\twhat?\tcsv/200-csv/0.csv\ta\\pb|c\\n")
	f.Add("nt-0\t\\\\n \\x\tcsv/a.csv\t|\\")
	f.Fuzz(func(t *testing.T, text string) {
		ex, err := parseLine(text)
		if err != nil || strings.ContainsAny(text, "\r\n") || strings.ToValidUTF8(text, "") != text {
			return
		}
		if got := formatLine(ex); got != text {
			t.Errorf("%q is written back as %q", text, got)
		}
		ex.Source = nil
		if back, err := parseLine(formatLine(ex)); err != nil || back.Question != strings.NewReplacer("\r", " ", "\t", " ").Replace(ex.Question) {
			t.Errorf("%q without its source reads as %v, %v", text, back, err)
		}
	})
}

// TestWholeDataSet reads the 2,108 tables and all questions and writes them back,
// byte by byte.
func TestWholeDataSet(t *testing.T) {
	shared.Quality(t)
	tables := shared.Untar(t, "data", "wtq", "csv.tar.gz")
	paths, err := filepath.Glob(filepath.Join(tables, "csv", "*-csv", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var tsv string
	for i, path := range paths {
		path, err := filepath.Rel(tables, path)
		if err != nil {
			t.Fatal(err)
		}
		tsv += fmt.Sprintf("all-%d\twhat?\t%s\t1\n", i, filepath.ToSlash(path))
	}
	dir := folder(t, tsv, nil)
	if err := os.Remove(filepath.Join(dir, "csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(tables, "csv"), filepath.Join(dir, "csv")); err != nil {
		t.Fatal(err)
	}
	set, err := Format.Read(t.Context(), dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	if n := roundTrip(t, set, dir, t.TempDir()); n != 2108 {
		t.Errorf("%d tables are read, want 2108", n)
	}
	for split, want := range map[string]int{
		"training": 14152, "pristine-unseen-tables": 4344, "pristine-seen-tables": 3537, "random-split-1-train": 11321, "random-split-1-dev": 2831,
	} {
		path := shared.File(t, "data", "wtq", split+".tsv.gz")
		examples, errs := collect(t, func(report func(error), each func(*dataset.Example) error) error {
			return Questions(path, nil, report, each)
		})
		if len(examples) != want || errs != nil {
			t.Errorf("%s: %d questions, %v, want %d", split, len(examples), errs, want)
		}
		written := filepath.Join(t.TempDir(), "questions.tsv")
		err := WriteQuestions(written, func(add func(*dataset.Example)) error {
			for _, ex := range examples {
				add(ex)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(written); err != nil || !bytes.Equal(data, unpack(t, path)) {
			t.Errorf("%s is written otherwise than it was read, %v", split, err)
		}
	}
}

func roundTrip(t *testing.T, set *dataset.Set, dir, out string) (databases int) {
	if err := Format.Write(context.Background(), set, out, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	for db, err := range streamtest.All(set.Databases) {
		if err != nil {
			t.Error(err)
			continue
		}
		databases++
		want, err := os.ReadFile(filepath.Join(dir, tablePath(db.ID)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(out, tablePath(db.ID))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is written otherwise than it was read, %v", db.ID, err)
		}
	}
	return databases
}

func unpack(t *testing.T, path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func FuzzHeader(f *testing.F) {
	f.Add("# of accidents", uint16(1))
	f.Add("column 3", uint16(2))
	f.Fuzz(func(t *testing.T, header string, position uint16) {
		name := NaturalName(header, int(position))
		if got := Header(&dataset.Column{Name: name, Header: HeaderOf(header, name)}); got != header {
			t.Errorf("header %q comes back as %q", header, got)
		}
	})
}
