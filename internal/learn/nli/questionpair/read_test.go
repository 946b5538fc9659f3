package questionpair

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli/compact"
)

func newExtractor(tb testing.TB) *Extractor {
	tb.Helper()
	l := compact.Embedded()
	names, err := compact.New(l)
	if err != nil {
		tb.Fatal(err)
	}
	return New(Lexicon{Vectors: l.Vectors, Contrasts: lexicon.DefaultContrasts(), Names: names})
}

// show prints tokens: operators with "@", values with quotes, implied words with
// a question mark, listed ones with a comma.
func show(q Question) string {
	var out []string
	for _, t := range q.Tokens {
		text := t.Text
		switch {
		case t.Kind == Operator:
			text = "@" + text
		case t.Value:
			text = "'" + text + "'"
		}
		if t.Implied {
			text += "?"
		}
		if t.Listed {
			text += ","
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func TestRead(t *testing.T) {
	e := newExtractor(t)
	for _, c := range []struct{ question, want string }{
		{"", ""},
		{"Please show me the titles of all films.", "title film"},
		{"How many flights depart from 'APG'?", "@COUNT flight depart 'apg'"},
		{"What are the phone numbers of the nurses?", "phone number nurse"},
		{"Find all airlines with at least ten flights.", "airline @GT 9 flight"},
		{"Find all airlines with 10 or more flights.", "airline @GT 9 flight"},
		{"Find the airlines with at least one flight.", "airline flight"},
		{"Which one has more than one wheel?", "@GT 1 wheel"},
		{"cities with no more than 5,000,000 people", "city @LT 5000001 person"},
		{"cities with over 5 million people", "city @GT 5000000 person"},
		{"rooms for at most 2.5 guests", "room @LE 2.5 guest"},
		{"Who is the oldest pilot?", "@WHO name? @HIGH age? pilot"},
		{"Students who don't own cats", "student @NOT cat"},
		{"Students who do n't own cats", "student @NOT cat"},
		{"Students who do not own cats as pets", "student @NOT cat pet?"},
		{"singers whose country is France", "singer country? 'france'"},
		{"American singers", "'usa' singer"},
		{"Give us singers from the US", "singer 'usa'"},
		{"List the name, the age and the salary", "name, age, salary,"},
		{"sorted by age in descending order", "@SORT age @SORT @DESC"},
		{"from the oldest to the youngest", "@SORT @DESC age?"},
		{"documents called 'Summer \"x'", "document call 'summer' 'x'"},
		{"May is here in May", "here 'may'"},
		{"members whose sex is F", "member gender? 'female'"},
		{"employees between 20 and 30", "employee @BETWEEN 20 30"},
		{"on 2009-07-05 at 10:30", "'2009-07-05' '10:30'"},
	} {
		if got := show(e.Read(c.question)); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.question, got, c.want)
		}
	}
}

// The rules are read without objection, each phrase stands once, and all
// operators are known.
func TestRules(t *testing.T) {
	for first, list := range newRules() {
		seen := map[string]bool{}
		for _, r := range list {
			key := strings.Join(r.phrase, " ")
			if r.start {
				key = "^" + key
			}
			if seen[key] {
				t.Errorf("%q stands twice under %q", key, first)
			}
			seen[key] = true
			for _, out := range r.output {
				if name, ok := strings.CutPrefix(out, "@"); ok && !slices.Contains(operators, name) {
					t.Errorf("%q: unknown operator %q", key, out)
				}
			}
		}
	}
}

func TestReadNumber(t *testing.T) {
	for _, c := range []struct {
		words, want string
		n           int
	}{
		{"two hundred", "200", 2}, {"twenty five cats", "25", 2}, {"5 million", "5000000", 2}, {"3rd place", "3", 1},
		{"1,234.50", "1234.5", 1}, {"three", "3", 1}, {"two three", "2", 1}, {"cats", "", 0}, {"-", "", 0}, {"99999999999999999999", "", 0},
	} {
		var words []word
		for w := range strings.FieldsSeq(c.words) {
			words = append(words, word{text: w})
		}
		got, ok := readNumber(words)
		if got.text != c.want || ok != (c.want != "") || got.words != c.n {
			t.Errorf("%q: %+v %v, want %q of %d words", c.words, got, ok, c.want, c.n)
		}
	}
}

func TestPairIsSymmetricInLength(t *testing.T) {
	e := newExtractor(t)
	n := Inputs()
	for _, c := range [][2]string{{"", ""}, {"How many cats?", ""}, {"Show names and ages of pilots over 20", "Pilots older than twenty, with age"}} {
		f := e.Pair(&Table{}, e.Read(c[0]), e.Read(c[1]))
		if len(f.Input(nil, false)) != n || len(f.Input(nil, true)) != n || len(f.A) != len(f.B) {
			t.Errorf("%q: %d inputs of %d and %d, want %d", c, len(f.Input(nil, false)), len(f.A), len(f.B), n)
		}
	}
}

func TestContradicts(t *testing.T) {
	e := newExtractor(t)
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"more than 3 cats", "at least 4 cats", false},
		{"more than 3 cats", "more than 4 cats", true},
		{"the oldest cat", "the cat of least age", true},
		{"the cat named 'Tom'", "the cat named 'Kim'", true},
		{"the cat named 'Tom'", "the cat", false},
	} {
		if got := Contradicts(e.Read(c.a), e.Read(c.b)); got != c.want {
			t.Errorf("%q, %q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestAlignment(t *testing.T) {
	e := newExtractor(t)
	a, b := e.Read("Find the heads of the departments and their life expectancy"), e.Read("Find the life expectancy and leaders of divisions")
	al := newAlignment(a, b)
	al.equal()
	al.similar(e, &Table{})
	for i, w := range al.a.words {
		want := map[string]string{"head": "leader", "department": "division", "life expectancy": "life expectancy"}[w.Text]
		if j := al.a.partner[i]; j < 0 || al.b.words[j].Text != want {
			t.Errorf("%q has mate %d, want %q", w.Text, j, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", "How many 'x y' are >= 3?", "\xff''\"'don't O'Neill's 1.2.3-4 5 million hundred", "list the one", "at least at most two or more", "İ'ı US"} {
		f.Add(seed)
	}
	e := newExtractor(f)
	f.Fuzz(func(t *testing.T, question string) {
		q := e.Read(question)
		if len(q.Tokens) > 3*maxWords {
			t.Errorf("%d tokens of at most %d words", len(q.Tokens), maxWords)
		}
		for _, tok := range q.Tokens {
			if tok.Text == "" {
				t.Errorf("%q: an empty token", question)
			}
		}
	})
}
