package lexicon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func fixed(t testing.TB, text string) Dictionary {
	t.Helper()
	d, err := ReadThesaurus("fixed", strings.NewReader(text), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestReplaceOne(t *testing.T) {
	d := Forms{Dictionary: fixed(t, "home: host\nteam: side, squad\ndate of birth: birthday\nname: title\ntitle: name\n")}
	sides := []Replacement{{"host team", "home -> host"}, {"home side", "team -> side"}, {"home squad", "team -> squad"}}
	tests := []struct {
		name string
		want []Replacement
	}{
		{"home team", sides},
		{"Home_Team", sides},
		{"dateOfBirth", []Replacement{{"birthday", "date of birth -> birthday"}}},
		{"names", []Replacement{{"titles", "names -> titles"}}},
		{"name title", nil}, // neither "name name" nor "title title"
		{"unknown", nil},
		{"", nil},
		{"***", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, ReplaceOne(d, tt.name)); diff != "" {
			t.Errorf("ReplaceOne(%q) (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestReplaceOneKeepsConnectives leaves words alone that connect others, but not the phrases that they are in.
func TestReplaceOneKeepsConnectives(t *testing.T) {
	d := fixed(t, "or: operating room\nif: provided\ndate of birth: birthday")
	if got := ReplaceOne(d, "yes or no if known"); got != nil {
		t.Errorf("names %v, want none", got)
	}
	if got := ReplaceOne(d, "date of birth"); len(got) != 1 || got[0].Name != "birthday" {
		t.Errorf("names %v, want birthday", got)
	}
}

func TestReplaceOneGolden(t *testing.T) {
	var b strings.Builder
	for _, name := range []string{"home team", "customer first name", "Release_Date", "dept name", "country of birth", "average ticket price", "stadium capacity", "directed by", "number of students"} {
		fmt.Fprintf(&b, "%s\n", name)
		for _, c := range ReplaceOne(DefaultDictionary(), name) {
			fmt.Fprintf(&b, "\t%s\t(%s)\n", c.Name, c.Evidence)
		}
	}
	checkGolden(t, "replacements.golden", b.String())
}

func FuzzReplaceOne(f *testing.F) {
	for _, s := range []string{"home team", "Date_of_Birth", "", "%", "住所", "a a a a a a a a a a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, c := range ReplaceOne(DefaultDictionary(), name) {
			if c.Name == strings.Join(Words(name), " ") || c.Evidence == "" || stutters(c.Name) {
				t.Errorf("ReplaceOne(%q) gives %q (%s)", name, c.Name, c.Evidence)
			}
		}
	})
}

func BenchmarkReplaceOne(b *testing.B) {
	for b.Loop() {
		ReplaceOne(DefaultDictionary(), "average ticket price of home team")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "names/s")
}
