package serve_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// object is a JSON object.
type object = map[string]any

// rows writes a header of two names and a row for each answer.
func rows(header string, separator rune, answer func(sql string) string) func([]string) string {
	return func(sql []string) string {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Comma = separator
		w.Write(strings.Split(header, string(separator)))
		for i, s := range sql {
			w.Write([]string{fmt.Sprint(i), answer(s)})
		}
		w.Flush()
		return b.String()
	}
}

// objects writes an object a line.
func objects(record func(i int, sql string) object) func([]string) string {
	return func(sql []string) string {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		for i, s := range sql {
			enc.Encode(record(i, s))
		}
		return b.String()
	}
}

// TestFormsSameAsEval judges the same SQL in all forms of predictions by evaluate and by the service.
func TestFormsSameAsEval(t *testing.T) {
	dir, o := sampleData(t)
	gold := filepath.Join(dir, "dev.json")
	want, requests := evaluated(t, o.Evaluate, gold, filepath.Join(dir, "predictions.txt"))
	url := start(t, o)
	var sql []string
	for i := range want {
		if !strings.HasPrefix(strings.ToUpper(requests[i].Pred), "SELECT") {
			requests[i].Pred, want[i] = "SELECT 1 FROM nowhere", ""
		}
		sql = append(sql, requests[i].Pred)
	}
	for i, a := range served(ask(t, url, requests...), o.Evaluate) {
		if want[i] == "" {
			want[i] = a
		}
	}
	verdicts := func(lines []string) []string {
		return lists.Map(lines, func(l string) string { return l[:len("111")] }) // reasons have a position or ";"
	}

	same := func(s string) string { return s }
	fenced := func(s string) string { return "Here it is:\n```sql\n" + s + ";\n```\nIt answers the question." }
	wrongs := func(s string) string {
		return "<think>SELECT 1?\n```sql\nSELECT 1\n```</think>\n**SQL:** " + s + ";\nSELECT 2"
	}
	under := func(name string, answer func(string) string) func(int, string) object {
		return func(i int, s string) object { return object{"id": i, name: answer(s)} }
	}
	jsonOf := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	message := func(s string) object { return object{"role": "assistant", "content": fenced(s)} }
	batch := func(i int, s string) object {
		return object{"id": fmt.Sprint("batch_req_", 99-i), "custom_id": fmt.Sprint("request-", i), "error": nil,
			"response": object{"status_code": 200, "body": object{"id": "c", "object": "chat.completion", "choices": []any{object{"index": 0, "message": message(s)}}}}}
	}
	prompted := func(i int, s string) object {
		return object{"id": i, "prompt": "-- SQL\nSELECT", "text": s[len("SELECT"):]}
	}
	for name, form := range map[string]struct {
		file    func(sql []string) string
		request func(i int, sql string) object // what the service gets beside db_id and gold
	}{
		"lines":             {func(sql []string) string { return strings.Join(sql, "\n") + "\n" }, under("pred", same)},
		"array of texts":    {func(sql []string) string { return jsonOf(sql) }, under("pred", wrongs)},
		"BIRD":              {func(sql []string) string { return birdOf(sql, jsonOf) }, under("pred", same)},
		"CSV":               {rows("id,generated_sql", ',', fenced), under("generated_sql", fenced)},
		"TSV":               {rows("id\tgenerated_sql", '\t', wrongs), under("generated_sql", wrongs)},
		"semicolons":        {rows("Index;Prediction", ';', fenced), under("Prediction", fenced)},
		"sql":               {objects(under("sql", same)), under("sql", same)},
		"fences":            {objects(under("response", fenced)), under("response", fenced)},
		"reasoning":         {objects(under("output", wrongs)), under("output", wrongs)},
		"generated_text":    {objects(under("generated_text", fenced)), under("generated_text", fenced)},
		"prompt":            {objects(prompted), prompted},
		"batch of OpenAI":   {objects(batch), func(i int, s string) object { return object{"id": i, "response": batch(i, s)["response"]} }},
		"list of messages":  {objects(func(i int, s string) object { return object{"id": i, "completion": []any{message(s)}} }), func(_ int, s string) object { return object{"pred": []any{message(s)}} }},
		"null beside other": {objects(func(i int, s string) object { return object{"id": i, "sql": nil, "text": s} }), func(_ int, s string) object { return object{"pred": []any{object{"text": s}}} }},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "answers")
			if err := os.WriteFile(path, []byte(form.file(sql)), 0o666); err != nil {
				t.Fatal(err)
			}
			var got []string
			pairs := evaluate.Extract(false, false).Of(dataset.Pairs(gold, path))
			if err := evaluate.Run(t.Context(), pairs, o.Evaluate, func(r *evaluate.Record) error {
				got = append(got, recordLine(r, o.Evaluate.Metrics))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(verdicts(want), verdicts(got)); diff != "" {
				t.Errorf("eval (-lines +form):\n%s", diff)
			}
			var asked []object
			for i, s := range sql {
				r := form.request(i, s)
				r["db_id"], r["gold"] = requests[i].DB, requests[i].Gold
				asked = append(asked, r)
			}
			_, body := post(t, url, jsonOf(asked))
			if diff := cmp.Diff(verdicts(want), verdicts(served(answersOf(t, body), o.Evaluate))); diff != "" {
				t.Errorf("serve (-lines +form):\n%s", diff)
			}
		})
	}
}

// birdOf returns predictions as BIRD has them.
func birdOf(sql []string, jsonOf func(any) string) string {
	byIndex := map[string]string{}
	for i, s := range sql {
		byIndex[fmt.Sprint(i)] = s + "\t----- bird -----\tdb"
	}
	return jsonOf(byIndex)
}
