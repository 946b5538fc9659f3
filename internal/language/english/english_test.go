package english

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTokens(t *testing.T) {
	for _, test := range []struct {
		question string
		want     []string
	}{
		{"", nil},
		{"Who's older than 1,000.5?", []string{"Who's", "older", "than", "1,000.5", "?"}},
		{"the 'United Airlines' e-mail, home_town", []string{"the", "'", "United", "Airlines", "'", "e-mail", ",", "home_town"}},
		{"São Paulo\u00a0– ’n’ 3.", []string{"São", "Paulo", "–", "’", "n", "’", "3", "."}},
		{"\xff x", []string{"\xff", "x"}},
	} {
		var got []string
		for _, tok := range Tokens(test.question) {
			got = append(got, tok.Of(test.question))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.question, diff)
		}
	}
}

// FuzzTokens checks that tokens stand in order, hold no space at their ends and
// leave nothing but space between them.
func FuzzTokens(f *testing.F) {
	f.Add("Who's older than 1,000.5?")
	f.Add("\xff\xfe 'a-' b_")
	f.Fuzz(func(t *testing.T, question string) {
		at := 0
		for _, tok := range Tokens(question) {
			if tok.Start < at || tok.End <= tok.Start || tok.End > len(question) {
				t.Fatalf("%q: token %v after %d", question, tok, at)
			}
			if gap := question[at:tok.Start]; strings.TrimSpace(gap) != "" {
				t.Fatalf("%q: %q stands between tokens", question, gap)
			}
			at = tok.End
		}
		if strings.TrimSpace(question[at:]) != "" {
			t.Fatalf("%q: %q follows the last token", question, question[at:])
		}
	})
}

func TestLemmas(t *testing.T) {
	for _, tt := range []struct{ word, known, want string }{
		{"written", "write", "write"},
		{"cities", "city", "city"},
		{"boxes", "box boxe", "box boxe"},
		{"stopping", "stop stopp", "stopp stop"},
		{"making", "make mak", "make mak"},
		{"tried", "try", "try"},
		{"heaviest", "heavy", "heavy"},
		{"bigger", "big", "big"},
		{"women", "woman", "woman"},
		{"data", "datum", "datum"},
		{"bus", "bu", "bu"},
		{"sing", "s se", ""},
		{"red", "r re", ""},
		{"songs", "", ""},
		{"song", "song", ""},
		{"", "", ""},
	} {
		known := strings.Fields(tt.known)
		got := Lemmas(tt.word, func(w string) bool { return slices.Contains(known, w) })
		if strings.Join(got, " ") != tt.want {
			t.Errorf("Lemmas(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}

// TestIsPlural tells the number of a noun phrase by its head.
func TestIsPlural(t *testing.T) {
	for want, phrases := range map[bool]string{
		true: "singers|people|men|countries|staffs|staff|feet|points per game|numbers of pages|dates of birth|goals against|home towns|" +
			"lengths in feet|Names|years since graduation|students with pets",
		false: "singer|series|species|news|gas|status|address|class|bus|campus|this|is|was|has|does|its|his|as|besides|" +
			"number of pages|date of births|length in feet|home town|type of series|status of orders|",
	} {
		for phrase := range strings.SplitSeq(phrases, "|") {
			if got := IsPlural(phrase); got != want {
				t.Errorf("%q is a plural: %v, expected %v", phrase, got, want)
			}
		}
	}
}

func TestArticle(t *testing.T) {
	for want, texts := range map[string]string{
		"a":  "singer|university|user|European|one-way flight|UN|1,100|7|\"name\"|1980|US",
		"an": "artist|airline|hour|honest man|unimportant|uninsured|FBI|8|11th|18,500|80|'id'|usher",
	} {
		for text := range strings.SplitSeq(texts, "|") {
			if got := Article(text); got != want {
				t.Errorf("%s %s, expected %s", got, text, want)
			}
		}
	}
}

func TestFitArticle(t *testing.T) {
	for _, tt := range []struct {
		was, text, want string
		ok              bool
	}{
		{"a", "airline", "an", true},
		{"An", "singer", "A", true},
		{"A", "airline", "An", true},
		{"an", "airline", "", false},
		{"the", "airline", "", false},
	} {
		if got, ok := FitArticle(tt.was, tt.text); got != tt.want || ok != tt.ok {
			t.Errorf("%s before %s becomes %q, %v, expected %q, %v", tt.was, tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

func TestLetterCase(t *testing.T) {
	for _, tt := range []struct{ was, text, want string }{
		{"five", "twenty-six", "twenty-six"},
		{"Five", "twenty-six", "Twenty-six"},
		{"Twenty-Five", "thirty-six", "Thirty-Six"},
		{"FIVE", "twenty-six", "TWENTY-SIX"},
		{"A", "école", "École"},
		{"", "x", "x"},
		{"X", "", ""},
	} {
		if got := CaseOf(tt.was).Apply(tt.text); got != tt.want {
			t.Errorf("%q for %q, expected %q", got, tt.was, tt.want)
		}
	}
}

func TestSentence(t *testing.T) {
	s := NewSentence(`Who sings "What is love?" in St. Louis? Sort them.`)
	if got := s.Span(0, s.End()); got != `Who sings "What is love` {
		t.Errorf("the first sentence is %q, expected what is before the first question mark", got)
	}
	s.HideQuotations()
	if got := s.Span(0, s.End()); got != `Who sings "What is love?" in St. Louis` {
		t.Errorf("the first sentence is %q, expected that its quotation is passed over", got)
	}
	if end, ok := s.Has(0, "who sings"); end != 2 || !ok || s.Word(end) != "" || !s.Is(1, "sings") || s.Word(-1) != "" {
		t.Errorf("words are %q, expected them in lower case without the quotation", s.Words)
	}
	if _, ok := s.Has(len(s.Words)-1, ". x"); ok {
		t.Error("a phrase stands beyond the end, expected none")
	}
}

func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		`the "a b" c`:               `" a b "`,
		"the shops' names of 'x y'": "' x y '",
		"``a value'' here":          "` ` a value '",
		"it is ' nothing'":          "",
		`an open " mark`:            "",
		"(‘Sun’)":                   "‘ Sun ’",
	} {
		tokens := Tokens(text)
		var got []string
		for i, quoted := range Quoted(text, tokens) {
			if quoted {
				got = append(got, tokens[i].Of(text))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("in %q are quoted %q, expected %q", text, got, want)
		}
	}
}

// TestBase undoes the past tense of regular and irregular verbs.
func TestBase(t *testing.T) {
	for past, want := range map[string]string{
		"hosted": "host", "placed": "place", "owned": "own", "released": "release", "used": "use", "stopped": "stop", "borrowed": "borrow",
		"played": "play", "studied": "study", "treated": "treat", "created": "create", "received": "receive", "managed": "manage",
		"enrolled": "enroll", "designed": "design", "opened": "open", "wrote": "write", "took": "take", "made": "make", "speed": "", "need": "", "red": "",
	} {
		if got := Base(past); got != want {
			t.Errorf("%q: %q, expected %q", past, got, want)
		}
	}
}

// TestNouns inflects the heads of noun phrases.
func TestNouns(t *testing.T) {
	for one, many := range map[string]string{
		"school bus": "school buses", "person": "people", "campus": "campuses", "series": "series", "stadium": "stadiums", "pet type": "pet types", "salary": "salaries",
		"point per game": "points per game", "length in feet": "lengths in feet", "number of pages": "numbers of pages",
	} {
		if got := Plural(one); got != many {
			t.Errorf("plural of %q: %q, expected %q", one, got, many)
		}
		if got := SingularPhrase(many); got != one {
			t.Errorf("singular of %q: %q, expected %q", many, got, one)
		}
	}
}

func TestWithoutUnit(t *testing.T) {
	for words, want := range map[string]string{"weight kg": "weight", "length in feet": "length", "area sq ft": "area", "km": "km", "price": "price", "": ""} {
		if got := strings.Join(WithoutUnit(strings.Fields(words)), " "); got != want {
			t.Errorf("%q without its unit: %q, want %q", words, got, want)
		}
	}
}
