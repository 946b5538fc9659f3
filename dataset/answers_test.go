package dataset

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeAnswers(t testing.TB, text string) Input {
	t.Helper()
	path := filepath.Join(t.TempDir(), "answers.json")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return File(path)
}

// TestAnswersByQuestion checks answers that are joined by database and question.
func TestAnswersByQuestion(t *testing.T) {
	in := writeAnswers(t, ` [{"db_id": "d", "question": "Now?", "sql": "a\nFROM  b;"}, 3, {"db_id": "d", "question": "\"Don't\"  they?", "prediction": "SELECT\n1"},
		{"db_id": "d", "question": "price > 5?", "gold": "none", "predicted": "more"}, {"db_id": "d", "question": "price < 5?", "sql": "less"}, {"db_id": "d", "question": "z"}]`)
	var problems []error
	report := func(err error) { problems = append(problems, err) }
	p, err := OpenPredictions(in, Expected{}, report)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for question, want := range map[string]string{"now ?": "a\nFROM  b;", "“do n't” they": "SELECT\n1", "Price > 5 ?": "more", "price < 5": "less", "price 5?": "", "other": ""} {
		pair, err := p.pair(&Example{DB: "d", Question: question}, 0, report)
		if err != nil || pair.Prediction != want || !pair.Structured || (pair.Problem == ErrNotAsked) != (want == "") {
			t.Errorf("%q: %+v, %v, want %q", question, pair, err, want)
		}
	}
	if pair, _ := p.pair(&Example{DB: "e", Question: "now"}, 0, report); pair.Problem != ErrNotAsked {
		t.Error("a question of another database is answered")
	}
	if pair, _ := p.pair(&Example{DB: "d__0123456789", Question: "now"}, 0, report); pair.Prediction != "a\nFROM  b;" {
		t.Error("a question of a perturbed database is not answered under the original's name")
	}
	if pair, _ := p.pair(&Example{DB: "d", Question: "z"}, 0, report); !errors.Is(pair.Problem, errNoSQL) {
		t.Errorf("an answer without SQL: %v", pair.Problem)
	}
	if err := p.End(); err != nil || len(problems) != 2 || !strings.Contains(problems[0].Error(), ":2: record is a number") || !strings.Contains(problems[1].Error(), `:6: found "db_id", "question"; expected SQL`) {
		t.Errorf("problems %v, %v", problems, err)
	}
}

// TestAnswersContinue checks answers to prompts that end in SELECT, in JSON and CSV.
func TestAnswersContinue(t *testing.T) {
	for _, c := range []struct{ prompt, answer, want string }{
		{"ask\n SELECT", "a FROM b", "SELECT a FROM b"},
		{"ask select ", "a\nUNION\nSELECT b", "SELECT a\nUNION\nSELECT b"},
		{"SELECT", "(SELECT 1) UNION SELECT 2", "(SELECT 1) UNION SELECT 2"},
		{"SELECT", "SELECT\na FROM b", "SELECT\na FROM b"},
		{"SELECT", "with x AS (SELECT 1) SELECT 2", "with x AS (SELECT 1) SELECT 2"},
		{"SELECT", "-- all\n/* of */ SELECT 1", "-- all\n/* of */ SELECT 1"},
		{"SELECT", "```sql\nSELECT 1\n```", "```sql\nSELECT 1\n```"},
		{"SELECT", "selected FROM b", "SELECT selected FROM b"},
		{"SELECT", "", ""},
		{"write SELECTs", "a FROM b", "a FROM b"},
		{"", "a FROM b", "a FROM b"},
	} {
		record, _ := json.Marshal([]map[string]string{{"result": c.answer, "prompt": c.prompt}})
		quoted := strings.NewReplacer(`"`, `""`)
		for _, text := range []string{string(record), "prompt,result\n\"" + quoted.Replace(c.prompt) + "\",\"" + quoted.Replace(c.answer) + "\"\n"} {
			in := writeAnswers(t, text)
			form, err := detectForm(in)
			if err != nil {
				t.Fatal(err)
			}
			if err := readAnswers(in, form, func(a answer) error {
				if a.text != c.want || a.problem != nil {
					t.Errorf("%q: %q, %v, want %q", text, a.text, a.problem, c.want)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAnswersErrors(t *testing.T) {
	for end, want := range map[string]string{`, {"db`: "answers.json:2: ", ` `: "answers.json:1: file ends here", `,`: "answers.json:2: "} {
		_, err := OpenPredictions(writeAnswers(t, `[{"db_id": "d", "question": "q", "prediction": "p"}`+end), Expected{}, func(error) {})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("cut off behind %q: error %v, want %q", end, err, want)
		}
	}
	if _, err := OpenPredictions(File(filepath.Join(t.TempDir(), "none")), Expected{}, func(error) {}); err == nil {
		t.Error("a file that is not there has answers")
	}
}

// TestOpenInput checks that what is piped can be read twice, and leaves nothing behind.
func TestOpenInput(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	in, err := OpenInput(Standard, strings.NewReader("SELECT 1\n"))
	if err != nil || in.Name != "standard input" {
		t.Fatal(in, err)
	}
	for range 2 {
		if s, err := countLines(in); err != nil || s.all != 1 {
			t.Errorf("%+v, %v; want one line", s, err)
		}
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
