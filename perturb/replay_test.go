package perturb_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// renames reports two samples: all columns renamed, for all examples, and one table
// renamed, for every second example.
var renames = &perturb.Perturbation{
	Name: "test/renames", Doc: "Renames.", Paper: "none", Version: 1, Relation: perturb.Renamed,
	Run: func(p *perturb.Pass) error {
		edits, _ := renameAll(p.DB)
		p.Report(perturb.Variant{Sample: 0, Examples: p.Examples, Edits: edits})
		var odd []*perturb.Example
		for i, ex := range p.Examples {
			if i%2 == 1 {
				odd = append(odd, ex)
			}
		}
		p.Report(perturb.Variant{Sample: 1, Examples: odd, Edits: []perturb.Edit{
			perturb.RenameTable{Table: p.DB.Tables[0].Original, Name: "things", Natural: "things"},
		}})
		return nil
	},
}

// questions reports two paraphrases of each example, the second the same for all.
var questions = &perturb.Perturbation{
	Name: "test/questions", Doc: "Asks otherwise.", Paper: "none", Version: 1, Relation: perturb.Invariant,
	Run: func(p *perturb.Pass) error {
		for sample := range 2 {
			for _, ex := range p.Examples {
				var e perturb.Edit = perturb.SetQuestion{Question: "What & <why>?", From: dataset.Candidate{Source: "a person", Forward: 1}}
				if sample == 0 {
					end := english.Tokens(ex.Question)[0].End
					e = perturb.ReplaceSpan{End: end, Was: ex.Question[:end], With: "Tell me"}
				}
				p.Report(perturb.Variant{Sample: sample, Examples: []*perturb.Example{ex}, Edits: []perturb.Edit{e}})
			}
		}
		return nil
	},
}

// changes reports other gold SQL for the first example of each database.
var changes = &perturb.Perturbation{
	Name: "test/changes", Doc: "Asks for something else.", Paper: "none", Version: 1, Relation: perturb.Retargeted,
	Run: func(p *perturb.Pass) error {
		p.Report(perturb.Variant{Examples: p.Examples[:1], Edits: []perturb.Edit{
			perturb.SetQuestion{Question: "Which number?"}, perturb.RewriteSQL{Query: "SELECT 7", Was: "all", Now: "7"},
		}})
		return nil
	},
}

// records are what a build writes of variants.
func records(t *testing.T, p *perturb.Perturbation, variants []perturb.Variant) []dataset.Record {
	t.Helper()
	var out []dataset.Record
	for _, v := range variants {
		edits, err := perturb.MarshalEdits(v.Edits)
		if err != nil {
			t.Fatal(err)
		}
		for _, ex := range v.Examples {
			out = append(out, dataset.Record{
				Perturbation: p.Name, Relation: string(p.Relation), Sample: int32(v.Sample), Example: int32(ex.Index), DBPre: ex.DB,
				QuestionPre: ex.Question, QueryPre: ex.Query, Edits: string(edits), Verdict: dataset.VerdictVerified,
			})
		}
	}
	return out
}

func sequence(list []dataset.Record) dataset.Stream[dataset.Record] {
	return func(_ func(error), each func(dataset.Record) error) error {
		for _, r := range list {
			if err := each(r); err != nil {
				return err
			}
		}
		return nil
	}
}

func replayFS(text string) fs.FS { return fstest.MapFS{"edits.jsonl": {Data: []byte(text)}} }

// told is a variant as text, to compare it by.
func told(t *testing.T, v perturb.Variant) string {
	t.Helper()
	edits, err := perturb.MarshalEdits(v.Edits)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("sample %d %s:", v.Sample, edits)
	for _, ex := range v.Examples {
		text += fmt.Sprint(" ", ex.Index)
	}
	return text
}

// TestReplayRoundTrip checks that the records of a build, written and replayed, give
// the variants of the build.
func TestReplayRoundTrip(t *testing.T) {
	units := perturbtest.Units(t, perturbtest.WriteSample(t))
	for _, p := range []*perturb.Perturbation{renames, questions, changes} {
		want := map[string][]perturb.Variant{}
		var all []dataset.Record
		for _, u := range units {
			want[u.DB.ID], _ = perturbtest.Run(t, p, u.DB, perturbtest.Examples(t, u), nil, 2, 1)
			all = append(all, records(t, p, want[u.DB.ID])...)
		}
		all = append(all, dataset.Record{Perturbation: p.Name, Verdict: "answer-changed"})
		var file bytes.Buffer
		head := perturb.ReplayHead{Name: "replay/again", Doc: p.Doc, Paper: p.Paper, Relation: p.Relation}
		if err := perturb.WriteReplay(&file, head, sequence(all)); err != nil {
			t.Fatal(err)
		}
		unexpected := func(err error) { t.Error(err) }
		r, err := perturb.Replay("edits.jsonl", replayFS(file.String()), unexpected)
		if err != nil {
			t.Fatal(err)
		}
		r.Check(units, unexpected)
		if err := perturb.Validate([]*perturb.Perturbation{p, r.Perturbation}); err != nil {
			t.Error(err)
		}
		for _, u := range units {
			got, rejected := perturbtest.Run(t, r.Perturbation, u.DB, perturbtest.Examples(t, u), nil, r.Samples(), 1)
			if len(got) != len(want[u.DB.ID]) || len(rejected) > 0 {
				t.Fatalf("%s: %s: %d variants, want %d; rejected %v", p.Name, u.DB.ID, len(got), len(want[u.DB.ID]), rejected)
			}
			for i := range got {
				if diff := cmp.Diff(told(t, want[u.DB.ID][i]), told(t, got[i])); diff != "" {
					t.Errorf("%s: %s: variant %d (-want +got):\n%s", p.Name, u.DB.ID, i, diff)
				}
			}
			if fewer, _ := perturbtest.Run(t, r.Perturbation, u.DB, perturbtest.Examples(t, u), nil, 0, 1); len(fewer) > 0 {
				t.Errorf("%s: %s: %d variants of no samples", p.Name, u.DB.ID, len(fewer))
			}
		}
	}
}

const replayHead = `{"name":"person/notes","doc":"What a person wrote.","paper":"none","relation":"invariant"}` + "\n"

// TestReplayProblems checks what is said of each bad line, and that the others count.
func TestReplayProblems(t *testing.T) {
	const ask = `"edits":[{"edit":"set-question","question":"Why?"}]`
	units := []*dataset.Unit{{DB: twoTables(), Examples: []*dataset.Example{
		{Index: 3, DB: "music", Question: "How many?", Query: "SELECT count(*) FROM singer"},
		{Index: 5, DB: "music", Question: "Who?", Query: "SELECT * FROM singer"},
		{Index: 8, DB: "music", Question: "Who?", Query: "SELECT name FROM singer"},
	}}}
	var lines strings.Builder
	var want []string
	for i, test := range []struct{ line, problem string }{
		{`{"db_id":"music","example":3,` + ask + `}`, ""},
		{`{"db_id":"music","example":3,"sample":1,` + ask + `}`, ""},
		{`{"db_id":"music","question":"Who?",` + ask + `}`, ""},
		{`{"db_id":"music","question":"Who?","query":"SELECT name FROM singer",` + ask + `}`, ""},
		{``, ""},
		{`not JSON`, `invalid character 'o' in literal null (expecting 'u'), expected a JSON object with db_id, example,`},
		{`{"db_id":"music","exampel":3,` + ask + `}`, `unknown field "exampel", expected a JSON object with`},
		{`{"db_id":"music","example":"3",` + ask + `}`, "cannot unmarshal string"},
		{`{"db_id":"music","example":-1,` + ask + `}`, `"example" is -1, expected`},
		{`{"db_id":"music","example":3,"sample":-1,` + ask + `}`, `"sample" is -1, expected 0 to 9999`},
		{`{"db_id":"music","example":3,"sample":10000,` + ask + `}`, `"sample" is 10000, expected`},
		{`{"example":3,` + ask + `}`, `lacks "db_id"`},
		{`{"db_id":"music",` + ask + `}`, `lacks both "example" and "question"`},
		{`{"db_id":"music","example":3,"edits":[]}`, `"edits" is empty`},
		{`{"db_id":"music","example":3}`, `edits: `},
		{`{"db_id":"music","example":3,"edits":[{"edit":"drop-view"}]}`, `edit 0: "edit" is "drop-view", expected one of "add-column"`},
		{`{"db_id":"music","example":3,"edits":[{"edit":"rename-table","name":"a","natural":"a"}]}`, `relation invariant does not allow the edit rename-table`},
		{`{"db_id":"music","example":3,"edits":[{"edit":"add-column","name":"a\nb","natural":"a","type":"text"}]}`, `edit 0: name "a\nb", expected`},
		{`{"db_id":"music","example":3,"edits":[{"edit":"add-column","name":"","natural":"order","type":"text"}]}`, `edit 0: name "", expected`},
		{`{"db_id":"music","example":3,"edits":[{"edit":"add-column","name":"a","natural":"a","type":"blob"}]}`, `edit 0: type "blob", expected one of`},
		{`{"db_id":"music","example":3,"edits":[{"edit":"set-question","question":" "}]}`, `edit 0: a natural name or a question is empty`},
		{`{"db_id":"music","example":3,` + ask + `}`, "example and sample are those of line 2, expected one line for each"},
		{`{"db_id":"music","example":3,` + ask + `}}`, "something follows the JSON object"},
		{"{\"db_id\":\"\xff\"}", "text is not UTF-8"},
		{`{"db_id":"` + strings.Repeat("x", 16<<20) + `"}`, "line is larger than 16 MiB"},
		// The rest is for Check to see.
		{`{"db_id":"music","example":4,` + ask + `}`, "example 4 is none of music"},
		{`{"db_id":"other","example":3,` + ask + `}`, `no example of the data set has the db_id "other"`},
		{`{"db_id":"music","example":5,"sample":1,"question":"When?",` + ask + `}`, `the question of example 5 is "Who?", expected "When?"`},
		{`{"db_id":"music","example":5,"sample":2,"query":"SELECT 1",` + ask + `}`, `the gold SQL of example 5 is "SELECT * FROM singer", expected "SELECT 1"`},
		{`{"db_id":"music","question":"Where?",` + ask + `}`, "no example of music has this question and query"},
		{`{"db_id":"music","example":8,` + ask + `}`, "example 8 and sample 0 are those of line 5, expected one line for each"},
	} {
		fmt.Fprintln(&lines, test.line)
		if test.problem != "" {
			want = append(want, fmt.Sprintf("edits.jsonl:%d: %s", i+2, test.problem))
		}
	}
	problems := map[string]bool{}
	report := func(err error) { problems[err.Error()] = true }
	r, err := perturb.Replay("edits.jsonl", replayFS("\xef\xbb\xbf"+replayHead+lines.String()), report)
	if err != nil {
		t.Fatal(err)
	}
	r.Check(units, report)
	allProblems(t, problems, want)
	var examples []*perturb.Example
	for _, ex := range units[0].Examples {
		example, err := perturb.NewExample(units[0].DB, ex)
		if err != nil {
			t.Fatal(err)
		}
		examples = append(examples, example)
	}
	var got []string
	pass := &perturb.Pass{
		Context: t.Context(), DB: units[0].DB, Samples: 5, Examples: examples,
		Report: func(v perturb.Variant) {
			got = append(got, fmt.Sprint(v.Sample, " ", v.Examples[0].Index, " ", len(v.Examples)))
		},
		Reject: func(ex *perturb.Example, sample int, reason perturb.Reason, detail ...string) {
			t.Errorf("%d: %s %s", ex.Index, reason, detail)
		},
	}
	if err := r.Run(pass); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"0 3 1", "0 5 1", "0 8 1", "1 3 1"}, got); diff != "" {
		t.Errorf("variants: sample, example, how many (-want +got):\n%s", diff)
	}
}

// allProblems compares problems, of which it takes out those it finds, with how each is to
// begin.
func allProblems(t *testing.T, left map[string]bool, want []string) {
	t.Helper()
	for _, w := range want {
		found := false
		for text := range left {
			if strings.HasPrefix(text, w) {
				delete(left, text)
				found = true
				break
			}
		}
		if !found {
			t.Errorf("no problem begins with %q", w)
		}
	}
	for text := range left {
		t.Errorf("problem %.200q was not expected", text)
	}
}

// TestReplayMisfit checks that edits which do not fit are rejected, example by example.
func TestReplayMisfit(t *testing.T) {
	u := perturbtest.Units(t, perturbtest.WriteSample(t))[0]
	head := strings.Replace(replayHead, "invariant", "renamed", 1)
	rename := func(example int, table, name string) string {
		return fmt.Sprintf(`{"db_id":%q,"example":%d,"edits":[{"edit":"rename-table","table":%q,"name":%q,"natural":"x"}]}`+"\n", u.DB.ID, example, table, name)
	}
	for _, test := range []struct{ file, want string }{
		{head + rename(0, "nothing", "x"), "no table nothing to rename"},
		{head + rename(0, u.DB.Tables[0].Original, u.DB.Tables[1].Original), "already"},
		{replayHead + fmt.Sprintf(`{"db_id":%q,"example":0,"edits":[{"edit":"replace-span","start":0,"end":900,"was":"x"}]}`+"\n", u.DB.ID), "leaves the question"},
		{replayHead + fmt.Sprintf(`{"db_id":%q,"example":0,"edits":[{"edit":"replace-span","start":-1,"end":2}]}`+"\n", u.DB.ID), "overlaps"},
	} {
		var problems []error
		r, err := perturb.Replay("edits.jsonl", replayFS(test.file+rename(1, "", "")), func(err error) { problems = append(problems, err) })
		if err != nil {
			t.Fatal(err)
		}
		variants, rejected := perturbtest.Run(t, r.Perturbation, u.DB, perturbtest.Examples(t, u), nil, 1, 1)
		if len(variants) > 0 || len(rejected) != 1 || rejected[0].Reason != "recorded-edits-do-not-fit" || !strings.Contains(rejected[0].Detail, test.want) {
			t.Errorf("%s: %d variants, rejected %v, want %q; problems %v", test.file, len(variants), rejected, test.want, problems)
		}
	}
}

func TestReplayHeadErrors(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"", "edits.jsonl: has no lines"},
		{"\n\n", "edits.jsonl: has no lines"},
		{"[]", "edits.jsonl:1: the first line is no head"},
		{`{"db_id":"music"}`, `edits.jsonl:1: the first line is no head: unknown field "db_id"`},
		{strings.Replace(replayHead, "person/notes", "../../etc", 1), `edits.jsonl:1: "name" is "../../etc", expected family/name`},
		{strings.Replace(replayHead, "person/notes", "notes", 1), `edits.jsonl:1: "name" is "notes"`},
		{strings.Replace(replayHead, "What a person wrote.", " ", 1), `edits.jsonl:1: "doc" is empty`},
		{strings.Replace(replayHead, "none", "", 1), `edits.jsonl:1: "paper" is empty`},
		{strings.Replace(replayHead, "invariant", "similar", 1), `edits.jsonl:1: "relation" is "similar", expected one of ["invariant" "renamed"`},
	} {
		if _, err := perturb.Replay("edits.jsonl", replayFS(test.file), func(err error) { t.Error(err) }); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.file, err, test.want)
		}
	}
	if _, err := perturb.Replay("none", replayFS(""), func(err error) { t.Error(err) }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
}

func TestWriteReplayErrors(t *testing.T) {
	head := perturb.ReplayHead{Name: "a/b", Doc: "d", Paper: "p", Relation: perturb.Invariant}
	good := dataset.Record{
		Perturbation: "a/b", Relation: "invariant", DBPre: "music", Verdict: dataset.VerdictVerified,
		Edits: `[{"edit":"set-question","question":"Why?"}]`,
	}
	with := func(change func(*dataset.Record)) []dataset.Record {
		r := good
		change(&r)
		return []dataset.Record{good, r}
	}
	for _, test := range []struct {
		records []dataset.Record
		want    string
	}{
		{with(func(r *dataset.Record) { r.Perturbation = "a/c" }), "record 2: is of a/c, expected one perturbation, a/b"},
		{with(func(r *dataset.Record) { r.Relation = "renamed" }), `record 2: relation is "renamed"`},
		{with(func(r *dataset.Record) { r.Edits = "[" }), "record 2: "},
		{with(func(r *dataset.Record) { r.Edits = `[{"edit":"rename-table"}]` }), "record 2: relation invariant does not allow"},
		{with(func(r *dataset.Record) { r.DBPre = "" }), `record 2: lacks "db_id"`},
	} {
		if err := perturb.WriteReplay(&bytes.Buffer{}, head, sequence(test.records)); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	if err := perturb.WriteReplay(&bytes.Buffer{}, perturb.ReplayHead{}, sequence(nil)); err == nil {
		t.Error("a head without a name is written")
	}
}

// FuzzReplay checks that nothing panics on a file of recorded edits, and that what is
// reported of it can be applied under its relation.
func FuzzReplay(f *testing.F) {
	u := perturbtest.Units(f, perturbtest.WriteSample(f))[0]
	examples := perturbtest.Examples(f, u)
	for _, relation := range []string{"invariant", "renamed", "recoded", "retargeted"} {
		for _, edit := range []string{
			`{"edit":"set-question","question":"Why?"}`, `{"edit":"replace-span","start":0,"end":3,"was":"How","with":"Why"}`,
			`{"edit":"rename-column","table":"books","column":"title","name":"called","natural":"called"}`,
			`{"edit":"rename-table","table":"books","name":"volumes","natural":"volumes"}`,
			`{"edit":"add-column","table":"books","name":"weight","natural":"weight","type":"number"}`,
			`{"edit":"relabel","table":"books","natural":"volumes"}`, `{"edit":"rewrite-sql","query":"SELECT 1"}`,
			`{"edit":"recode-column","table":"books","column":"genre","into":[{"name":"kind","natural":"kind","type":"text"}]}`,
		} {
			f.Add(strings.Replace(replayHead, "invariant", relation, 1) + fmt.Sprintf(`{"db_id":%q,"example":0,"edits":[%s]}`, u.DB.ID, edit))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := perturb.Replay("edits.jsonl", replayFS(text), func(error) {})
		if err != nil {
			return
		}
		r.Check([]*dataset.Unit{u}, func(error) {})
		variants, _ := perturbtest.Run(t, r.Perturbation, u.DB, examples, nil, min(r.Samples(), 3), 1)
		seen := map[[2]int]bool{}
		for _, v := range variants {
			if err := r.Relation.Allows(v.Edits); err != nil {
				t.Error(err)
			}
			perturbtest.Apply(t, u.DB, v)
			for _, ex := range v.Examples {
				if at := [2]int{ex.Index, v.Sample}; seen[at] {
					t.Errorf("example and sample %v are reported twice", at)
				} else {
					seen[at] = true
				}
			}
		}
	})
}
