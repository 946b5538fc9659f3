package perturb_test

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/perturb"
)

// span replaces the only place where was stands in the question.
func span(question, was, with string) perturb.Edit {
	i := strings.Index(question, was)
	return perturb.ReplaceSpan{Start: i, End: i + len(was), Was: was, With: with}
}

func TestApplyQuestion(t *testing.T) {
	const q = "Which singers are older than 30?"
	for _, test := range []struct {
		edits []perturb.Edit
		want  string
	}{
		{nil, q},
		{[]perturb.Edit{span(q, "older", "younger"), span(q, "singers", "artists")}, "Which artists are younger than 30?"},
		{[]perturb.Edit{span(q, "Which ", ""), span(q, "singers", "Singers who")}, "Singers who are older than 30?"},
		{[]perturb.Edit{perturb.ReplaceSpan{Start: len(q), End: len(q), With: " Sort them."}}, q + " Sort them."},
		{[]perturb.Edit{perturb.SetQuestion{Question: "Who is over 30?"}}, "Who is over 30?"},
		{[]perturb.Edit{span(q, "30", "31"), perturb.RewriteSQL{Query: "SELECT 1"}}, "Which singers are older than 31?"},
	} {
		if got, err := perturb.ApplyQuestion(q, test.edits); err != nil || got != test.want {
			t.Errorf("%+v: %q, %v, want %q", test.edits, got, err, test.want)
		}
	}
	for _, test := range []struct {
		edits []perturb.Edit
		want  string
	}{
		{[]perturb.Edit{perturb.ReplaceSpan{Start: 0, End: 5, Was: "What "}}, `holds "Which", expected "What "`},
		{[]perturb.Edit{span(q, "older than", "over"), span(q, "than 30", "31")}, "overlaps"},
		{[]perturb.Edit{perturb.ReplaceSpan{Start: 5, End: 4}}, "overlaps"},
		{[]perturb.Edit{perturb.ReplaceSpan{Start: -1, End: 4}}, "overlaps"},
		{[]perturb.Edit{perturb.ReplaceSpan{Start: 0, End: 1000}}, "leaves the question"},
		{[]perturb.Edit{perturb.SetQuestion{Question: " "}}, "set to nothing"},
		{[]perturb.Edit{perturb.SetQuestion{Question: q}, span(q, "30", "31")}, "set and edited"},
		{[]perturb.Edit{perturb.SetQuestion{Question: "A?"}, perturb.SetQuestion{Question: "B?"}}, "set and edited"},
	} {
		if got, err := perturb.ApplyQuestion(q, test.edits); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %q, %v, want error %q", test.edits, got, err, test.want)
		}
	}
}

func TestAllowsQuestions(t *testing.T) {
	for _, test := range []struct {
		relation perturb.Relation
		edit     perturb.Edit
		want     bool
	}{
		{perturb.Invariant, perturb.SetQuestion{}, true},
		{perturb.Invariant, perturb.Relabel{}, true},
		{perturb.Invariant, perturb.RewriteSQL{}, false},
		{perturb.Invariant, perturb.RenameTable{}, false},
		{perturb.Renamed, perturb.RenameTable{}, true},
		{perturb.Renamed, perturb.SetQuestion{}, false},
		{perturb.Retargeted, perturb.RewriteSQL{}, true},
		{perturb.Retargeted, perturb.AddColumn{}, false},
		{"unknown", perturb.SetQuestion{}, false},
	} {
		if err := test.relation.Allows([]perturb.Edit{test.edit}); (err == nil) != test.want {
			t.Errorf("%s allows %T: %v, want %v", test.relation, test.edit, err == nil, test.want)
		}
	}
}
