package lexicon

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var wordsTable = []struct{ name, want string }{
	{"Home_Town", "home town"},
	{"home town", "home town"},
	{"StuID", "stu id"},
	{"stuIDs", "stu ids"},
	{"HTTPServers", "http servers"},
	{"date of birth (UTC)", "date of birth utc"},
	{"address1", "address 1"},
	{"men's 4x100", "men 4 x 100"},
	{"men’s", "men"},
	{"O'clock", "o'clock"},
	{"No. of wins", "number of wins"},
	{"No of wins", "no of wins"},
	{"# of wins", "number of wins"},
	{"% change", "percent change"},
	{"Price ($)", "price dollar"},
	{"R&D", "r and d"},
	{"1st place", "1st place"},
	{"1stplace", "1 stplace"},
	{"3.5 mm", "3.5 mm"},
	{"1,000 m", "1000 m"},
	{"1,2", "1 2"},
	{"pop. (2008)", "pop 2008"},
	{"Año", "ano"},
	{"pH", "ph"},
	{"kHz", "khz"},
	{"IDs", "ids"},
	{"XMLFile", "xml file"},
	{"IATA_CODE", "iata code"},
	{"名前", "名前"},
	{"हिन्दी", "हिन्दी"},
	{"a\xffb", "ab"},
	{"", ""},
	{"--", ""},
	{"'", ""},
	{"5.", "5"},
	{"ID_", "id"},
}

func TestWords(t *testing.T) {
	for _, tt := range wordsTable {
		if got := strings.Join(Words(tt.name), " "); got != tt.want {
			t.Errorf("Words(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestNormal(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"Home Towns", "home_town", true},
		{"number of wins", "# of win", true},
		{"first name", "name first", false},
		{"address", "addresses", true},
		{"status", "status", true},
		{"countries", "Country", true},
		{"people", "person", true},
		{"class", "clas", false},
	} {
		if got := Normal(tt.a) == Normal(tt.b); got != tt.same {
			t.Errorf("Normal(%q) = %q, Normal(%q) = %q: same %v, want %v", tt.a, Normal(tt.a), tt.b, Normal(tt.b), got, tt.same)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, tt := range wordsTable {
		f.Add(tt.name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		words := Words(name)
		for _, w := range words {
			if w == "" || !utf8.ValidString(w) || strings.IndexFunc(w, unicode.IsSpace) >= 0 {
				t.Fatalf("Words(%q) = %q: a word is empty, broken or holds a blank", name, words)
			}
		}
		again := Words(strings.Join(words, " "))
		if strings.Join(again, " ") != strings.Join(words, " ") {
			t.Fatalf("Words is not stable: %q, then %q", words, again)
		}
	})
}

func TestSameSpelling(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"adviser", "advisor", true}, {"colour", "color", true}, {"course enrolment", "course enrollment", true},
		{"organisation", "organization", true}, {"teacher", "instructor", false}, {"name", "title", false},
	} {
		if got := SameSpelling(test.a, test.b); got != test.want {
			t.Errorf("%q, %q: %v, want %v", test.a, test.b, got, test.want)
		}
	}
}
