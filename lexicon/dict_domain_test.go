package lexicon

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/sample"
)

func TestEmbeddedDomainWords(t *testing.T) {
	f, err := data.Open("data/domains.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var problems faults
	d, err := ReadDomainWords("data/domains.txt", f, problems.add)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
	count := make(map[string]int)
	for _, domain := range d.domain {
		count[domain]++
	}
	for _, domain := range Domains() {
		if count[domain] < 10 {
			t.Errorf("%s has %d terms, want at least 10", domain, count[domain])
		}
	}
	for _, s := range inOneDomain(DefaultThesaurus()) {
		if count[s.domain] == 0 {
			t.Errorf("synonym %q: nothing tells domain %s", s.term, s.domain)
		}
	}
}

func TestReadDomainWordsReports(t *testing.T) {
	in := "sport: team, goal\nsprot: club\nhealth: dose, team\nmedia = film\nmedia: films\nmedia: song [sport]\nnothing\ncomputing: a b c d e\n"
	var problems faults
	_, err := ReadDomainWords("f", strings.NewReader(in), problems.add)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		text, _, _ := strings.Cut(p.Error(), ", expected one of")
		got = append(got, text)
	}
	want := []string{
		`f:2: "sprot" is no domain`,
		`f:3: "team" again, expected it under sport alone`,
		`f:4: "media" is no domain`,
		`f:5: "films": expected up to 4 lower-case words in the singular`,
		`f:6: "song" has a domain of its own, expected the line's alone`,
		`f:7: no separator, expected "head: synonym, synonym" or "term = term"`,
		`f:8: "a b c d e": expected up to 4 lower-case words in the singular`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestDomain(t *testing.T) {
	tests := []struct{ table, columns, want string }{
		{"Players", "player id, name, age", "sport"},
		{"", "Home team, Away team, Attendance, Date", "sport"},
		{"flights", "Flight number, origin, destination", "transport"},
		{"patient", "ssn, name, address, phone", "health"},
		{"TV Series", "id, Episode, Air_Date, Rating", "media"},
		{"students", "student id, first name, last name, gender", "education"},
		{"Loan", "loan id, type, amount, interest rate", "finance"},
		{"Ref_Product_Categories", "product category code, description", "commerce"},
		{"mountains", "id, name, height, range", "geography"},
		{"", "candidate, party, votes", "government"},
		{"battle", "id, name, date, result", "military"},
		{"browser", "id, name, market share", "computing"},
		{"stars", "name, right ascension, declination", "science"},
		// Too little, or against each other.
		{"", "name, date, number, type, location", ""},
		{"", "team, project, budget", ""},
		{"student", "student id, patient id, hospital", ""},
		{"", "customer, patient, film, mountain", ""},
		{"", "player, players, player id", ""},
		{"", "", ""},
		{"住所", "%", ""},
	}
	d := DefaultDomainWords()
	for _, tt := range tests {
		if got := d.Domain(tt.table, strings.Split(tt.columns, ", ")); got != tt.want {
			t.Errorf("Domain(%q, %q) = %q, want %q", tt.table, tt.columns, got, tt.want)
		}
	}
}

// TestSampleDomains shows the domains of the sample's tables.
func TestSampleDomains(t *testing.T) {
	raw, err := fs.ReadFile(sample.Data(), "tables.json")
	if err != nil {
		t.Fatal(err)
	}
	var schemas []struct {
		ID      string   `json:"db_id"`
		Tables  []string `json:"table_names"`
		Columns [][2]any `json:"column_names"` // table, name
	}
	if err := json.Unmarshal(raw, &schemas); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range schemas {
		for i, table := range s.Tables {
			var columns []string
			for _, c := range s.Columns {
				if c[0] == float64(i) {
					columns = append(columns, c[1].(string))
				}
			}
			fmt.Fprintf(&b, "%s\t%s: %s\t%q\n", s.ID, table, strings.Join(columns, ", "), DefaultDomainWords().Domain(table, columns))
		}
	}
	checkGolden(t, "domains.golden", b.String())
}

func TestDomainTakesTheLongestTerm(t *testing.T) {
	d, err := ReadDomainWords("f", strings.NewReader("computing: host, web client\ncommerce: client, web shop\n"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Domain("", []string{"web client", "host"}); got != "computing" {
		t.Errorf("domain %q, want computing", got)
	}
}

// TestInPassesThrough holds that what wraps a thesaurus hands the domain on.
func TestInPassesThrough(t *testing.T) {
	sport, err := ReadThesaurus("t", strings.NewReader("coach: trainer, manager [sport]\n"), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	d := Forms{Dictionary: sport}
	tests := []struct {
		domain, term string
		want         []string
	}{
		{"", "coach", []string{"trainer"}},
		{"sport", "coach", []string{"manager", "trainer"}},
		{"sport", "coaches", []string{"managers", "trainers"}},
		{"media", "coach", []string{"trainer"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, In(d, tt.domain).Synonyms(tt.term)); diff != "" {
			t.Errorf("In(%q).Synonyms(%q) (-want +got):\n%s", tt.domain, tt.term, diff)
		}
	}
}

// plain hides everything of a dictionary but its synonyms.
// TestDefaultDictionaryIn holds some synonyms to their domain.
func TestDefaultDictionaryIn(t *testing.T) {
	tests := []struct{ domain, term, synonym string }{
		{"transport", "number", "code"},
		{"sport", "draws", "ties"},
		{"health", "operation", "surgery"},
		{"education", "mark", "grade"},
		{"media", "written by", "screenwriter"},
		{"finance", "interest", "return on loan"},
		{"people", "race", "ethnicity"},
	}
	everywhere := DefaultDictionary()
	for _, tt := range tests {
		if !slices.Contains(In(everywhere, tt.domain).Synonyms(tt.term), tt.synonym) {
			t.Errorf("in %s: Synonyms(%q) lacks %q", tt.domain, tt.term, tt.synonym)
		}
		if tt.term != "draws" && tt.term != "written by" && slices.Contains(everywhere.Synonyms(tt.term), tt.synonym) {
			t.Errorf("everywhere: Synonyms(%q) has %q", tt.term, tt.synonym)
		}
	}
}

// TestReserved holds that the reserved words are sorted, and known all the same.
func TestReserved(t *testing.T) {
	words := Reserved()
	if !slices.Equal(words, []string{"age", "id", "name", "year"}) {
		t.Errorf("Reserved() = %q", words)
	}
	for _, w := range words {
		if len(DefaultDictionary().Synonyms(w)) == 0 {
			t.Errorf("no synonyms of %q", w)
		}
	}
}

func FuzzDomain(f *testing.F) {
	f.Add("sport: team, goal\nhealth: dose\n", "team", "goal,dose")
	f.Add("sport: a [b]\n: x\n=", "", ",")
	f.Fuzz(func(t *testing.T, in, table, columns string) {
		d, err := ReadDomainWords("fuzz", strings.NewReader(in), func(error) {})
		if err != nil {
			return
		}
		if got := d.Domain(table, strings.Split(columns, ",")); got != "" && !slices.Contains(Domains(), got) {
			t.Errorf("domain %q", got)
		}
	})
}

func BenchmarkSynonyms(b *testing.B) {
	d := DefaultDictionary()
	for b.Loop() {
		d.Synonyms("release date")
		d.Synonyms("directed")
		d.Synonyms("number")
	}
	b.ReportMetric(3*float64(b.N)/b.Elapsed().Seconds(), "terms/s")
}
