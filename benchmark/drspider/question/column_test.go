package question

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// library is a schema with columns of many kinds, for questions written here.
var library = func() *dataset.Database {
	table := func(name string, columns ...string) dataset.Table {
		t := dataset.Table{Name: name, Original: strings.ReplaceAll(name, " ", "_")}
		for _, c := range columns {
			t.Columns = append(t.Columns, dataset.Column{Name: c, Original: strings.ReplaceAll(c, " ", "_"), Type: dataset.Text})
		}
		return t
	}
	return &dataset.Database{ID: "library", Tables: []dataset.Table{
		table("author", "author id", "name", "age", "birth year", "nationality", "city", "first name", "last name", "earnings"),
		table("book", "book id", "title", "author id", "price", "weight", "pages", "genre code", "language", "release date"),
		table("branch", "branch id", "name", "city", "country", "capacity", "opening year", "location", "population"),
		table("flight", "flight id", "source airport", "dest airport"),
		table("pupil", "pupil id", "grade", "pet type"),
		table("tree", "tree id", "age", "style"),
	}}
}()

// sourceOf returns what rules get for a question with its gold SQL.
func sourceOf(tb testing.TB, question, query string) *source {
	tb.Helper()
	ex, err := perturb.NewExample(library, &dataset.Example{DB: library.ID, Question: question, Query: query})
	if err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	senses, err := (&perturb.Pass{DB: library}).Senses()
	if err != nil {
		tb.Fatal(err)
	}
	return &source{
		senses: senses,
		Resources: perturb.Resources{
			Dictionary: lexicon.DefaultDictionary(), Domains: lexicon.DefaultDomainWords(), Contrasts: lexicon.DefaultContrasts(), Vectors: lexicon.Default(),
		},
		db: library, ex: ex, question: question, alignment: indicator.New(ex, library).Align(question), rng: rand.New(rand.NewPCG(1, 1)),
	}
}

// ruleTest says that some rule of a category makes one question of another; where
// want is empty, that no rule makes any.
type ruleTest struct{ question, query, want string }

func testRules(t *testing.T, rules []rule, tests []ruleTest) {
	t.Helper()
	for _, test := range tests {
		src := sourceOf(t, test.question, test.query)
		var got []string
		for _, r := range rules {
			got = append(got, r.apply(src)...)
		}
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s\n gives %q, want nothing", test.question, got)
		case test.want != "" && !slices.Contains(got, test.want):
			t.Errorf("%s\n gives %q,\n want  %q", test.question, got, test.want)
		}
	}
}

func TestColumnAttribute(t *testing.T) {
	testRules(t, columnAttributeRules(), []ruleTest{
		{"Which city does the author with the highest age live in?", "SELECT city FROM author ORDER BY age DESC LIMIT 1", "Which city does the oldest author live in?"},
		{"Find the city of the author who has the lowest age.", "SELECT city FROM author ORDER BY age LIMIT 1", "Find the city of the youngest author."},
		{"What is the title of the book whose price is the lowest?", "SELECT title FROM book ORDER BY price LIMIT 1", "What is the title of the cheapest book?"},
		{"Show the titles of the books with the top 3 highest prices.", "SELECT title FROM book ORDER BY price DESC LIMIT 3", "Show the titles of the 3 most expensive books."},
		{"How many books have a weight greater than 500?", "SELECT count(*) FROM book WHERE weight > 500", "How many books are heavier than 500?"},
		{"Count the authors whose age is above 60.", "SELECT count(*) FROM author WHERE age > 60", "Count the authors who are older than 60."},
		{"List the authors with an age below the average age.", "SELECT name FROM author WHERE age < (SELECT avg(age) FROM author)", "List the authors younger than average."},
		{"List the names of authors in descending order of age.", "SELECT name FROM author ORDER BY age DESC", "List the names of authors from oldest to youngest."},
		{"What are the titles of books sorted by price?", "SELECT title FROM book ORDER BY price", "What are the titles of books sorted from cheapest to most expensive?"},
		// An order that the gold SQL does not have, a column that it does not use, a
		// list of columns, a year that is compared with a number, one value a group.
		{"List the names of authors in descending order of age.", "SELECT name FROM author ORDER BY age", ""},
		{"Which city does the author with the highest age live in?", "SELECT city FROM author ORDER BY name DESC LIMIT 1", ""},
		{"Find the branch with the largest capacity and population.", "SELECT name FROM branch ORDER BY capacity DESC, population DESC LIMIT 1", ""},
		{"How many authors have a birth year before 1950?", "SELECT count(*) FROM author WHERE birth_year < 1950", ""},
		{"What is the average age of authors in each city?", "SELECT avg(age), city FROM author GROUP BY city", ""},
	})
}

func TestColumnCarrier(t *testing.T) {
	testRules(t, columnCarrierRules(), []ruleTest{
		{"What are the names of the authors who live in Rome?", "SELECT name FROM author WHERE city = 'Rome'", "Which authors live in Rome?"},
		{"What are the names of the authors who live in Rome?", "SELECT name FROM author WHERE city = 'Rome'", "Who are the authors who live in Rome?"},
		{"Show the name of all branches in Rome.", "SELECT name FROM branch WHERE city = 'Rome'", "Which branches are in Rome?"},
		{"Find the name of each branch that has a capacity over 90.", "SELECT name FROM branch WHERE capacity > 90", "Which branches have a capacity over 90?"},
		{"Return the title of the book with the lowest price.", "SELECT title FROM book ORDER BY price LIMIT 1", "Which book has the lowest price?"},
		{"Show the branch names without any book.", "SELECT name FROM branch", "List all branches without any book."},
		{"Show the branch names without any book.", "SELECT name FROM branch", "Which branches have no book?"},
		{"Show the title of every book with 'Rome' in its title.", "SELECT title FROM book WHERE title LIKE '%Rome%'", "Which books have 'Rome' in their title?"},
		{"List the names of authors born before 1950.", "SELECT name FROM author WHERE birth_year < 1950", "Which authors were born before 1950?"},
		{"List the names and ages of all authors.", "SELECT name, age FROM author", "List all authors and their ages."},
		{"What is the name and capacity of the branch that opened last?", "SELECT name, capacity FROM branch ORDER BY opening_year DESC LIMIT 1", "Which branch opened last, and what is its capacity?"},
		{"What is the name of the author with the highest age?", "SELECT name FROM author ORDER BY age DESC LIMIT 1", "Who is the author with the highest age?"},
		{"What are the names of authors, sorted by age?", "SELECT name FROM author ORDER BY age", "List all authors sorted by age."},
		// A first name is not what an author is known by; the age comes first in the
		// answer; an object is asked for; two sentences.
		{"What are the first names of the authors in Rome?", "SELECT first_name FROM author WHERE city = 'Rome'", ""},
		{"What are the ages and names of the authors?", "SELECT age, name FROM author", ""},
		{"How many names are there?", "SELECT count(name) FROM author", ""},
		{"What are the names of authors? Only those of Rome count.", "SELECT name FROM author WHERE city = 'Rome'", ""},
		// Nothing but the id says which trees are meant.
		{"What are the ids of trees older than 60?", "SELECT tree_id FROM tree WHERE age > 60", ""},
		{"Show ids for all trees.", "SELECT tree_id FROM tree", ""},
	})
	src := sourceOf(t, "Return the names of branches that are in Rome and for which 2010 is the opening year.", "SELECT name FROM branch WHERE city = 'Rome' AND opening_year = 2010")
	for _, r := range columnCarrierRules() {
		for _, q := range r.apply(src) {
			if strings.HasPrefix(q, "Which") || strings.HasPrefix(q, "What") {
				t.Errorf("%q joins a question and a relative clause", q)
			}
		}
	}
}

func TestColumnSynonym(t *testing.T) {
	testRules(t, columnSynonymRules(), []ruleTest{
		{"What are the first names of all authors?", "SELECT first_name FROM author", "What are the given names of all authors?"},
		{"How many authors of each nationality are there?", "SELECT nationality, count(*) FROM author GROUP BY nationality", "How many authors of each citizenship are there?"},
		{"Which authors have earnings above 1000?", "SELECT name FROM author WHERE earnings > 1000", "Which authors have winnings above 1000?"},
		{"Find the first name and the last name of each author.", "SELECT first_name, last_name FROM author", "Find the first name and the surname of each author."},
		// Words for a value's kind, words that are left alone, a name that another
		// column has.
		{"How many branches are in the city of Rome?", "SELECT count(*) FROM branch WHERE city = 'Rome'", ""},
		{"What is the age of each author?", "SELECT age FROM author", ""},
		{"How many books are there?", "SELECT count(*) FROM book", ""},
	})
}

// FuzzColumnRules checks that no question makes a rule of columns or values panic
// or write what is no text, and that its work is bounded.
func FuzzColumnRules(f *testing.F) {
	for _, q := range []string{
		"", "?", "What are the names of", "with the highest age", "whose age is", "the city of 'Rome", "a an the of of of",
		"authors with an age above 20 and books whose genre code is 'X' or 'Y'", "\"''\"``Rome''", "more than one author in Rome, Rome and Rome?",
		"What is the weight of", "cat that is age 3", "age 3", "is age 3", "in grade 3", "\xff\xfe 20 Ünïcode Rome", "sorted by age in descending",
	} {
		f.Add(q)
	}
	rules := slices.Concat(columnAttributeRules(), columnCarrierRules(), columnSynonymRules(), columnValueRules(), valueSynonymRules())
	queries := []string{
		"SELECT name, age FROM author WHERE age > 20 AND city = 'Rome' ORDER BY age DESC",
		"SELECT max(weight), avg(price) FROM book WHERE genre_code = 'X' OR genre_code = 'Y'",
		"SELECT grade FROM pupil WHERE grade = 3 AND pet_type = 'cat' GROUP BY grade HAVING count(*) > 1",
	}
	f.Fuzz(func(t *testing.T, question string) {
		for _, query := range queries {
			src := sourceOf(t, question, query)
			for _, r := range rules {
				drafts := r.apply(src)
				if len(drafts) > 400 {
					t.Fatalf("%s gives %d drafts of %q", r.name, len(drafts), question)
				}
				for _, d := range drafts {
					if utf8.ValidString(question) && !utf8.ValidString(d) || strings.Contains(d, "  ") {
						t.Errorf("%s makes %q of %q", r.name, d, question)
					}
				}
			}
		}
	})
}

func TestRulesAreDeterministic(t *testing.T) {
	const question = "What are the names of the authors in Rome with an age above 20, sorted by age?"
	const query = "SELECT name FROM author WHERE city = 'Rome' AND age > 20 ORDER BY age"
	all := func() string {
		var b strings.Builder
		for _, c := range categories() {
			for _, d := range c.drafts(sourceOf(t, question, query)) {
				fmt.Fprintln(&b, d)
			}
		}
		return b.String()
	}
	if first := all(); first != all() || first == "" {
		t.Errorf("drafts differ from run to run, or there are none:\n%s", first)
	}
}

func TestTidy(t *testing.T) {
	for _, test := range [][2]string{
		{"which  author , then ?", "Which author, then?"}, {"", ""}, {"élan .", "Élan."},
	} {
		if got := english.Tidy(test[0]); got != test[1] {
			t.Errorf("english.Tidy(%q) = %q, want %q", test[0], got, test[1])
		}
	}
	s := newSentence("Find a book in the US.")
	if got := s.with(2, 3, "old book"); got != "Find an old book in the US." {
		t.Errorf("article: %q", got)
	}
	if got := s.with(5, 6, "U.S."); got != "Find a book in the U.S." {
		t.Errorf("point: %q", got)
	}
	for _, test := range []struct{ word, want string }{
		{"hour", "an"}, {"university", "a"}, {"unit", "a"}, {"uninhabited island", "an"}, {"old man", "an"}, {"8-year-old cat", "an"}, {"3-year-old cat", "a"}, {"USA team", "a"},
	} {
		if got := english.Article(test.word); got != test.want {
			t.Errorf("english.Article(%q) = %q, want %q", test.word, got, test.want)
		}
	}
	for one, many := range map[string]string{"country": "countries", "person": "people", "poker player": "poker players", "stadium": "stadiums", "id": "ids", "staff": "staff"} {
		if got := english.Plural(one); got != many {
			t.Errorf("english.Plural(%q) = %q, want %q", one, got, many)
		}
		if got := english.Plural(many); got != many {
			t.Errorf("english.Plural(%q) = %q, want it as it is", many, got)
		}
		if got := english.SingularPhrase(many); got != one {
			t.Errorf("english.SingularPhrase(%q) = %q, want %q", many, got, one)
		}
	}
}
