package dataset

import (
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
	in := writeAnswers(t, ` [{"db_id": "d", "question": "Now?", "result": "a\nFROM  b;"}, {"db_id": "d", "question": "now", "prediction": "later"},
		3, {"db_id": "d", "question": "Don't  they?", "prediction": "SELECT\n1"}, {"db_id": "d", "question": "x", "result": "WITH y"}, {"db_id": "d", "question": "z"}]`)
	var problems []error
	p, err := OpenPredictions(in, Expected{}, func(err error) { problems = append(problems, err) })
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if len(problems) != 2 || !strings.Contains(problems[0].Error(), ":3: record is a number") || !strings.Contains(problems[1].Error(), ":6: expected SQL as one of") {
		t.Errorf("problems %v", problems)
	}
	for question, want := range map[string]string{"now ?": "SELECT a\nFROM  b;", "don't they": "SELECT\n1", "x?": "WITH y", "other": ""} {
		pair, err := p.pair(&Example{DB: "d", Question: question}, 0)
		if err != nil || pair.Prediction != want || !pair.Structured || (pair.Problem == ErrNotAsked) != (want == "") {
			t.Errorf("%q: %+v, %v, want %q", question, pair, err, want)
		}
	}
	if pair, _ := p.pair(&Example{DB: "e", Question: "now"}, 0); pair.Problem != ErrNotAsked {
		t.Error("a question of another database is answered")
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
		if s, err := shapeOf(in); err != nil || s.lines != 1 {
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
