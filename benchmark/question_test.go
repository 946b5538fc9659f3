package benchmark_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// recorded makes a perturbation that reports the edits that f makes of each
// example; none where it returns nil.
func recorded(name string, relation perturb.Relation, f func(*perturb.Example) []perturb.Edit) *perturb.Perturbation {
	return &perturb.Perturbation{
		Name: "test/" + name, Doc: "For a test.", Paper: "none", Version: 1, Relation: relation,
		Run: func(p *perturb.Pass) error {
			for _, ex := range p.Examples {
				if edits := f(ex); edits != nil {
					p.Report(perturb.Variant{Examples: []*perturb.Example{ex}, Edits: edits})
				}
			}
			return nil
		},
	}
}

func readRecords(t *testing.T, out string) (records []dataset.Record) {
	t.Helper()
	for r, err := range streamtest.AllOfPlainFile(recordfile.Read, filepath.Join(out, benchmark.RecordsFile)) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

func buildSample(t *testing.T, p *perturb.Perturbation) (string, benchmark.Result) {
	t.Helper()
	c := sampleConfig(t)
	c.Perturbations = []*perturb.Perturbation{p}
	out, m := mustBuild(t, perturbtest.WriteSample(t), c)
	return out, m.Perturbations[0]
}

// TestQuestionEdits checks that a build of edits of questions leaves databases
// and gold SQL as they are and writes the new questions with their tokens.
func TestQuestionEdits(t *testing.T) {
	out, r := buildSample(t, recorded("question", perturb.Invariant, func(ex *perturb.Example) []perturb.Edit {
		return []perturb.Edit{perturb.ReplaceSpan{With: "Please answer: "}}
	}))
	if r.Verified == 0 || r.Verified != r.Examples || r.RejectedTotal() != 0 {
		t.Fatalf("verified %d of %d, rejected %v", r.Verified, r.Examples, r.Rejected)
	}
	for _, rec := range readRecords(t, out) {
		if rec.DBPost != rec.DBPre || rec.QuestionPost != "Please answer: "+rec.QuestionPre {
			t.Errorf("example %d: database %s, question %q", rec.Example, rec.DBPost, rec.QuestionPost)
		}
	}
	var before []*dataset.Example
	for _, u := range perturbtest.Units(t, filepath.Join(out, "test", "question", "pre")) {
		before = append(before, u.Examples...)
	}
	var after []*dataset.Example
	for _, u := range perturbtest.Units(t, filepath.Join(out, "test", "question", "post")) {
		if u.DB.SQLite == "" {
			t.Errorf("%s has no content after the edits", u.DB.ID)
		}
		after = append(after, u.Examples...)
	}
	if len(before) != len(after) || len(after) != r.Verified {
		t.Fatalf("%d examples before, %d after, want %d", len(before), len(after), r.Verified)
	}
	for i, ex := range after {
		if ex.Tokens[0] != "Please" || ex.Tokens[1] != "answer" {
			t.Errorf("example %d has the tokens %q", i, ex.Tokens)
		}
	}
}

// TestRetargeted checks what becomes of gold SQL that changes with its question.
func TestRetargeted(t *testing.T) {
	some := shared.Every(4) // of the examples: each runs on many generated databases
	var changed, same int
	for _, test := range []struct {
		name   string
		query  func(*perturb.Example) string
		ask    string
		reason perturb.Reason // of the rejection; empty where records are written
		differ bool
	}{
		{name: "flipped", query: func(ex *perturb.Example) string {
			if ex.Index%some != 0 || !strings.Contains(ex.Query, " DESC") {
				return ""
			}
			changed++
			return strings.Replace(ex.Query, " DESC", " ASC", 1)
		}, ask: "Now the other way: ", differ: true},
		{name: "equal", query: func(ex *perturb.Example) string {
			if ex.Index%some != 0 || strings.Contains(ex.Query, " LIMIT ") {
				return ""
			}
			same++
			return ex.Query + " LIMIT 1000000"
		}, ask: "Again: "},
		{name: "kept", query: func(ex *perturb.Example) string { return ex.Query }, ask: "Again: ", reason: "gold-unchanged"},
		{name: "broken", query: func(*perturb.Example) string { return "SELECT nothing FROM nowhere" }, ask: "What? ", reason: "rewritten-unresolved"},
		{name: "fails", query: func(*perturb.Example) string { return "SELECT json('{')" }, ask: "What? ", reason: "rewritten-fails"},
		{name: "silent", query: func(ex *perturb.Example) string { return ex.Query }, reason: "question-unchanged"},
	} {
		_, r := buildSample(t, recorded(test.name, perturb.Retargeted, func(ex *perturb.Example) []perturb.Edit {
			query := test.query(ex)
			if query == "" {
				return nil
			}
			return []perturb.Edit{perturb.ReplaceSpan{With: test.ask}, perturb.RewriteSQL{Query: query}}
		}))
		switch {
		case test.reason != "":
			if r.Verified != 0 || r.Rejected[test.reason] != r.Examples {
				t.Errorf("%s: verified %d, rejected %v, want %d for %q", test.name, r.Verified, r.Rejected, r.Examples, test.reason)
			}
		case test.differ:
			if r.Verified == 0 || r.Verified+r.Rejected["answer-left-open"] != changed || r.Differ < r.Verified*9/10 {
				t.Errorf("%s: %d changed, verified %d, of which %d differ on generated content", test.name, changed, r.Verified, r.Differ)
			}
		default:
			if r.Verified != same || r.Differ != 0 || r.Weak != same {
				t.Errorf("%s: verified %d, %d differ, %d weak, want %d, 0, all", test.name, r.Verified, r.Differ, r.Weak, same)
			}
		}
	}
}

// TestQuestionReason checks that an edit that does not fit its question is a
// rejection of that record alone.
func TestQuestionReason(t *testing.T) {
	_, r := buildSample(t, recorded("misfit", perturb.Invariant, func(ex *perturb.Example) []perturb.Edit {
		if ex.Index%2 == 0 {
			return []perturb.Edit{perturb.ReplaceSpan{Start: 0, End: 3, Was: "\x00\x00\x00", With: "x"}}
		}
		return []perturb.Edit{perturb.SetQuestion{Question: "Another one?"}}
	}))
	if bad := r.Rejected["question-refuses-edits"]; bad == 0 || r.Verified == 0 || bad+r.Verified != r.Examples {
		t.Errorf("verified %d, rejected %v of %d", r.Verified, r.Rejected, r.Examples)
	}
}

// TestRetargetedUndecided checks that a record does not speak of generated content
// on which its gold SQL never ran.
func TestRetargetedUndecided(t *testing.T) {
	const where = ` WHERE json(CASE WHEN (SELECT count(*) FROM Patients) = 18 THEN '1' ELSE '{' END) = '1'` // fails where there are more or less
	out, r := buildSample(t, recorded("undecided", perturb.Retargeted, func(ex *perturb.Example) []perturb.Edit {
		if !strings.HasSuffix(ex.Query, "FROM Doctors") {
			return nil
		}
		return []perturb.Edit{perturb.ReplaceSpan{With: "Again: "}, perturb.RewriteSQL{Query: ex.Query + where}}
	}))
	records := readRecords(t, out)
	if len(records) == 0 {
		t.Fatalf("no record; rejected %v", r.Rejected)
	}
	for _, rec := range records {
		if rec.Content != dataset.ContentOriginal || rec.Conclusive {
			t.Errorf("example %d ran on %q, conclusive %v, want %q, false", rec.Example, rec.Content, rec.Conclusive, dataset.ContentOriginal)
		}
	}
}
