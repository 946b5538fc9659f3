package lexicon

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestWordNet(t *testing.T) {
	wn, err := OpenWordNet(os.DirFS("testdata/wordnet"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		term string
		want []string
	}{
		{"film", []string{"movie", "picture", "motion picture", "plastic film"}},
		{"picture", []string{"image", "film", "movie", "motion picture"}}, // by sense, not by place in the file
		{"date of birth", []string{"birthday"}},
		{"birthday", []string{"date of birth"}},
		{"capital", []string{"capital city", "great"}}, // nouns before adjectives
		{"large", []string{"big"}},
		{"zebra", nil},
		{"a", nil},
		{"", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, wn.Synonyms(tt.term)); diff != "" {
			t.Errorf("Synonyms(%q) (-want +got):\n%s", tt.term, diff)
		}
	}
}

func TestWordNetHostile(t *testing.T) {
	const data = "00000000 04 n 02 a 0 b 0 000 | gloss\n"
	tests := []struct{ name, index, data, want string }{
		{"offset behind the end", "a n 1 0 1 0 00000999\n", data, "offset 999"},
		{"offset between lines", "a n 1 0 1 0 00000003\n", data, "no synset at offset 3"},
		{"negative offset", "a n 1 0 1 0 -0000001\n", data, "expected a number"},
		{"huge offset", "a n 1 0 1 0 99999999999999999999\n", data, "expected a number"},
		{"too many senses", "a n 7 0 1 0 00000000\n", data, "counts do not fit"},
		{"too many pointers", "a n 1 99 @ 1 0 00000000\n", data, "counts do not fit"},
		{"huge count", "a n 9223372036854775807 9223372036854775807 1 0 0\n", data, "counts do not fit"},
		{"short line", "a\n", data, "1 fields"},
		{"unsorted", "b n 1 0 1 0 00000000\na n 1 0 1 0 00000000\n", data, "expected lemmas in order"},
		{"synset of too many words", "a n 1 0 1 0 00000000\n", "00000000 04 n ff a 0 000 | gloss\n", "lacks words"},
		{"empty data", "a n 1 0 1 0 00000000\n", "", "offset 0"},
	}
	for _, tt := range tests {
		var problems faults
		wn, err := OpenWordNet(fstest.MapFS{
			"index.noun": {Data: []byte(tt.index)},
			"data.noun":  {Data: []byte(tt.data)},
		}, problems.add)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if len(problems) == 0 || !strings.Contains(problems[0].Error(), tt.want) {
			t.Errorf("%s: problems %v, want %q", tt.name, problems, tt.want)
		}
		wn.Synonyms("a")
	}
	bad := strings.Repeat("a\n", 10*maxWordNetProblems)
	var problems faults
	_, err := OpenWordNet(fstest.MapFS{"index.noun": {Data: []byte(bad)}, "data.noun": {}}, problems.add)
	if err != nil || len(problems) != maxWordNetProblems+1 {
		t.Errorf("%d problems and error %v, want %d and none", len(problems), err, maxWordNetProblems+1)
	}
	if _, err := OpenWordNet(fstest.MapFS{"index.noun": {}}, func(error) {}); err == nil {
		t.Error("no error without data.noun")
	}
}

// TestWordNetInstalled reads the WordNet that a system has, where it has one.
func TestWordNetInstalled(t *testing.T) {
	const dir = "/usr/share/wordnet"
	if _, err := os.Stat(dir + "/index.noun"); err != nil {
		t.Skip("skipped: no WordNet in " + dir + " (Debian's package wordnet-base)")
	}
	wn, err := OpenWordNet(os.DirFS(dir), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	for term, want := range map[string]string{
		"salary":         "remuneration",
		"film":           "movie",
		"motion picture": "movie",
		"large":          "big",
		"quickly":        "rapidly",
	} {
		if got := wn.Synonyms(term); !slices.Contains(got, want) {
			t.Errorf("Synonyms(%q) = %q, want %q among them", term, got, want)
		}
	}
	// The search finds each line that a scan sees.
	noun := wn.parts[0]
	for line := range bytes.Lines(noun.index) {
		if lemma := string(indexLemma(line)); lemma != "" && !bytes.Equal(noun.find(lemma), bytes.TrimRight(line, "\n")) {
			t.Fatalf("find(%q) = %q, want %q", lemma, noun.find(lemma), line)
		}
	}
}

func FuzzWordNet(f *testing.F) {
	read := func(name string) string {
		raw, err := os.ReadFile("testdata/wordnet/" + name)
		if err != nil {
			f.Fatal(err)
		}
		return string(raw)
	}
	f.Add(read("index.noun"), read("data.noun"), "film")
	f.Add(read("index.adj"), read("data.adj"), "large")
	f.Add("a n 1 0 1 0 00000000\n", "00000000 04 n ff a 0 000 | gloss\n", "a")
	f.Add("", "\n", "")
	f.Fuzz(func(t *testing.T, index, data, term string) {
		wn, err := OpenWordNet(fstest.MapFS{
			"index.noun": {Data: []byte(index)},
			"data.noun":  {Data: []byte(data)},
		}, func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		if got := wn.Synonyms(term); slices.Contains(got, term) || slices.Contains(got, "") {
			t.Errorf("Synonyms(%q) = %q", term, got)
		}
	})
}
