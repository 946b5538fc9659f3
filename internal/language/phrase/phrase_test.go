package phrase_test

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/language/phrase"
)

// text is a sentence whose words are of the classes that follow them: "age/COLUMN".
type text []string

func (t text) Word(i int) string {
	if i < 0 || i >= len(t) {
		return ""
	}
	w, _, _ := strings.Cut(t[i], "/")
	return w
}

// Class takes "of" after a COLUMN into a LONG.
func (t text) Class(name string, i int) int {
	if i < 0 || i >= len(t) {
		return 0
	}
	if name == "LONG" {
		if strings.Contains(t[i], "/COLUMN") && t.Word(i+1) == "of" {
			return 2
		}
		return 0
	}
	_, classes, _ := strings.Cut(t[i], "/")
	for class := range strings.SplitSeq(classes, "/") {
		if class == name {
			return 1
		}
	}
	return 0
}

func words(t text, s phrase.Span) string {
	var out []string
	for i := s.Start; i < s.End; i++ {
		out = append(out, t.Word(i))
	}
	return strings.Join(out, " ")
}

const definitions = `
# Words.
ARTICLE: the|a|an
BE: is|are
DENIED: not|never
HAVING: with|having / that has
`

var grammar = phrase.MustGrammar(definitions, []string{"VALUE"}, []string{"COLUMN", "CONTENT", "LONG"})

const singers = "singers/CONTENT with the age/COLUMN/CONTENT of 20/VALUE ."

func TestAll(t *testing.T) {
	for _, test := range []struct{ pattern, text, want, part string }{
		{"with the", singers, "with the", "with the"},
		{"with|having ARTICLE? COLUMN of?", singers, "with the age of", "with the age of"},
		{"HAVING the", "a man that has the age", "that has the", "that has the"},
		{"HAVING ARTICLE", "a man that was the age", "", ""},
		{"CONTENT [with the]", singers, "singers with the", "with the"},
		{"CONTENT&!COLUMN with", singers, "singers with", "singers with"},
		{"CONTENT&COLUMN of", singers, "age of", "age of"},
		{"the !CONTENT", singers, "", ""},
		{"!with the", singers, "", ""},
		{"!in the COLUMN", singers, "the age", "the age"},
		{"LONG 20", singers, "age of 20", "age of 20"},
		{"x{2,3} y", "x x x y", "x x x y", "x x x y"},
		{"x{1,2} y", "x x x y", "x x y", "x x y"},
		{"x* x", "x x x", "", ""}, // a repetition gives nothing back
		{"^ x+", "x x y x", "x x", "x x"},
		{"y x+ $", "x y x x . ?", "y x x", "y x x"},
		{"(x y / x) z", "x y z x z", "x y z", "x y z"},
		{"(x / x y) z", "x y z", "", ""}, // the first that fits counts
		{"(x y)? z", "a z", "z", "z"},
		{"not|DENIED x", "never x", "never x", "never x"},
		{"x 's ,", "x 's , y", "x 's ,", "x 's ,"},
	} {
		sentence := text(strings.Fields(test.text))
		got, part := "", ""
		for m := range grammar.Must(test.pattern).All(sentence, len(sentence)) {
			got, part = words(sentence, m.Span), words(sentence, m.Part)
			break
		}
		if got != test.want || part != test.part {
			t.Errorf("%q finds %q with the part %q in %q, expected %q with %q", test.pattern, got, part, test.text, test.want, test.part)
		}
	}
}

func TestOn(t *testing.T) {
	sentence := text(strings.Fields("singers/CONTENT whose first/COLUMN name/COLUMN is not ' Joe ' or x"))
	value := phrase.Span{Start: 6, End: 9}
	p := grammar.Must("CONTENT [whose ARTICLE? COLUMN{1,3} of? BE deny=DENIED? VALUE] or")
	m, ok := p.On(sentence, value)
	if !ok {
		t.Fatal("no match")
	}
	for name, want := range map[string]string{"COLUMN": "first name", "deny": "not", "ARTICLE": "", "CONTENT": "singers", "VALUE": "' joe '"} {
		if got := words(sentence, m.Get(name)); strings.ToLower(got) != want || m.Has(name) != (want != "") {
			t.Errorf("%s is %q, expected %q", name, got, want)
		}
	}
	if m.Part != (phrase.Span{Start: 1, End: 9}) || m.Span != (phrase.Span{Start: 0, End: 10}) {
		t.Errorf("part %v of %v", m.Part, m.Span)
	}
	if _, ok := grammar.Must("not VALUE&!COLUMN or").On(sentence, value); !ok {
		t.Error("a value that is no column does not match")
	}
	for _, pattern := range []string{"not VALUE&COLUMN", "is VALUE", "VALUE x", "VALUE !or", "COLUMN{3,3} is not VALUE"} {
		if _, ok := grammar.Must(pattern).On(sentence, value); ok {
			t.Errorf("%q matches", pattern)
		}
	}
}

func TestBefore(t *testing.T) {
	sentence := text(strings.Fields("find the/x red/CONTENT old/CONTENT car/CONTENT with"))
	m, ok := grammar.Must("!find ARTICLE? CONTENT{1,2}").Before(sentence, 5)
	if !ok || words(sentence, m.Span) != "old car" {
		t.Errorf("got %q, %t", words(sentence, m.Span), ok)
	}
	if _, ok := grammar.Must("!find ARTICLE? CONTENT+").Before(sentence, 5); ok {
		t.Error("what may not stand before does")
	}
}

func TestParseErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		"a (b": "a bracket is open", "a )": "closes nothing", "NONE": "no class NONE", "a|HAVING": "more than a list of words", "A&B": "no class A",
	} {
		if err := grammar.ParseError(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, expected one with %q", pattern, err, want)
		}
	}
	if err := phrase.MustGrammar("", nil, nil).ReadError("no colon"); err == nil {
		t.Error("a definition without a name is read")
	}
}
