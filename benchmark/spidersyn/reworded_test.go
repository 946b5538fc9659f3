package spidersyn

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
)

func TestReadRewordings(t *testing.T) {
	const syn = `{"db_id": "d", "SpiderQuestion": "a?", "SpiderSynQuestion": "b?", "query": "q"}`
	const realistic = `{"db_id": "d", "question": "c?", "query": "q", "prompt": 7}`
	for _, tt := range []struct {
		name, file string
		want       []Rewording
		problems   []string
		err        string
	}{
		{"Spider-Syn", "[" + syn + "]", []Rewording{{1, "d", "a?", "b?", "q"}}, nil, ""},
		{"lines", realistic + "\n" + realistic, []Rewording{{1, "d", "", "c?", "q"}, {2, "d", "", "c?", "q"}}, nil, ""},
		{"wrong shapes", `[7, {"db_id": "d", "query": "q"}, {"db_id": "d", "query": "q", "SpiderQuestion": "x", "question": "y"}, {"question": "z"}, ` + syn + "]",
			[]Rewording{{5, "d", "a?", "b?", "q"}}, []string{"f:1: expected an object with", "f:2: lacks questions", "f:3: lacks questions", `f:4: lacks "db_id"`}, ""},
		{"breaks off", realistic + "\n{", []Rewording{{1, "d", "", "c?", "q"}}, nil, "f:2: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var problems []error
			got, err := ReadRewordings(strings.NewReader(tt.file), "f", func(err error) { problems = append(problems, err) })
			if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("error %v, expected %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			matchProblems(t, problems, tt.problems)
		})
	}
}

func matchProblems(t *testing.T, got []error, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("problems %v, expected %q", got, want)
	}
	for i, p := range got {
		if _, ok := errors.AsType[*dataset.RecordError](p); !ok || !strings.HasPrefix(p.Error(), want[i]) {
			t.Errorf("problem %q, expected %q of a record", p, want[i])
		}
	}
}

func TestReworded(t *testing.T) {
	units := []*dataset.Unit{
		{DB: &dataset.Database{ID: "e"}, Examples: []*dataset.Example{{Index: 9, DB: "e", Question: "Last?", Query: "SELECT 9"}}},
		{DB: &dataset.Database{ID: "d"}, Examples: []*dataset.Example{
			{Index: 0, DB: "d", Question: "How many dogs do we have in town ?", Query: "SELECT 1"},
			{Index: 1, DB: "d", Question: "How many dogs?", Query: "SELECT 1"},
			{Index: 2, DB: "d", Question: "Which “dog” is it?", Query: "SELECT 2"},
		}},
	}
	all := []Rewording{
		{1, "d", "Which 'dog' is it", "Which puppy?", "select  2;"},                                 // but for marks
		{2, "d", "How many dogs?", "How many puppies?", "SELECT corrected"},                         // another gold SQL
		{3, "d", "How many dogs do we have in towns?", "How many puppies in town?", "SELECT 1"},     // another question
		{4, "d", "How many dogs do we have in towns?", "How many puppies in a town?", "SELECT 1"},   // taken
		{5, "d", "Something else altogether, it seems", "Something of that kind", "SELECT nothing"}, // nowhere
		{6, "e", "", "At last?", "SELECT 9"},                                                        // without the original
	}
	var problems []error
	records := Reworded("human/x", "f", units, all, func(err error) { problems = append(problems, err) })
	var got []string
	for _, r := range records {
		got = append(got, r.QuestionPre+" -> "+r.QuestionPost)
	}
	want := []string{
		"Last? -> At last?", "How many dogs do we have in town ? -> How many puppies in town?", "How many dogs? -> How many puppies?", "Which “dog” is it? -> Which puppy?",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	matchProblems(t, problems, []string{"f:4: no example of d", "f:5: no example of d"})
}

func FuzzReadRewordings(f *testing.F) {
	f.Add(`[{"db_id": "d", "SpiderQuestion": "a?", "SpiderSynQuestion": "b?", "query": "q"}]`)
	f.Add(`{"db_id": "d", "question": "c?", "query": "q"} [[], {}] null`)
	units := []*dataset.Unit{{DB: &dataset.Database{ID: "d"}, Examples: []*dataset.Example{{DB: "d", Question: "a", Query: "q"}}}}
	f.Fuzz(func(t *testing.T, file string) {
		all, _ := ReadRewordings(strings.NewReader(file), "f", func(error) {})
		problems := 0
		records := Reworded("human/x", "f", units, all, func(error) { problems++ })
		if len(records)+problems != len(all) || len(records) > 1 {
			t.Errorf("%d records and %d problems of %d rewordings of one example", len(records), problems, len(all))
		}
	})
}
