package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeAnswers(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "answers.json")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadAnswers(t *testing.T) {
	path := writeAnswers(t, ` [{"db_id": "d", "question": "Now?", "result": "a\nFROM  b;"}, {"db_id": "d", "question": "now", "prediction": "later"},
		3, {"db_id": "d", "question": "Don't  they?", "prediction": "SELECT\n1"}, {"db_id": "d", "question": "x", "result": "WITH y"}, {"db_id": "d", "question": "z"}]`)
	if is, err := IsAnswers(path); err != nil || !is {
		t.Errorf("IsAnswers = %v, %v", is, err)
	}
	var problems []error
	answers, err := ReadAnswers(path, func(err error) { problems = append(problems, err) })
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) != 2 || !strings.Contains(problems[0].Error(), ":3: expected an object") || !strings.Contains(problems[1].Error(), ":6: ") {
		t.Errorf("problems %v", problems)
	}
	for question, want := range map[string]string{"now ?": "SELECT a FROM b;", "don't they": "SELECT 1", "x?": "WITH y", "other": ""} {
		if sql, ok := answers.Of("d", question); sql != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", question, sql, ok, want)
		}
	}
	if _, ok := answers.Of("e", "now"); ok {
		t.Error("a question of another database is answered")
	}
}

func TestReadAnswersErrors(t *testing.T) {
	for _, text := range []string{"", "SELECT 1\n", `{"0": "SELECT 1"}`} {
		path := writeAnswers(t, text)
		if is, err := IsAnswers(path); err != nil || is {
			t.Errorf("%q: IsAnswers = %v, %v, want false", text, is, err)
		}
		if _, err := ReadAnswers(path, func(error) {}); err == nil || !strings.Contains(err.Error(), "expected a JSON array") {
			t.Errorf("%q: error %v", text, err)
		}
	}
	for end, want := range map[string]string{`, {"db`: "answers.json:2: ", ` `: "answers.json: breaks off", `,`: "answers.json:2: "} {
		answers, err := ReadAnswers(writeAnswers(t, `[{"db_id": "d", "question": "q", "prediction": "p"}`+end), func(error) {})
		if err == nil || !strings.Contains(err.Error(), want) || len(answers) != 1 {
			t.Errorf("cut off behind %q: %v, error %v, want %q", end, answers, err, want)
		}
	}
	if _, err := IsAnswers(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there has answers")
	}
}
