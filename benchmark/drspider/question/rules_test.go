package question

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// harbour is a schema of ships and the ports that they call at.
func harbour() *dataset.Database {
	table := func(name string, columns ...string) dataset.Table {
		t := dataset.Table{Name: name, Original: name}
		for _, c := range columns {
			name, typ, _ := strings.Cut(c, ":")
			t.Columns = append(t.Columns, dataset.Column{Name: name, Original: strings.ReplaceAll(name, " ", "_"), Type: map[string]dataset.Type{"": dataset.Text, "n": dataset.Number}[typ]})
		}
		return t
	}
	return &dataset.Database{ID: "harbour", Tables: []dataset.Table{
		table("ship", "ship id:n", "name", "tonnage:n", "flag", "launch year:n", "port id:n"),
		table("port", "port id:n", "name", "country", "capacity:n"),
		table("sailor", "sailor id:n", "name", "age:n", "ship id:n"),
	}}
}

func harbourSource(tb testing.TB, question, query string) *source {
	tb.Helper()
	db := harbour()
	ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Question: question, Query: query})
	if err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return &source{db: db, ex: ex, question: question, alignment: indicator.New(ex, db).Align(question), rng: rand.New(rand.NewPCG(1, 1))}
}

// Gold SQL of the questions below.
const (
	countShips  = "SELECT count(*) FROM ship"
	countHeavy  = "SELECT count(*) FROM ship WHERE tonnage > 500"
	heaviest    = "SELECT name FROM ship ORDER BY tonnage DESC LIMIT 1"
	busiest     = "SELECT T1.name FROM port AS T1 JOIN ship AS T2 ON T1.port_id = T2.port_id GROUP BY T1.port_id ORDER BY count(*) DESC LIMIT 1"
	crowded     = "SELECT T1.name FROM ship AS T1 JOIN sailor AS T2 ON T1.ship_id = T2.ship_id GROUP BY T1.ship_id HAVING count(*) > 3"
	flags       = "SELECT DISTINCT flag FROM ship"
	commonFlag  = "SELECT flag FROM ship GROUP BY flag ORDER BY count(*) DESC LIMIT 1"
	perPort     = "SELECT port_id, count(*) FROM ship GROUP BY port_id"
	byTonnage   = "SELECT name FROM ship ORDER BY tonnage"
	meanTonnage = "SELECT avg(tonnage) FROM ship"
	launched    = "SELECT name FROM ship WHERE launch_year > 1990"
	shipNames   = "SELECT name FROM ship"
)

// TestNamesOfColumns: words for keywords that are part of a column's name stay.
func TestNamesOfColumns(t *testing.T) {
	db := harbour()
	for _, name := range []string{"average tonnage", "number of crew"} {
		db.Tables[0].Columns = append(db.Tables[0].Columns, dataset.Column{Name: name, Original: strings.ReplaceAll(name, " ", "_"), Type: dataset.Number})
	}
	for _, test := range []struct {
		question, query string
		kept            bool
	}{
		{"What is the average tonnage of ships?", "SELECT avg(average_tonnage) FROM ship", true},
		{"What is the average of the tonnage of ships?", "SELECT avg(tonnage) FROM ship", true},
		{"What is the average age of sailors?", "SELECT avg(age) FROM sailor", false},
		{"What is the number of the crew of each ship?", "SELECT name, sum(number_of_crew) FROM ship GROUP BY name", true},
		{"What is the number of ships?", countShips, false},
	} {
		ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Question: test.question, Query: test.query})
		if err != nil {
			t.Fatal(err)
		}
		s := &source{db: db, ex: ex, question: test.question, alignment: indicator.New(ex, db).Align(test.question), rng: rand.New(rand.NewPCG(1, 1))}
		drafts := 0
		for _, r := range keywordSynonymRules() {
			drafts += len(r.apply(s))
		}
		if (drafts == 0) != test.kept {
			t.Errorf("%q has %d drafts, kept %v", test.question, drafts, test.kept)
		}
	}
}

func TestRules(t *testing.T) {
	for _, test := range []struct {
		rules                 []rule
		question, query, want string // want is "" where no rule may give anything
	}{
		{keywordSynonymRules(), "How many ships are there?", countShips, "What is the total number of ships?"},
		{keywordSynonymRules(), "How many ships have we built so far?", countShips, "What is the number of ships that we have built so far?"},
		{keywordSynonymRules(), "How many ships have a tonnage greater than 500?", countHeavy, "What is the number of ships that have a tonnage greater than 500?"},
		{keywordSynonymRules(), "How many ships have a tonnage greater than 500?", countHeavy, "How many ships have a tonnage above 500?"},
		{keywordSynonymRules(), "How many ships have a tonnage greater than 500?", countHeavy, "How many ships have a tonnage exceeding 500?"},
		{keywordSynonymRules(), "Which ships have more than 3 sailors?", crowded, "Which ships have over 3 sailors?"},
		{keywordSynonymRules(), "Count the number of ships.", countShips, "Give me the count of ships."},
		{keywordSynonymRules(), "What is the average tonnage of ships?", meanTonnage, "What is the mean tonnage of ships?"},
		{keywordSynonymRules(), "Give an average tonnage of the ships.", meanTonnage, "Give a mean tonnage of the ships."},
		{keywordSynonymRules(), "Which ship has the highest tonnage?", heaviest, "Which ship has the greatest tonnage?"},
		{keywordSynonymRules(), "Which port has the most ships?", busiest, "Which port has the highest number of ships?"},
		{keywordSynonymRules(), "Which port has the largest number of ships?", busiest, "Which port has the most ships?"},
		{keywordSynonymRules(), "What are the different flags of ships?", flags, "What are the distinct flags of ships?"},
		{keywordSynonymRules(), "What is the most common flag of ships?", commonFlag, "What is the most frequent flag of ships?"},
		{keywordSynonymRules(), "List the ships in ascending order of tonnage.", byTonnage, "List the ships in increasing order of tonnage."},
		{keywordSynonymRules(), "Which ships were launched after 1990?", launched, "Which ships were launched later than 1990?"},
		{keywordSynonymRules(), "Show the names of the ships.", shipNames, ""},
		{keywordCarrierRules(), "What is the number of ships?", countShips, "How many ships are there?"},
		{keywordCarrierRules(), "Count the ships with a tonnage greater than 500.", countHeavy, "How many ships have a tonnage greater than 500?"},
		{keywordCarrierRules(), "Find the number of ships arrived in each port.", perPort, "How many ships arrived in each port?"},
		{keywordCarrierRules(), "Find the number of ships built in each port.", perPort, "How many ships are built in each port?"},
		{keywordCarrierRules(), "Count the ships.", countShips, "How many ships do we have?"},
		{keywordCarrierRules(), "Show each port id and the number of ships in each port.", perPort, "Show each port id and how many ships there are in each port."},
		{keywordCarrierRules(), "For each port, find the number of ships.", perPort, "For each port, how many ships are there?"},
		{keywordCarrierRules(), "Show the name of the ship with the highest tonnage.", heaviest, "Show the name of the ship that has a higher tonnage than any other."},
		{keywordCarrierRules(), "Which port has the most ships?", busiest, "Which port has more ships than any other?"},
		{keywordCarrierRules(), "What is the most common flag of ships?", commonFlag, "Which flag of ships is more common than any other?"},
		{keywordCarrierRules(), "List the ships in ascending order of tonnage.", byTonnage, "List the ships, starting with the lowest tonnage."},
		{keywordCarrierRules(), "What are the different flags of ships?", flags, "What are the flags of ships, without repetitions?"},
		{keywordCarrierRules(), "How many ships are there?", countShips, ""},
		{othersRules(), "What are the names of the ships?", shipNames, "Could you show me the names of the ships?"},
		{othersRules(), "Show the names of the ships.", shipNames, "What are the names of the ships?"},
		{othersRules(), "Find the captains who command the ships.", shipNames, "Who are the captains who command the ships?"},
		{othersRules(), "Show the name of each ship.", shipNames, "What is the name of each ship?"},
		{othersRules(), "How many ships are there?", countShips, "Tell me how many ships there are."},
		{othersRules(), "What port are the ships registered in?", flags, ""},
		{othersRules(), "What year was the Emma built?", flags, ""},
		{othersRules(), "Which ships are not used?", shipNames, "Tell me which ships are not used."},
	} {
		src := harbourSource(t, test.question, test.query)
		var got []string
		for range 40 { // openings are drawn
			for _, r := range test.rules {
				got = append(got, r.apply(src)...)
			}
		}
		slices.Sort(got)
		got = slices.Compact(got)
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s\n gives %q, want nothing", test.question, got)
		case test.want != "" && !slices.Contains(got, test.want):
			t.Errorf("%s\n gives %q,\n want  %q", test.question, got, test.want)
		}
	}
}

// TestNeverDrafted checks that no rule of a category drafts a question with some words.
func TestNeverDrafted(t *testing.T) {
	const perName = "SELECT T1.name, count(*) FROM port AS T1 JOIN ship AS T2 ON T1.port_id = T2.port_id GROUP BY T1.port_id"
	for _, test := range []struct {
		rules                  []rule
		question, query, words string
	}{
		{othersRules(), "Show each ship together with the flag.", "SELECT name, flag FROM ship", "What is each"},
		{othersRules(), "List the names of ports with the number of ships.", perName, "list the names?"},
		{othersRules(), "What are the names of ports with the number of ships?", perName, "For "},
		{keywordSynonymRules(), "Return the distinct list of flags.", flags, "different list"},
		{columnAttributeRules(), "Which is the port with the largest capacity of container ships?", "SELECT name FROM port ORDER BY capacity DESC LIMIT 1", "largest port of"},
	} {
		src := harbourSource(t, test.question, test.query)
		for _, r := range test.rules {
			for _, draft := range r.apply(src) {
				if strings.Contains(draft, test.words) {
					t.Errorf("%s\n gives %q, expected none with %q", test.question, draft, test.words)
				}
			}
		}
	}
}

// FuzzRules applies the rules of keywords, sentences and several categories to any
// question.
func FuzzRules(f *testing.F) {
	for _, q := range []string{"How many ships are there?", "Count the ships in each port, sorted by tonnage descending.", "For each , what is the most common ships.", "", "in ascending order of ", "the most 'ſ' İ", "What are more than 1 N or more", "\xff how many ships do we have"} {
		f.Add(q)
	}
	list := categories()
	f.Fuzz(func(t *testing.T, question string) {
		if len(question) > 300 {
			t.Skip()
		}
		for _, query := range []string{countHeavy, busiest, byTonnage, flags} {
			src := harbourSource(t, question, query)
			for _, c := range list {
				switch c.name {
				case indicator.KeywordSynonym, indicator.KeywordCarrier, indicator.Others:
				default:
					continue
				}
				drafts := c.drafts(src)
				if len(drafts) > maxDrafts {
					t.Errorf("%s: %q: %d drafts", c.name, question, len(drafts))
				}
				for _, d := range drafts {
					if utf8.ValidString(question) && (!utf8.ValidString(d.Question) || strings.TrimSpace(d.Question) == "") {
						t.Errorf("%s: %q: draft %q", c.name, question, d.Question)
					}
				}
			}
		}
	})
}

// TestQuestionForRequest: a request that goes on after a colon or semicolon becomes no question.
func TestQuestionForRequest(t *testing.T) {
	for question, want := range map[string]bool{
		"List the names of all ships.":                         true,
		"List all ships: name and flag.":                       false,
		"Find the heavy ships; show their names and tonnages.": false,
	} {
		if got := questionForRequest(harbourSource(t, question, shipNames)); len(got) > 0 != want {
			t.Errorf("%s: %q", question, got)
		}
	}
}
