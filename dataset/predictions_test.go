package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPairs(t *testing.T) {
	const lines = "SELECT 1\tdb\n\nSELECT 2\tdb\nSELECT 3\tdb\n"
	const split = `[{"db_id": "db", "question": "q", "query": "SELECT 1"}, {"db_id": 7}, {"db_id": "db", "question": "q", "query": "SELECT 3"}]`
	const asked = `[{"db_id": "db", "question": "a", "query": "SELECT 1"}, {"db_id": "db", "question": "b", "query": "SELECT 2"}]`
	const twice = `[{"db_id": "db", "question": "a", "query": "SELECT 1"}, {"db_id": "db", "question": "A ", "query": "SELECT 2"}]`
	for _, tt := range []struct {
		name, gold, goldText, pred, predText string
		want                                 []string // "INDEX PREDICTION" or "! ERROR"
	}{
		{"lines", "gold.sql", lines, "p.sql", "a\nb\tdb\nc", []string{"0 a", "1 b", "2 c"}},
		{"blank lines in both", "gold.sql", lines, "p.sql", "a\n\nb\nc\n\n", []string{"0 a", "1 b", "2 c"}},
		{"an empty prediction", "gold.sql", lines, "p.sql", "a\n\nc\n", []string{"0 a", "1 ", "2 c"}},
		{"empty predictions at the end", "gold.sql", lines, "p.sql", "a\n\n\n", []string{"0 a", "1 ", "2 "}},
		{"too few", "gold.sql", lines, "p.sql", "a\nc\n", []string{"0 a", "1 c", "! p.sql: has 2 lines (0 of them blank), expected the 3 of gold.sql"}},
		{"too many", "gold.sql", lines, "p.sql", "a\nb\nc\nd\n", []string{"0 a", "1 b", "2 c", "! p.sql: has 4 lines (0 of them blank), expected the 3 of gold.sql"}},
		{"neither with nor without blank lines", "gold.sql", lines, "p.sql", "a\n\n\n\nc\n", []string{"! p.sql: has 5 lines (3 of them blank), expected the 3 of gold.sql"}},
		{"bad gold line", "gold.sql", "SELECT 1\tdb\nSELECT 2\nSELECT 3\tdb\n", "p.sql", "a\nb\nc\n",
			[]string{"0 a", "! gold.sql:2: holds no tab between two texts, expected SQL, a tab and a db_id", "2 c"}},
		{"bad prediction", "gold.sql", lines, "p.sql", "a\n\xff\nc\n", []string{"0 a", "1 ! text is not UTF-8, expected UTF-8", "2 c"}},
		{"split", "dev.json", split, "p.sql", "a\nb\nc\n", []string{"0 a", `! dev.json:2: "db_id" is a number, expected a string`, "2 c"}},
		{"by key", "dev.json", split, "p.json", `{"2": "c\t----- bird -----\tdb", "0": "a"}`,
			[]string{"0 a", `! dev.json:2: "db_id" is a number, expected a string`, "2 c"}},
		{"key is missing", "gold.sql", lines, "p.json", `{"0": "a", "2": "c"}`, []string{"0 a", `! p.json: has no key "1", expected one for each record of gold.sql`}},
		{"key beyond the gold", "gold.sql", lines, "p.json", `{"0": "a", "1": "b", "2": "c", "3": "d"}`,
			[]string{`! p.json: has the key "3", expected none beyond the 3 records of gold.sql`}},
		{"unknown key", "gold.sql", lines, "p.json", `{"x": "a"}`, []string{"! p.json:1: " + noSQL([]string{"x"}).Error()}},
		{"unknown columns", "gold.sql", lines, "p.csv", "id,x\n0,a\n", []string{"! p.csv:2: " + noSQL([]string{"id", "x"}).Error()}},
		{"key is no index", "gold.sql", lines, "p.json", "{\n\"x\": \"a\"}", []string{
			`! p.json:1: key "x", expected the index of a question, from 0`,
			"! p.json: joins no answer to a question, expected the index of a question as id, from 0, or db_id and question"}},
		{"bad line among ids", "gold.sql", lines, "p", "{\"id\": 0, \"sql\": \"a\"}\n{\"id\": 1,\n{\"id\": 2, \"sql\": \"c\"}\n",
			[]string{"! p:2: not JSON: unexpected end of JSON input", "0 a", "1 ! " + errUnusable.Error(), "2 c"}},
		{"bad line before ids", "gold.sql", lines, "p.jsonl", "nonsense\n{\"id\": 2, \"sql\": \"c\"}\n{\"id\": 0, \"sql\": \"a\"}\n",
			[]string{"! p.jsonl:1: not JSON: invalid character 'o' in literal null (expecting 'u')", "0 a", "1 ! " + errUnusable.Error(), "2 c"}},
		{"bad line and one too few", "gold.sql", lines, "p", "{\"id\": 2, \"sql\": \"c\"}\n{\"id\": \"x\", \"sql\": \"a\"}\n",
			[]string{`! p:2: key "x", expected the index of a question, from 0`, "0 ! " + errUnusable.Error(), `! p: has no key "1", expected one for each record of gold.sql`}},
		{"ids that are null", "gold.sql", lines, "p", `[{"id": null, "sql": "a"}, {"id": null, "sql": "b"}, {"id": null, "sql": "c"}]`, []string{"0 a", "1 b", "2 c"}},
		{"ids that are names", "dev.json", asked, "p", `[{"id": "dev_1", "db_id": "db", "question": "b", "sql": "B"}, {"id": null, "db_id": "db", "question": "a", "sql": "A"}]`,
			[]string{"0 A", "1 B"}},
		{"answers of no question", "dev.json", asked, "p", `[{"db_id": "db", "question": "b", "sql": "B"}, {"db_id": "nosuch", "question": "b", "sql": "C"},
			{"db_id": "db", "question": "a", "sql": "A"}, {"db_id": "db", "question": "B", "sql": "D"}]`, []string{"0 A", "1 B",
			`! p:2: answers that belong to no question of the gold, or to one that has an answer: 2, the first on "nosuch": "b"`}},
		{"equal questions", "dev.json", twice, "p", `[{"db_id": "db", "question": "a", "sql": "A"}, {"db_id": "db", "question": "a", "sql": "B"}]`, []string{"0 A", "1 B"}},
		{"equal questions with one answer", "dev.json", twice, "p", `[{"db_id": "db", "question": "a", "sql": "A"}]`, []string{"0 A", "1 A"}},
		{"list of texts", "gold.sql", lines, "p.json", ` ["a", "b\nc", null]`, []string{"0 a", "1 b\nc", "2 "}},
		{"list of records in order", "gold.sql", lines, "p", `[{"sql": "a"}, {"sql": 7}, {"prediction": "c", "query": "gold"}]`,
			[]string{"0 a", "1 ! record is a number, expected a string", "2 c"}},
		{"list of records by id", "gold.sql", lines, "p", `[{"id": 2, "sql": "c"}, {"id": "0", "sql": "a"}, {"id": 1, "text": "b"}]`, []string{"0 a", "1 b", "2 c"}},
		{"list with an id twice", "gold.sql", lines, "p", `[{"id": 2, "sql": "c"}, {"id": 2, "sql": "a"}]`, []string{`! p:2: key "2" stands twice, expected it once`}},
		{"list that breaks off", "gold.sql", lines, "p", `["a", "b`, []string{"0 a", "! p:2: file ends within the record, expected whole JSON: unexpected EOF"}},
		{"list too short", "gold.sql", lines, "p", `["a", "b"]`, []string{"0 a", "1 b", "! p: has 2 predictions, expected the 3 of gold.sql"}},
		{"list too long", "gold.sql", lines, "p", `["a", "b", "c", "d"]`, []string{"0 a", "1 b", "2 c", "! p: has 4 predictions, expected the 3 of gold.sql"}},
		{"lines of JSON", "gold.sql", lines, "p", "{\"id\": 1, \"sql\": \"b\"}\n\n{\"id\": 0, \"sql\": \"a\"}\n{\"id\": 2, \"sql\": \"c\"}\n", []string{"0 a", "1 b", "2 c"}},
		{"lines of JSON texts", "gold.sql", lines, "p", "\"a\"\n\"b\"\n{\"x\": 1}\n", []string{"0 a", "1 b", "! p:3: " + noSQL([]string{"x"}).Error(), "2 ! " + noSQL([]string{"x"}).Error()}},
		{"CSV", "gold.sql", lines, "p", "id,sql\r\n2,c\r\n0,\"a,\n\"\"b\"\"\"\r\n1,b\r\n", []string{"0 a,\n\"b\"", "1 b", "2 c"}},
		{"CSV in order", "gold.sql", lines, "p", "question,sql\nq,a\nq,b\nq,c\n", []string{"0 a", "1 b", "2 c"}},
		{"lines that are no CSV", "gold.sql", lines, "p.csv", "SELECT a, b\nb\n[c]", []string{"0 SELECT a, b", "1 b", "2 [c]"}},
		{"UTF-16", "gold.sql", lines, "p", "\xff\xfea\x00\n\x00b\x00\n\x00\xe9\x00", []string{"0 a", "1 b", "2 é"}},
		{"UTF-16 without mark", "gold.sql", lines, "p", "\x00a\x00b", []string{"! p: " + errUTF16.Error()}},
		{"not text", "gold.sql", lines, "p.json", `{"0": 5, "1": "b", "2": "c"}`, []string{"0 ! record is a number, expected a string", "1 b", "2 c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			gold, pred := filepath.Join(dir, tt.gold), filepath.Join(dir, tt.pred)
			for path, text := range map[string]string{gold: tt.goldText, pred: tt.predText} {
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for p, err := range all(Pairs(gold, pred)) {
				switch {
				case err != nil:
					got = append(got, "! "+strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
				case p.Problem != nil:
					got = append(got, fmt.Sprintf("%d ! %v", p.Index, p.Problem))
				default:
					got = append(got, fmt.Sprint(p.Index, " ", p.Prediction))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPairsWithoutFiles(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.sql")
	for _, err := range all(Pairs(missing, missing)) {
		if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), missing) {
			t.Errorf("got %v, want one that names the file", err)
		}
	}
}

func FuzzPairs(f *testing.F) {
	f.Add("SELECT 1\tdb\n", "a\n", false)
	f.Add("SELECT 1\tdb\n\n", `{"0": "a"}`, true)
	f.Fuzz(func(t *testing.T, goldText, predText string, object bool) {
		dir := t.TempDir()
		gold, pred := filepath.Join(dir, "gold.sql"), filepath.Join(dir, "p.sql")
		if object {
			pred = filepath.Join(dir, "p.json")
		}
		if err := errors.Join(os.WriteFile(gold, []byte(goldText), 0o666), os.WriteFile(pred, []byte(predText), 0o666)); err != nil {
			t.Fatal(err)
		}
		last := -1
		for p, err := range all(Pairs(gold, pred)) {
			if err != nil {
				continue
			}
			if p.Index <= last {
				t.Fatalf("record %d after %d", p.Index, last)
			}
			last = p.Index
		}
	})
}
