//go:build quality

package quality

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/dataset/wikisql"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// maxStream is the bound on reading all questions of WikiSQL.
const maxStream = time.Minute

// TestWikiSQL reads WikiSQL dev, whose tables are not here but for ADVETA's excerpt and
// what text2sql-data tells of headers, perturbs it and leads it back to logical forms.
func TestWikiSQL(t *testing.T) {
	var report bytes.Buffer
	dir := linked(t, map[string]string{
		"dev.jsonl.gz":             shared.File(t, "data", "wikisql", "dev.jsonl.gz"),
		"wikisql.json.bz2":         shared.File(t, "data", "wikisql", "text2sql-data_wikisql.json.bz2"),
		"wikisql-rpl-excerpt.json": shared.File(t, "data", "adveta", "wikisql-rpl-excerpt.json"),
		"wikisql-add-excerpt.json": shared.File(t, "data", "adveta", "wikisql-add-excerpt.json"),
	})
	dev := readForms(t, &report, dir, "dev")
	identical(t, &report, dev, shared.File(t, "data", "wikisql", "dev.jsonl.gz"))
	tabperturb := command(t)
	perturbForms(t, &report, tabperturb, "dev", converted(t, wikisql.Format, dir, "dev", formats.Spider), dev)

	fmt.Fprintln(&report, "\nQuestions of train over the headers and rows that TabFact has of their tables")
	dir = tabFactData(t, 400)
	train := readForms(t, &report, dir, "train")
	perturbForms(t, &report, tabperturb, "train", converted(t, wikisql.Format, dir, "train", formats.Spider), train)
	golden(t, "wikisql", report.String())
}

// forms is a split of WikiSQL.
type forms struct {
	schemas  map[string]*dataset.Database
	examples []*dataset.Example
	forms    []wikisql.LogicalForm
}

// readForms reads a split; notes and what cannot be read are reported.
func readForms(t *testing.T, report io.Writer, dir, split string) *forms {
	t.Helper()
	set, err := wikisql.Format.Read(t.Context(), dir, split)
	if err != nil {
		t.Fatal(err)
	}
	f, unread := &forms{schemas: map[string]*dataset.Database{}}, 0
	for db, err := range streamtest.All(set.Databases) {
		if r, ok := errors.AsType[*dataset.RecordError](err); ok {
			fmt.Fprintln(report, "note:", r.Err)
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		f.schemas[db.ID] = db
	}
	for ex, err := range streamtest.All(set.Examples) {
		if err != nil {
			unread++
			continue
		}
		form, err := wikisql.Parse(ex.Query, f.schemas[ex.DB])
		if err != nil {
			t.Fatal(err)
		}
		f.examples, f.forms = append(f.examples, ex), append(f.forms, form)
	}
	fmt.Fprintf(report, "%s: %d questions on %d tables read, %d left out\n", split, len(f.examples), len(f.schemas), unread)
	return f
}

// identical compares the forms, which are parsed from SQL, with those of the file.
func identical(t *testing.T, report io.Writer, f *forms, file string) {
	t.Helper()
	n, same := 0, 0
	for raw, err := range streamtest.AllOfFile(dataset.RawRecords, file) {
		if err != nil {
			t.Fatal(err)
		}
		if _, form := formOf(t, raw.JSON); n < len(f.forms) && form.Equal(f.forms[n]) {
			same++
		}
		n++
	}
	fmt.Fprintf(report, "logical form, SQL, logical form: %d of %d identical\n", same, n)
	if same != n || n != 8421 {
		t.Errorf("%d of %d logical forms come back, want 8421", same, n)
	}
}

func formOf(t *testing.T, raw []byte) (table string, form wikisql.LogicalForm) {
	t.Helper()
	var rec struct {
		Table string              `json:"table_id"`
		SQL   wikisql.LogicalForm `json:"sql"`
	}
	if err := json.Unmarshal(raw, &rec); err != nil {
		t.Fatal(err)
	}
	return rec.Table, rec.SQL
}

// perturbForms runs candidates and build over a data directory made of WikiSQL, and
// writes what was built as WikiSQL again.
func perturbForms(t *testing.T, report io.Writer, tabperturb func(io.Writer, ...string), split, data string, f *forms) {
	t.Helper()
	dir := t.TempDir()
	buckets, out := filepath.Join(dir, "buckets.json"), filepath.Join(dir, "out")
	fmt.Fprintln(report, candidates(t, tabperturb, data, split, buckets))
	m := built(t, tabperturb, "--data", data, "--split", split, "--buckets", buckets, "--perturb", "adveta", "--samples", "1", "--out", out)
	for _, r := range m.Perturbations {
		fmt.Fprintln(report, builtLine(t, r))
		formsBack(t, report, filepath.Join(out, r.Name), split, r, f)
	}
}

// formsBack writes post data as WikiSQL. The forms must be those of the originals, for
// columns keep their numbers; their tables must have other headers.
func formsBack(t *testing.T, report io.Writer, built, split string, r benchmark.Result, f *forms) {
	t.Helper()
	set, err := formats.Spider.Read(t.Context(), filepath.Join(built, "post"), split)
	if err != nil {
		t.Fatal(err)
	}
	databases := set.Databases
	set.Databases = streamtest.Of(func(yield func(*dataset.Database, error) bool) {
		for db, err := range streamtest.All(databases) {
			if err == nil {
				db.SQLite = "" // thousands of tables need not be copied to compare forms
			}
			if !yield(db, err) {
				return
			}
		}
	})
	out := filepath.Join(t.TempDir(), "wikisql")
	if _, err := formats.Convert(t.Context(), set, wikisql.Format, out, formats.Options{Report: func(err error) { t.Error(err) }}); err != nil {
		t.Fatal(err)
	}
	headers := map[string][]string{}
	for raw, err := range streamtest.AllOfFile(dataset.RawRecords, filepath.Join(out, split+".tables.jsonl")) {
		var rec struct {
			ID     string   `json:"id"`
			Header []string `json:"header"`
		}
		if err := errors.Join(err, json.Unmarshal(raw.JSON, &rec)); err != nil {
			t.Fatal(err)
		}
		headers[rec.ID] = rec.Header
	}
	index := indices(t, filepath.Join(built, "index.jsonl"))
	n, same, other := 0, 0, 0
	for raw, err := range streamtest.AllOfFile(dataset.RawRecords, filepath.Join(out, split+".jsonl")) {
		if err != nil {
			t.Fatal(err)
		}
		table, form := formOf(t, raw.JSON)
		before := f.examples[index[n]]
		if form.Equal(f.forms[index[n]]) {
			same++
		}
		if strings.Join(headers[table], "\n") != strings.Join(headersOf(f.schemas[before.DB]), "\n") {
			other++
		}
		n++
	}
	fmt.Fprintf(report, "  %d come back as WikiSQL, %d with the logical form of the original, %d under another header\n", n, same, other)
	if n != r.Verified || same != n || other != n {
		t.Errorf("%s: %d of %d records come back, %d with their logical form, %d under another header", r.Name, n, r.Verified, same, other)
	}
}

func headersOf(db *dataset.Database) (names []string) {
	for _, c := range db.Tables[0].Columns {
		if c.Header == "" {
			c.Header = c.Name
		}
		names = append(names, c.Header)
	}
	return names
}

// indices returns which example each record of a build is.
func indices(t *testing.T, path string) (list []int) {
	t.Helper()
	for raw, err := range streamtest.AllOfFile(dataset.RawRecords, path) {
		var rec struct{ Example int }
		if err := errors.Join(err, json.Unmarshal(raw.JSON, &rec)); err != nil {
			t.Fatal(err)
		}
		list = append(list, rec.Example)
	}
	return list
}

// tabFactData is the beginning of text2sql-data, whose questions of train ask about tables
// that TabFact has too: under the same ids, with text in lower case and blanks around
// marks.
func tabFactData(t *testing.T, templates int) string {
	t.Helper()
	csv := shared.Untar(t, "data", "tabfact", "all_csv.tar.gz")
	var kept, tables strings.Builder
	seen := map[string]bool{}
	for raw, err := range streamtest.AllOfFile(dataset.RawRecords, shared.File(t, "data", "wikisql", "text2sql-data_wikisql.json.bz2")) {
		var rec struct {
			Sentences []struct {
				Table string `json:"table-id"`
				Split string `json:"question-split"`
			} `json:"sentences"`
		}
		if err := errors.Join(err, json.Unmarshal(raw.JSON, &rec)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&kept, ",%s", raw.JSON)
		for _, s := range rec.Sentences {
			if s.Split != "train" || seen[s.Table] {
				continue
			}
			seen[s.Table] = true
			if line := tabFactTable(t, filepath.Join(csv, "all_csv", s.Table+".html.csv"), s.Table); line != nil {
				fmt.Fprintf(&tables, "%s\n", line)
			}
		}
		if raw.Number == templates {
			break
		}
	}
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "wikisql.json"), "["+strings.TrimPrefix(kept.String(), ",")+"]")
	writeText(t, filepath.Join(dir, "train.tables.jsonl"), tables.String())
	return dir
}

// tabFactTable returns a table of TabFact as a record of WikiSQL; nil where there is none.
func tabFactTable(t *testing.T, path, id string) []byte {
	t.Helper()
	if matches, err := filepath.Glob(path); err != nil || len(matches) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(whole(t, path)), "\n")
	rec := struct {
		ID     string     `json:"id"`
		Header []string   `json:"header"`
		Types  []string   `json:"types"`
		Rows   [][]string `json:"rows"`
	}{ID: id, Header: strings.Split(lines[0], "#")}
	for range rec.Header {
		rec.Types = append(rec.Types, "real")
	}
	for _, line := range lines[1:] {
		row := strings.Split(line, "#")
		for i, cell := range row[:min(len(row), len(rec.Types))] {
			if _, err := strconv.ParseFloat(cell, 64); err != nil {
				rec.Types[i] = "text"
			}
		}
		rec.Rows = append(rec.Rows, row)
	}
	raw, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

var leftOut = regexp.MustCompile(`^(.*): (\d+) questions of the split are left out`)

// TestWikiSQLStream reads all questions of WikiSQL from text2sql-data, a question at a
// time.
func TestWikiSQLStream(t *testing.T) {
	var report bytes.Buffer
	dir := linked(t, map[string]string{"wikisql.json.bz2": shared.File(t, "data", "wikisql", "text2sql-data_wikisql.json.bz2")})
	total, start := 0, processor(t)
	for _, split := range []string{"train", "dev", "test"} {
		set, err := wikisql.Format.Read(t.Context(), dir, split)
		if err != nil {
			t.Fatal(err)
		}
		read, reasons := 0, ""
		for _, err := range streamtest.All(set.Examples) {
			r, ok := errors.AsType[*dataset.RecordError](err)
			switch {
			case err == nil:
				read++
			case !ok:
				t.Fatal(err)
			default:
				m := leftOut.FindStringSubmatch(r.Err.Error())
				if m == nil {
					t.Fatal(err)
				}
				n, _ := strconv.Atoi(m[2])
				reasons += fmt.Sprintf("; %d left out: %s", n, m[1])
				total += n
			}
		}
		total += read
		fmt.Fprintf(&report, "%s: %d read%s\n", split, read, reasons)
	}
	worked(t, "reading", start, maxStream)
	fmt.Fprintf(&report, "all: %d\n", total)
	if total != 80654 {
		t.Errorf("%d questions, want 80654", total)
	}
	golden(t, "wikisqlstream", report.String())
}
