package execution

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// spiderDev is Spider's dev split with the databases that have content.
type spiderDev struct {
	golds, ids []string
	dir        string
}

func readSpiderDev(tb testing.TB) spiderDev {
	tb.Helper()
	d := spiderDev{dir: shared.Untar(tb, "data", "spider", "databases_dev.tar.gz")}
	for _, line := range readLines(tb, shared.File(tb, "data", "spider", "dev_gold.sql")) {
		sql, id, _ := strings.Cut(line, "\t")
		d.golds, d.ids = append(d.golds, sql), append(d.ids, id)
	}
	return d
}

// predictions reads a file of the folder of predictions for Spider dev.
func predictions(tb testing.TB, name string) []string {
	return readLines(tb, shared.File(tb, "data", "predictions", "spider-dev", name))
}

func readLines(tb testing.TB, path string) []string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// path returns the path of an example's database, or false where it has no
// content.
func (d spiderDev) path(i int) (string, bool) {
	path := filepath.Join(d.dir, "database", d.ids[i], d.ids[i]+".sqlite")
	_, err := os.Stat(path)
	return path, err == nil
}

// open opens the database of an example once; it returns nil where there is no
// content.
func (d spiderDev) open(tb testing.TB, opened map[string]*Database, i int) *Database {
	tb.Helper()
	path, ok := d.path(i)
	if !ok {
		return nil
	}
	if opened[path] == nil {
		db, err := Open(tb.Context(), path)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { db.Close() })
		opened[path] = db
	}
	return opened[path]
}

// TestOfficialVerdicts judges the three prediction files for which there are
// verdicts of the official test-suite evaluator, with its defaults, on the one
// database of each example. Its file has "-" where the database has no content.
func TestOfficialVerdicts(t *testing.T) {
	dev := readSpiderDev(t)
	dbs := map[string]*Database{}
	judged := 0
	for _, name := range []string{"codes-1b", "dail-sql_gpt-4", "graphix_via_dail-sql"} {
		preds := predictions(t, name+".txt")
		official := predictions(t, "official_verdicts/ex_"+name+".txt")[0]
		reasons := map[Reason]int{}
		doubts := map[Reason]int{}
		for i, gold := range dev.golds {
			db := dev.open(t, dbs, i)
			if (db == nil) != (official[i] == '-') {
				t.Fatalf("%s:%d: the official verdict is %c, but whether there is content is %v", name, i+1, official[i], db != nil)
			}
			if db == nil {
				continue
			}
			out, err := NewGold(gold, Options{}).Judge(t.Context(), preds[i], db)
			if err != nil {
				t.Fatalf("%s:%d: %v", name, i+1, err)
			}
			if (out.Verdict == verdict.Right) != (official[i] == '1') {
				t.Errorf("%s:%d: %v, officially %c; %+v\ngold %s\npred %s", name, i+1, out.Verdict, official[i], out, gold, preds[i])
			}
			reasons[out.Reason]++
			doubts[out.Doubt.Reason]++
			judged++
		}
		t.Logf("%s: reasons %v, doubts %v", name, reasons, doubts)
	}
	if judged != 2916 {
		t.Errorf("%d are judged, expected 2916", judged)
	}
}

// TestValueInFiles counts the predictions of public files in which the official evaluator replaces another
// "value" than replaceValue does by default; docs/figures.md has the counts.
func TestValueInFiles(t *testing.T) {
	var predictionFiles []string
	for _, pattern := range []string{"spider-dev/*.txt", "spider-dev/leaderboard/*.txt", "spider-dev/*.tsv", "*/chatgpt*.gz", "*/exp_result*.gz", "*/editsql_predictions*.gz"} {
		found, err := filepath.Glob(shared.File(t, "data", "predictions") + "/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		predictionFiles = append(predictionFiles, found...)
	}
	type counts struct{ files, predictions, differ int }
	got := map[string]counts{}
	for _, path := range predictionFiles {
		for _, preds := range predictionsOf(t, path) {
			model, _, _ := strings.Cut(filepath.Base(path), "_")
			kind := map[string]string{"exp": "BIRD", "editsql": "EditSQL"}[model]
			c := got[kind]
			c.files++
			for _, pred := range preds {
				c.predictions++
				if replaceValue(pred, true) != replaceValue(pred, false) {
					c.differ++
				}
			}
			got[kind] = c
		}
	}
	want := map[string]counts{"": {16, 16018, 1}, "BIRD": {13, 6500, 143}, "EditSQL": {3, 3243, 485}}
	if !maps.Equal(got, want) {
		t.Errorf("files, predictions and those that differ: %v, expected %v", got, want)
	}
}

// predictionsOf returns the predictions of a file, or of each file in an archive.
func predictionsOf(t *testing.T, path string) (files [][]string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil && strings.HasSuffix(path, ".gz") {
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(r)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if strings.HasSuffix(path, ".tar.gz") {
		for r := tar.NewReader(bytes.NewReader(data)); ; {
			h, err := r.Next()
			if err == io.EOF {
				return files
			}
			var byIndex map[string]any
			if err == nil && strings.HasSuffix(h.Name, ".json") {
				err = json.NewDecoder(r).Decode(&byIndex)
			}
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			var preds []string
			for _, v := range byIndex {
				text, _ := v.(string)
				sql, _, _ := strings.Cut(text, "\t----- bird -----")
				preds = append(preds, sql)
			}
			if preds != nil {
				files = append(files, preds)
			}
		}
	}
	var preds []string
	if strings.Contains(path, "chatgpt") {
		var records []struct{ Result string }
		if err := json.Unmarshal(data, &records); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, r := range records {
			preds = append(preds, "SELECT "+r.Result)
		}
		return [][]string{preds}
	}
	for line := range strings.Lines(string(data)) {
		var output struct {
			Tokens []string `json:"flat_prediction"`
		}
		if strings.HasSuffix(path, ".jsonl.gz") {
			if err := json.Unmarshal([]byte(line), &output); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			line = strings.Join(output.Tokens, " ")
		}
		sql, _, _ := strings.Cut(line, "\t")
		preds = append(preds, sql)
	}
	return [][]string{preds}
}
