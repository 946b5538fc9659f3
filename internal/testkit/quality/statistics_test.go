//go:build quality

package quality

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/counts"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/dataset/interaction"
	"github.com/tabperturb/tabperturb/dataset/wikisql"
	"github.com/tabperturb/tabperturb/dataset/wtq"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// TestStatistics prints the counts of ADVETA's table 11 beside the paper's.
func TestStatistics(t *testing.T) {
	var report bytes.Buffer
	fmt.Fprintln(&report, "Data sets (table 11): ours / the paper's")
	w := tabwriter.NewWriter(&report, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "split\ttables\tquestions\tcolumns a table\tdifferent\twords\tnote")
	line := func(name, tables, questions, perTable, note string, d counts.Data) {
		asked := fmt.Sprint(d.Questions)
		if d.Finals > 0 {
			asked = fmt.Sprintf("%d+%d=%d", d.Questions, d.Finals, d.Questions+d.Finals)
		}
		fmt.Fprintf(w, "%s\t%d / %s\t%s / %s\t%.2f / %s\t%d\t%d\t%s\n",
			name, d.Tables, tables, asked, questions, d.PerTable, perTable, d.UniqueColumns, d.UniqueWords, note)
	}
	file := func(elem ...string) string { return shared.File(t, append([]string{"data"}, elem...)...) }
	schemas := file("sparc", "tables.json.gz") // CoSQL's too
	for _, row := range []struct {
		format                                      *dataset.Format
		dir, name, tables, questions, columns, note string
	}{
		{formats.Spider, filepath.Dir(file("spider", "dev.json")), "Spider dev", "81", "1034", "5.45", "441/81 is 5.444"},
		{interaction.SParC, linked(t, map[string]string{"tables.json.gz": schemas, "dev.json.gz": file("sparc", "dev.json.gz")}),
			"SParC dev", "81", "1625", "5.45", "the paper counts final questions too"},
		{interaction.CoSQL, linked(t, map[string]string{"tables.json.gz": schemas, "dev.json.gz": file("cosql", "dev.json.gz")}),
			"CoSQL dev", "81", "1299", "5.45", "the paper counts final questions too, one less"},
		{wikisql.Format, filepath.Dir(file("wikisql", "dev.jsonl.gz")), "WikiSQL dev", "2716", "8421", "6.31",
			"ADVETA has 86 tables that no question asks about; where the tables file is not here, headers are what questions show"},
	} {
		line(row.name, row.tables, row.questions, row.columns, row.note, ofFormat(t, row.format, row.dir, "dev"))
	}
	line("WikiSQL train", "18590", "56355", "6.40", "questions ask about 17984 tables, about 4 only those that are left out; headers are what questions show", ofFormat(t, wikisql.Format, filepath.Dir(file("wikisql", "dev.jsonl.gz")), "train"))
	dir := linked(t, map[string]string{
		"csv": filepath.Join(shared.Untar(t, "data", "wtq", "csv.tar.gz"), "csv"), "training.tsv.gz": file("wtq", "training.tsv.gz"),
	})
	line("WTQ, all with questions", "-", "-", "-", "the paper's 1290 tables and 9030 questions (6.39 columns a table) are a part of these, by lists that are not here", ofFormat(t, wtq.Format, dir, "training"))
	line("WTQ csv files", "-", "-", "-", "no questions", ofTables(t, dir, allTables(t, dir)))
	line("WTQ, fold 0 of Squall", "327", "2246", "6.41", "ADVETA has 327 of these ids, its questions are Squall's; ours are none", ofTables(t, dir, foldIDs(t)))
	line("Spider train", "795", "6997", "5.52", "databases of train_gold.sql (with train_others), questions of train_spider; no reading gives 5.52 (with the star of each database 5.29)", spiderTrain(t))
	w.Flush()
	golden(t, "statistics", report.String())
}

// ofFormat counts the questions of a split, and of its databases those that they ask
// about.
func ofFormat(t *testing.T, format *dataset.Format, dir, split string) counts.Data {
	set, err := format.Read(context.Background(), dir, split)
	if err != nil {
		t.Fatal(err)
	}
	skipped := 0
	report := func(err error) {
		if skipped++; skipped <= 3 {
			t.Log(err)
		}
	}
	var c counts.DataCounter
	asked := map[string]bool{}
	err = set.Examples(report, func(ex *dataset.Example) error {
		asked[ex.DB] = true
		c.Question(ex)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = set.Databases(report, func(db *dataset.Database) error {
		if asked[db.ID] {
			c.Schema(db)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c.Data()
}

// linked is a folder with the given entries, by name.
func linked(t *testing.T, entries map[string]string) string {
	dir := t.TempDir()
	for name, target := range entries {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// allTables returns the ids of all tables of WikiTableQuestions: 204_590 of
// csv/204-csv/590.csv.
func allTables(t *testing.T, dir string) []string {
	files, err := filepath.Glob(filepath.Join(dir, "csv", "*-csv", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, file := range files {
		folder := strings.TrimSuffix(filepath.Base(filepath.Dir(file)), "-csv")
		ids = append(ids, folder+"_"+strings.TrimSuffix(filepath.Base(file), ".csv"))
	}
	return ids
}

func foldIDs(t *testing.T) []string {
	data, err := os.ReadFile(filepath.Join(shared.Untar(t, "data", "squall", "dev_fold_ids.tar.gz"), "data", "dev-0.ids"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	if err := json.Unmarshal(data, &ids); err != nil {
		t.Fatal(err)
	}
	return ids
}

func ofTables(t *testing.T, dir string, ids []string) counts.Data {
	var c counts.DataCounter
	for _, id := range ids {
		db, err := wtq.ReadTable(dir, id, func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		c.Schema(db)
	}
	return c.Data()
}

func spiderTrain(t *testing.T) counts.Data {
	var c counts.DataCounter
	asked := map[string]bool{}
	for line, err := range streamtest.AllOfFile(dataset.TextLines, shared.File(t, "data", "spider", "train_gold.sql.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		if _, db, ok := strings.Cut(line.Text, "\t"); ok {
			asked[strings.TrimSpace(db)] = true
		}
	}
	tables := shared.File(t, "data", "spider", "tables.json")
	for db, err := range streamtest.AllOfFile(dataset.ReadTables, filepath.Join(filepath.Dir(tables), filepath.Base(tables))) {
		if err != nil {
			t.Fatal(err)
		}
		if asked[db.ID] {
			c.Schema(db)
		}
	}
	for _, err := range streamtest.AllOfFile(dataset.TextLines, shared.File(t, "data", "spider", "train_spider_min.jsonl.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		c.Question(&dataset.Example{})
	}
	return c.Data()
}
