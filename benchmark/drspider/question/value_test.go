package question

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/language/numeral"
)

func TestColumnValue(t *testing.T) {
	testRules(t, columnValueRules(), []ruleTest{
		{"How many branches are in the city of Rome?", "SELECT count(*) FROM branch WHERE city = 'Rome'", "How many branches are in Rome?"},
		{"How many branches are in city 'Rome'?", "SELECT count(*) FROM branch WHERE city = 'Rome'", "How many branches are in 'Rome'?"},
		{"Which books use the English language?", "SELECT title FROM book WHERE language = 'English'", "Which books use English?"},
		{"What is the price of the book with the title 'Emma'?", "SELECT price FROM book WHERE title = 'Emma'", "What is the price of the book 'Emma'?"},
		{"What is the price of the book named Emma?", "SELECT price FROM book WHERE title = 'Emma'", "What is the price of the book Emma?"},
		{"How many books with genre code SF are there?", "SELECT count(*) FROM book WHERE genre_code = 'SF'", "How many SF books are there?"},
		{"What are the names of branches in the city of Rome?", "SELECT name FROM branch WHERE city = 'Rome'", "What are the names of branches in Rome?"},
		{"How many trees of the Bonsai style are there?", "SELECT count(*) FROM tree WHERE style = 'Bonsai'", ""},
		// What is asked for is not told.
		{"Give the book with the title 'Emma'.", "SELECT title FROM book WHERE title = 'Emma'", ""},
		// A weight without its unit or column says nothing; a part of a value is no
		// value; what is negated otherwise stays.
		{"How many books have weight 500?", "SELECT count(*) FROM book WHERE weight = 500", ""},
		{"How many branches are in Rome?", "SELECT count(*) FROM branch WHERE city = 'Rome'", ""},
		// What a book has is said; a continent is stood on, and lived in.
		{"Which book has the title 'Emma'?", "SELECT book_id FROM book WHERE title = 'Emma'", ""},
		{"How many branches are on the country of France?", "SELECT count(*) FROM branch WHERE country = 'France'", ""},
	})
}

func TestValueSynonym(t *testing.T) {
	testRules(t, valueSynonymRules(), []ruleTest{
		{"Which authors are older than 60?", "SELECT name FROM author WHERE age > 60", "Which authors are older than sixty?"},
		{"Which authors have at least two books?", "SELECT name FROM author GROUP BY name HAVING count(*) >= 2", "Which authors have at least 2 books?"},
		{"Which cities have more than one author?", "SELECT city FROM author GROUP BY city HAVING count(*) > 1", "Which cities have more than a single author?"},
		{"Which cities have more than a single author?", "SELECT city FROM author GROUP BY city HAVING count(*) > 1", "Which cities have more than one author?"},
		{"Which authors have earnings above 300000?", "SELECT name FROM author WHERE earnings > 300000", "Which authors have earnings above 300 thousand?"},
		{"Which branches have a population between 2000000 and 5000000?", "SELECT name FROM branch WHERE population BETWEEN 2000000 AND 5000000", "Which branches have a population between 2 million and 5 million?"},
		{"Who are the authors with an age between 20 and 30?", "SELECT name FROM author WHERE age BETWEEN 20 AND 30", "Who are the authors with an age between twenty and thirty?"},
		{"How many branches are in the USA?", "SELECT count(*) FROM branch WHERE country = 'USA'", "How many branches are in the United States?"},
		{"How many branches are in USA?", "SELECT count(*) FROM branch WHERE country = 'USA'", "How many branches are in America?"},
		{"How many books are about cars?", "SELECT count(*) FROM book WHERE title = 'car'", "How many books are about automobiles?"},
		{"List the branches in \"USA\".", "SELECT name FROM branch WHERE country = 'USA'", "List the branches in the United States."},
		// A year, an id and an ordinary name have no other form.
		{"Show the authors born in 1948.", "SELECT name FROM author WHERE birth_year = 1948", ""},
		{"Which book has id 12?", "SELECT title FROM book WHERE book_id = 12", ""},
		{"How many branches are in Rome?", "SELECT count(*) FROM branch WHERE city = 'Rome'", ""},
		// A large number that is a name, as of a room, has no words.
		{"Which pupils are in grade 612?", "SELECT pupil_id FROM pupil WHERE grade = 612", ""},
		// An adjective is no noun, and of two digits none changes alone.
		{"How many pupils have dogs?", "SELECT count(*) FROM pupil WHERE pet_type = 'dog'", ""},
		{"Which authors have age 1? 1 stands for yes, and 0 stands for no.", "SELECT name FROM author WHERE age = 1", ""},
	})
	src := sourceOf(t, "List the branches in \"USA\".", "SELECT name FROM branch WHERE country = 'USA'")
	for _, r := range valueSynonymRules() {
		for _, q := range r.apply(src) {
			if strings.Contains(q, "\"") {
				t.Errorf("%s has other letters in quotes", q)
			}
		}
	}
}

// TestFormsTogether checks that all values of a column change together, also with one of another column between them.
func TestFormsTogether(t *testing.T) {
	src := sourceOf(t, "Which books are about cars, movies or bicycles?", "SELECT price FROM book WHERE title = 'car' OR genre_code = 'movie' OR title = 'bicycle'")
	want := []string{"Which books are about automobiles, movies or bikes?", "Which books are about cars, films or bicycles?"}
	r := valueSynonymRules()[1]
	if got := slices.Sorted(slices.Values(r.apply(src))); !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", r.name, got, want)
	}
}

// TestNumberForms checks that every other form of a number reads as that number.
func TestNumberForms(t *testing.T) {
	for _, digits := range []string{"2", "10", "19", "20", "72", "100", "150", "3000", "3,500", "10000", "80000", "300000", "1000000", "2500000", "15000000"} {
		src := sourceOf(t, "Which authors have earnings above "+digits+"?", "SELECT name FROM author WHERE earnings > "+removeCommas(digits))
		want, ok := numeral.Parse(digits)
		if !ok {
			t.Fatalf("%s is no number", digits)
		}
		s := newSubject(src)
		for _, v := range s.values() {
			forms := v.numberForms()
			if len(forms) == 0 {
				t.Errorf("%s has no other form", digits)
			}
			for _, form := range forms {
				if n, ok := numeral.Parse(form); !ok || n.Value != want.Value {
					t.Errorf("%s as %q reads as %v, %t", digits, form, n.Value, ok)
				}
			}
			if slices.Contains(forms, digits) {
				t.Errorf("%s is its own form", digits)
			}
		}
	}
}

func removeCommas(s string) string {
	out := ""
	for _, r := range s {
		if r != ',' {
			out += string(r)
		}
	}
	return out
}
