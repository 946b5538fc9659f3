package lexicon

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, 0)) }

func fixed(t testing.TB, text string) Dictionary {
	t.Helper()
	d, err := ReadThesaurus("fixed", strings.NewReader(text), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func names(rs []Replacement) []string {
	var out []string
	for _, r := range rs {
		out = append(out, r.Name)
	}
	slices.Sort(out)
	return out
}

func TestReplacerReachesAllCombinations(t *testing.T) {
	d := Forms{Dictionary: fixed(t, "home: host\nteam: side, squad\ndate of birth: birthday\nname: title\ntitle: name\n")}
	tests := []struct {
		name string
		want []string
	}{
		{"home team", []string{"home side", "home squad", "host side", "host squad", "host team"}},
		{"Home_Team", []string{"home side", "home squad", "host side", "host squad", "host team"}},
		{"dateOfBirth", []string{"birthday"}},
		{"names", []string{"titles"}},
		{"name title", []string{"title name"}}, // neither "name name" nor "title title"
		{"unknown", nil},
		{"", nil},
		{"***", nil},
	}
	for _, tt := range tests {
		r := NewReplacer(d)
		r.Repeats = 200
		if diff := cmp.Diff(tt.want, names(r.Names(seeded(1), tt.name))); diff != "" {
			t.Errorf("Names(%q) (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestReplacerEvidence(t *testing.T) {
	r := NewReplacer(fixed(t, "home: host\nteam: side\n"))
	r.Keep = 0
	want := []Replacement{{"host side score", "home -> host; team -> side"}}
	if diff := cmp.Diff(want, r.Names(seeded(1), "home team score")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReplacerKeepsTies leaves words alone that tie others together, but not the
// phrases that they are in.
func TestReplacerKeepsTies(t *testing.T) {
	r := NewReplacer(fixed(t, "or: operating room\nif: provided\ndate of birth: birthday"))
	if got := r.Names(seeded(1), "yes or no if known"); got != nil {
		t.Errorf("names %v, want none", got)
	}
	if got := r.Names(seeded(1), "date of birth"); len(got) != 1 || got[0].Name != "birthday" {
		t.Errorf("names %v, want birthday", got)
	}
}

func TestReplacerStops(t *testing.T) {
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("s%d", i))
	}
	r := NewReplacer(fixed(t, "z: "+strings.Join(many, ", ")))
	r.Repeats = 1000
	if got := len(r.Names(seeded(1), "z")); got != r.Limit {
		t.Errorf("%d names, want the limit of %d", got, r.Limit)
	}
	r.Repeats = 0
	if got := r.Names(seeded(1), "z"); got != nil {
		t.Errorf("names %v without samples", got)
	}
	r = NewReplacer(fixed(t, "z: b"))
	r.Keep = 1
	if got := r.Names(seeded(1), "z"); got != nil {
		t.Errorf("names %v though every word stays", got)
	}
}

// TestReplacerPrefersBetterRanked holds the documented probabilities: of four
// synonyms the first comes first 7 times in 16.
func TestReplacerPrefersBetterRanked(t *testing.T) {
	r := NewReplacer(fixed(t, "z: p, q, r, s"))
	r.Keep, r.Limit = 0, 1
	const runs = 16000
	count := map[string]int{}
	rng := seeded(7)
	for range runs {
		count[r.Names(rng, "z")[0].Name]++
	}
	for i, s := range []string{"p", "q", "r", "s"} {
		want := runs * (2*(4-i) - 1) / 16
		if got := count[s]; got < want*9/10 || got > want*11/10 {
			t.Errorf("%s first %d times of %d, want about %d", s, got, runs, want)
		}
	}
}

func TestReplacerProperties(t *testing.T) {
	r := NewReplacer(DefaultDictionary())
	for i, name := range []string{"Home team score", "Customer_ID", "date of birth", "release date", "No. of wins", "written by", "songs", "release year of song"} {
		got := r.Names(seeded(uint64(i)), name)
		if len(got) == 0 || len(got) > r.Limit {
			t.Errorf("Names(%q): %d names", name, len(got))
		}
		if diff := cmp.Diff(got, r.Names(seeded(uint64(i)), name)); diff != "" {
			t.Errorf("Names(%q) differs between runs with one seed:\n%s", name, diff)
		}
		all := names(got)
		if len(slices.Compact(slices.Clone(all))) != len(all) || slices.Contains(all, strings.Join(Words(name), " ")) {
			t.Errorf("Names(%q) = %q repeats itself or the name", name, all)
		}
	}
}

func TestReplacerGolden(t *testing.T) {
	r := NewReplacer(DefaultDictionary())
	var b strings.Builder
	for i, name := range []string{"home team", "customer first name", "Release_Date", "dept name", "country of birth", "average ticket price", "stadium capacity", "directed by", "number of students"} {
		fmt.Fprintf(&b, "%s\n", name)
		for _, c := range r.Names(seeded(uint64(i)), name) {
			fmt.Fprintf(&b, "\t%s\t(%s)\n", c.Name, c.Evidence)
		}
	}
	checkGolden(t, "replacements.golden", b.String())
}

func FuzzReplacer(f *testing.F) {
	for _, s := range []string{"home team", "Date_of_Birth", "", "%", "住所", "a a a a a a a a a a"} {
		f.Add(s, uint64(1))
	}
	r := NewReplacer(DefaultDictionary())
	f.Fuzz(func(t *testing.T, name string, seed uint64) {
		for _, c := range r.Names(seeded(seed), name) {
			if c.Name == strings.Join(Words(name), " ") || c.Evidence == "" || stutters(c.Name) {
				t.Errorf("Names(%q) gives %q (%s)", name, c.Name, c.Evidence)
			}
		}
	})
}

func BenchmarkReplacerNames(b *testing.B) {
	r := NewReplacer(DefaultDictionary())
	rng := seeded(1)
	for b.Loop() {
		r.Names(rng, "average ticket price of home team")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "names/s")
}
