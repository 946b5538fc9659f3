package question

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// TestMeaning checks drafts that change what a question asks, and some that look
// as if they did.
func TestMeaning(t *testing.T) {
	const (
		inRome   = "SELECT name FROM author WHERE city = 'Rome'"
		two      = "SELECT name FROM author WHERE nationality = 'France' OR nationality = 'Italy'"
		both     = "SELECT name FROM author WHERE nationality = 'France' AND city = 'Rome'"
		over     = "SELECT name FROM author WHERE age >= 60"
		several  = "SELECT city FROM author GROUP BY city HAVING count(*) > 1"
		byAge    = "SELECT name FROM author ORDER BY age"
		countAll = "SELECT count(*) FROM author"
		carrier  = "SELECT title FROM book WHERE title = 'Penguin Airways'"
		negated  = "SELECT name FROM author WHERE city != 'Rome'"
		outside  = "SELECT name FROM author WHERE age > 60 OR age < 20"
		years    = "SELECT name FROM author WHERE birth_year < 1900 OR birth_year > 1990"
		once     = "SELECT DISTINCT city FROM author"
	)
	for _, test := range []struct {
		category               indicator.Category
		query, question, draft string
		differs                bool
	}{
		// "or" and "and"
		{indicator.Others, both, "List authors with nationality France and city Rome.", "List authors with nationality France or city Rome.", true},
		{indicator.Others, two, "List authors with nationality France or Italy.", "List authors with nationality France and Italy.", true},
		{indicator.Others, two, "List authors with nationality France or Italy.", "Show authors with nationality either France or Italy.", false},
		{indicator.KeywordSynonym, over, "Which authors have age 60 or more?", "Which authors have an age of at least 60?", false},
		{indicator.KeywordSynonym, over, "Which authors have age at least 60?", "Which authors have age greater than or equal to 60?", false},
		{indicator.KeywordSynonym, outside, "Which authors have age over 60 or less than 20?", "Which authors have age over no more than 60 than 20?", true},
		{indicator.KeywordSynonym, outside, "Which authors have age over 60 or less than 20?", "Which authors have age above 60 or below 20?", false},
		{indicator.KeywordSynonym, years, "Which authors are born before 1900 or after 1990-12-31?", "Which authors are born prior to 1900 or later than 1990-12-31?", false},
		{indicator.KeywordSynonym, years, "Which authors are born before 1900 or after the year of 1990?", "Which authors are born before 1900 or later the year of 1990?", true},
		{indicator.ValueSynonym, outside, "Which authors have age over 60 or under 20?", "Which authors have age over sixty or under twenty?", false},
		// distinct answers
		{indicator.ColumnCarrier, once, "What are the different cities of the authors?", "Which cities are there?", true},
		{indicator.KeywordCarrier, once, "What are the different cities of the authors?", "What are the cities of the authors, without repetitions?", false},
		// conditions
		{indicator.Others, inRome, "Which authors are in the city Rome?", "Which authors are in the city?", true},
		{indicator.KeywordSynonym, inRome, "Which authors are in the city Rome?", "Who are the authors in the city?", true},
		{indicator.Multitype, inRome, "Which authors are in the city Rome?", "Which authors are there?", true},
		{indicator.ValueSynonym, inRome, "Which authors are in the city Rome?", "Which authors are in the Eternal City?", false},
		{indicator.ColumnSynonym, two, "List authors with nationality France or Italy.", "List French or Italian authors.", false},
		{indicator.ValueSynonym, carrier, "Which title has the book Penguin Airways?", "Which title has the book Penguin?", false},
		{indicator.KeywordCarrier, several, "Which cities have more than 1 author?", "Which cities have multiple authors?", false},
		{indicator.ColumnSynonym, byAge, "List the authors in ascending order of age.", "List the authors in ascending order.", true},
		{indicator.Others, countAll, "How many authors are there?", "How many are there?", true},
		{indicator.KeywordSynonym, countAll, "Find the total number of authors.", "Find the total number?", true},
		// numbers
		{indicator.Others, over, "Which authors have age at least 60?", "Which authors have age at least 181?", true},
		{indicator.ValueSynonym, over, "Which authors have age at least 60?", "Which authors have age at least seventy?", true},
		{indicator.ValueSynonym, over, "Which authors have age at least 60?", "Which authors have age at least sixty?", false},
		// columns
		{indicator.Others, byAge, "List the authors by age.", "List the authors by earnings.", true},
		{indicator.KeywordSynonym, byAge, "List the authors sorted by age.", "List the authors ordered by price.", true},
		{indicator.ColumnAttribute, byAge, "List the authors sorted by age.", "List the authors from youngest to oldest.", false},
		// a negation that goes is for the factuality model
		{indicator.Others, negated, "Which authors are not in Rome?", "Which authors are in Rome?", false},
	} {
		ex, err := perturb.NewExample(library, &dataset.Example{DB: library.ID, Question: test.question, Query: test.query})
		if err != nil {
			t.Fatalf("%s: %v", test.query, err)
		}
		aligner := indicator.New(ex, library)
		m := meaning{test.category, aligner.Align(test.question)}
		if got := m.differs(aligner.Align(test.draft)); got != test.differs {
			t.Errorf("%s: %s\n %s: differs %t, want %t", test.category, test.question, test.draft, got, test.differs)
		}
		if m.differs(m.before) {
			t.Errorf("%s differs from itself", test.question)
		}
	}
}

// TestOmits checks what questions realised from the gold SQL may lack.
func TestOmits(t *testing.T) {
	for _, test := range []struct {
		query, question, realised string
		omits                     bool
	}{
		{"SELECT title FROM book WHERE weight > 1000", "Which books weigh more than 1000 grams?", "Which books are heavier than 1000?", true},
		{"SELECT title FROM book WHERE weight > 1000", "Which books weigh more than 1000 grams?", "Which books have a weight in grams above 1000?", false},
		{"SELECT name FROM author WHERE age > 20", "Which authors are over 20 years old?", "Which authors are older than 20?", false},
		{"SELECT title FROM book WHERE price < 10", "Which books cost less than ten dollars?", "Which books have a price under 10?", true},
		{"SELECT DISTINCT city FROM author", "What are the distinct cities of authors?", "What are the cities of all authors?", true},
	} {
		ex, err := perturb.NewExample(library, &dataset.Example{DB: library.ID, Question: test.question, Query: test.query})
		if err != nil {
			t.Fatalf("%s: %v", test.query, err)
		}
		aligner := indicator.New(ex, library)
		m := meaning{indicator.Others, aligner.Align(test.question)}
		if got := m.omits(aligner.Align(test.realised)); got != test.omits {
			t.Errorf("%s\n %s: omits %t, want %t", test.question, test.realised, got, test.omits)
		}
	}
}

func TestMalformed(t *testing.T) {
	const question = "What are the names of authors with a weight_limit below 3?"
	for draft, want := range map[string]bool{
		"": true,
		"Which ones? Mentioned: nothing in particular":         true,
		"Which ones? \"names\" = author.Name":                  true,
		"What are the names of T1.authors?":                    true,
		"What is the first_name of authors?":                   true,
		"What are the names FROM author?":                      true,
		"What is COUNT of authors?":                            true,
		"What is count(*) of authors?":                         true,
		"Sentence: What are the names?":                        true,
		"Paraphrase: What are the names?":                      true,
		"{\"question\": \"What are the names?\"}":              true,
		"**What are the names?**":                              true,
		"```What are the names?```":                            true,
		"- What are the names?":                                true,
		"1. What are the names?":                               true,
		"What are\nthe names?":                                 true,
		strings.Repeat("What are the names? ", 30):             true,
		"What are the names of authors of a low weight_limit?": false,
		"Where from do the authors with a limit below 3 come?": false,
		"Do the U.S. authors e.g. have names?":                 false,
		"List the authors' names: those below 3.5.":            false,
		"Which authors are named \"Lee-Ann O'Neil\"?":          false,
	} {
		if got := malformed(library, question, draft); got != want {
			t.Errorf("%q: malformed %t, want %t", draft, got, want)
		}
	}
}

// TestDiverse checks that notes take turns and that at most one draft only opens anew.
func TestDiverse(t *testing.T) {
	draft := func(question, note string, factuality float64) checked {
		return checked{perturb.Draft{Question: question, Note: note}, factuality, 1}
	}
	a1, a2, b := draft("a1", "a", 0.7), draft("a2", "a", 0.9), draft("b", "b", 0.6)
	anew := []checked{draft("show q", "anew", 0.8), draft("give q", "a; anew", 0.95), draft("list q", "anew", 0.99)}
	for _, c := range []struct {
		plain []checked
		want  string
	}{
		{[]checked{a1, a2}, "a2 a1 list q"},
		{[]checked{a1, b}, "a1 b list q"},
		{[]checked{a1, a2, b}, "a2 b a1"}, // enough without
	} {
		var got []string
		for _, d := range rankDrafts("q", slices.Concat(c.plain, anew)) {
			got = append(got, d.Question)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
	}
}
