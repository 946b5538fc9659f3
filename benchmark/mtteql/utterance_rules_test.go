package mtteql

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// school is a database for the rules to read.
var school = &dataset.Database{
	ID: "school",
	Tables: []dataset.Table{
		{Name: "student", Original: "student", Columns: []dataset.Column{
			{Name: "student id", Original: "student_id", Type: dataset.Number},
			{Name: "name", Original: "name", Type: dataset.Text},
			{Name: "age", Original: "age", Type: dataset.Number},
			{Name: "fee", Original: "fee", Type: dataset.Number},
			{Name: "average", Original: "average", Type: dataset.Number},
		}},
	},
	PrimaryKeys: []dataset.ColumnRef{{Table: 0, Column: 0}},
}

func asked(tb testing.TB, question, query string) *perturb.Example {
	tb.Helper()
	ex, err := perturb.NewExample(school, &dataset.Example{DB: "school", Question: question, Query: query})
	if err != nil {
		tb.Fatal(err)
	}
	return ex
}

// reworded returns the questions that a rule makes, before any filter.
func reworded(tb testing.TB, rule func(*dataset.Database, *perturb.Example) ([][]perturb.Edit, perturb.Reason), question, query string) []string {
	tb.Helper()
	options, _ := rule(school, asked(tb, question, query))
	var out []string
	for _, edits := range options {
		now, err := perturb.ApplyQuestion(question, edits)
		if err != nil {
			tb.Fatalf("%q: %v", question, err)
		}
		out = append(out, now)
	}
	return out
}

const anyQuery = "SELECT name FROM student"

func TestInsertPrefixRule(t *testing.T) {
	tests := []struct{ question, want string }{
		{"What is the age of all singers?", "Tell me what the age of all singers is."},
		{"What are the ages?", "Can you tell me what the ages are?"},
		{"What is the age of all singers?", "Quick question: what is the age of all singers?"},
		{"What are the names of singers who are old?", "Tell me this: what are the names of singers who are old?"},
		{"How many singers are there?", "Can you tell me how many singers there are?"},
		{"How many singers are there in each city? List the city.", "Please tell me how many singers there are in each city. List the city."},
		{"Which cities are in Asia?", "Tell me which cities are in Asia."},
		{"what's the age?", "I have a question: what's the age?"},
		{"Which city is it in? List its name.", "Quick question: which city is it in? List its name."},
		{"List the names.", ""},
		{"In which city is it?", ""},
		{"What", ""},
		{"", ""},
	}
	for _, tt := range tests {
		got := reworded(t, insertPrefix, tt.question, anyQuery)
		if tt.want == "" && len(got) > 0 || tt.want != "" && !slices.Contains(got, tt.want) {
			t.Errorf("%q becomes %q, expected %q among them", tt.question, got, tt.want)
		}
	}
}

// TestInsertPrefixAhead: what the rule cannot put in the order of a statement gets only
// what may stand before any question.
func TestInsertPrefixAhead(t *testing.T) {
	for _, question := range []string{
		"How many pets do students have?", "Which cities are the flights from?", "How many singers are there and what are their ages?",
		"What are the names of the singers who sang in 2014?", "What are the cars produced in 2014?", "Where is the stadium?", "What did they win?",
		"What are the names, ages and countries of all the singers of all the concerts?",
	} {
		for _, now := range reworded(t, insertPrefix, question, anyQuery) {
			if before, after, ok := strings.Cut(now, ": "); !ok || !strings.EqualFold(after, question) || before == "" {
				t.Errorf("%q becomes %q", question, now)
			}
		}
	}
}

func TestRemovePrefixRule(t *testing.T) {
	tests := []struct{ question, want string }{
		{"What is the age of all singers?", "The age of all singers?"},
		{"what are the ages ?", "the ages ?"},
		{"Please show me the names of singers.", "The names of singers."},
		{"List names of singers", "Names of singers"},
		{"What is the name of each singer and how old is he?", ""},
		{"List the names and sort by age.", ""},
		{"What are the cars made of?", ""},
		{"What is it?", ""},
		{"List the names. Sort them by age.", ""},
		{"Tell me how many singers there are.", ""},
		{"How many singers are there?", ""},
		{"Count the singers.", ""},
	}
	for _, tt := range tests {
		got := strings.Join(reworded(t, removePrefix, tt.question, anyQuery), "|")
		if got != tt.want {
			t.Errorf("%q becomes %q, expected %q", tt.question, got, tt.want)
		}
	}
}

func TestSubstitutePrefixRule(t *testing.T) {
	tests := []struct {
		question   string
		want, wont []string
	}{
		{"What is the age of all singers?", []string{"Tell me the age of all singers.", "Can you list the age of all singers?", "Which is the age of all singers?"}, []string{"What are the age of all singers?"}},
		{"List the names of singers.", []string{"Find the names of singers.", "What are the names of singers?", "Which are the names of singers?"}, []string{"What is the names of singers?", "List the names of singers."}},
		{"Find the name of the oldest singer", []string{"What is the name of the oldest singer?", "Show me the name of the oldest singer"}, []string{"What are the name of the oldest singer?"}},
		{"Find the name and age of all singers.", []string{"What are the name and age of all singers?"}, nil},
		{"What's the age of all singers?", []string{"Tell me the age of all singers."}, []string{"What is the age of all singers?"}},
		{"List the singers who won a prize.", []string{"Who are the singers who won a prize?"}, []string{"What are the singers who won a prize?"}},
		{"Show all songs.", []string{"What are all songs?"}, []string{"Which are all songs?"}},
		{"Give the number of songs.", []string{"What is the number of songs?"}, []string{"Which is the number of songs?"}},
		{"Return the movies directed by 'Who are you?'.", []string{"What are the movies directed by 'Who are you?'?"}, nil},
		{"Find the airport in St. Louis.", []string{"What is the airport in St. Louis?"}, nil},
		{"Tell me how many songs there are.", []string{"Show me how many songs there are."}, []string{"List how many songs there are."}},
		{"List the names and sort by age.", []string{"Show the names and sort by age."}, []string{"What are the names and sort by age?"}},
		{"What are the names and how old are they?", nil, []string{"Tell me the names and how old are they."}},
		{"Tell me about the singers.", nil, []string{"Show about the singers."}},
		{"find the names", []string{"I want to know the names", "what are the names?"}, nil},
	}
	for _, tt := range tests {
		got := reworded(t, substitutePrefix, tt.question, anyQuery)
		for _, w := range tt.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q becomes %q, expected %q among them", tt.question, got, w)
			}
		}
		for _, w := range tt.wont {
			if slices.Contains(got, w) {
				t.Errorf("%q becomes %q, expected anything else", tt.question, w)
			}
		}
	}
}

func TestSubstituteSynonymsRule(t *testing.T) {
	tests := []struct{ question, query, want string }{
		{"What is the minimum age?", "SELECT min(age) FROM student", "lowest"},
		{"What is the highest age?", "SELECT max(age) FROM student", "maximum"},
		{"What is the highest age?", "SELECT age FROM student ORDER BY age DESC LIMIT 1", ""},
		{"What is the average age?", "SELECT avg(age) FROM student", "mean"},
		{"Who weighs more than the average cat?", "SELECT name FROM student WHERE age > (SELECT avg(age) FROM student)", ""},
		{"How old is the average student?", "SELECT avg(age) FROM student", ""},
		{"How old, in years, is the average student?", "SELECT avg(age) FROM student", ""},
		{"What is the age, on average?", "SELECT avg(age) FROM student", ""},
		{"What is the mean of the ages?", "SELECT avg(age) FROM student", "average"},
		{"What is the maximum fee and the average?", "SELECT max(fee), average FROM student", "highest"},
		{"What is the number of students?", "SELECT count(*) FROM student", "count|total count|total number"},
		{"What is the total number of students?", "SELECT count(student_id) FROM student", "count|number|total count"},
		{"Count the number of students.", "SELECT count(*) FROM student", "total number"},
		{"What is the number of different ages?", "SELECT count(DISTINCT age) FROM student", "count|total count|total number"},
		{"What is the amount of fees?", "SELECT sum(fee) FROM student", "sum"},
		{"What is the sum of fees?", "SELECT sum(fee) FROM student", ""},
		{"What is the amount of students?", "SELECT count(*) FROM student", "count|number|total count|total number"},
		{"What is the amount of fees of each number of students?", "SELECT sum(fee), count(*) FROM student", "sum"},
		{"What is the phone number of students?", "SELECT count(*) FROM student", ""},
		{"Who has the largest number of students?", "SELECT name FROM student GROUP BY name ORDER BY count(*) DESC LIMIT 1", ""},
		{"Who has the largest amount of students?", "SELECT name FROM student GROUP BY name ORDER BY count(*) DESC LIMIT 1", "number"},
		{"What is the sum of money?", "SELECT sum(fee) FROM student", "total amount"},
		{"What is the largest area?", "SELECT max(fee) FROM student", "maximum"},
		{"What is the maximum population?", "SELECT max(fee) FROM student", "highest|largest"},
		{"What is the lowest rank?", "SELECT min(age) FROM student", ""},
		{"Who is the largest singer?", "SELECT max(age) FROM student", ""},
		{"Who is older than average?", "SELECT avg(age) FROM student", ""},
		{"Who is older than the average?", "SELECT avg(age) FROM student", "mean"},
		{"What is the sum of names?", "SELECT sum(name) FROM student", ""},
		{"Whose 'minimum age' is it?", "SELECT min(age) FROM student", ""},
	}
	for _, tt := range tests {
		var got []string
		ex := asked(t, tt.question, tt.query)
		options, _ := substituteSynonyms(school, ex)
		for _, edits := range options {
			if len(edits) == 1 {
				got = append(got, edits[0].(perturb.ReplaceSpan).With)
			}
		}
		slices.Sort(got)
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%q of %s: %q, expected %q", tt.question, tt.query, s, tt.want)
		}
	}
}

// TestSynonymsCombine checks that all combinations are made, and only so many.
// TestSynonymsCombine: the words for extremes change together, beside those of other
// aggregates.
func TestSynonymsCombine(t *testing.T) {
	query := "SELECT min(age), max(age), avg(age) FROM student"
	want := []string{"What is the mean, minimum and maximum age?", "What is the average, lowest and highest age?", "What is the mean, lowest and highest age?"}
	if got := reworded(t, substituteSynonyms, "What is the average, minimum and maximum age?", query); !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
	long := "What is " + strings.Repeat("the average age and ", 12) + "the maximum age?"
	if got := reworded(t, substituteSynonyms, long, query); len(got) > maxCombined {
		t.Errorf("%d combinations, expected at most %d", len(got), maxCombined)
	}
}

// FuzzUtterance checks that the edits of every rule apply, change the question and
// leave it valid text.
func FuzzUtterance(f *testing.F) {
	for _, q := range []string{"What is the number of students?", "Find the minimum age and 'x' . ", "list \xff the\u00a0names", "what's I? \" what '", "Tell me how ?"} {
		f.Add(q)
	}
	query := "SELECT count(*), min(age), max(age), avg(age), sum(fee) FROM student"
	f.Fuzz(func(t *testing.T, question string) {
		ex := asked(t, question, query)
		for _, rule := range []func(*dataset.Database, *perturb.Example) ([][]perturb.Edit, perturb.Reason){insertPrefix, removePrefix, substitutePrefix, substituteSynonyms} {
			options, reason := rule(school, ex)
			if len(options) == 0 && reason == "" {
				t.Errorf("%q has no variant and no reason", question)
			}
			for _, edits := range options {
				now, err := perturb.ApplyQuestion(question, edits)
				if err != nil || now == question || utf8.ValidString(question) && !utf8.ValidString(now) {
					t.Errorf("%q becomes %q by %+v (%v)", question, now, edits, err)
				}
			}
		}
	})
}
