package realise_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark/drspider/realise"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func questions(t testing.TB, db *dataset.Database, sql string, seed uint64, n int) ([]string, error) {
	t.Helper()
	return questionsLike(t, db, sql, "", seed, n)
}

// questionsLike is questions for a query with its original question.
func questionsLike(t testing.TB, db *dataset.Database, sql, question string, seed uint64, n int) ([]string, error) {
	t.Helper()
	ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Query: sql})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	list, err := realise.Questions(db, ex.Gold, ex.Binding, question, nil, rand.New(rand.NewPCG(seed, 1)), n)
	var texts []string
	for _, q := range list {
		texts = append(texts, q.Text)
	}
	return texts, err
}

// TestSample says the gold SQL of the sample.
func TestSample(t *testing.T) {
	units := perturbtest.Units(t, perturbtest.WriteSample(t))
	var b strings.Builder
	for _, u := range units {
		for _, ex := range perturbtest.Examples(t, u) {
			fmt.Fprintf(&b, "%s\n", ex.Query)
			list, err := questions(t, u.DB, ex.Query, 1, 5)
			if err != nil {
				fmt.Fprintf(&b, "  %v\n", err)
			}
			for _, q := range list {
				fmt.Fprintf(&b, "  %s\n", q)
			}
		}
	}
	perturbtest.Compare(t, "testdata/sample.golden", []byte(b.String()))
}

// school is a schema with a table that only joins, a key with a role, and names that are
// no nouns.
func school() *dataset.Database {
	column := func(name string, typ dataset.Type) dataset.Column {
		return dataset.Column{Name: name, Original: strings.ReplaceAll(name, " ", "_"), Type: typ}
	}
	table := func(name string, columns ...dataset.Column) dataset.Table {
		return dataset.Table{Name: name, Original: strings.ReplaceAll(name, " ", "_"), Columns: columns}
	}
	id := func(name string) dataset.Column { return column(name, dataset.Number) }
	return &dataset.Database{
		ID: "school",
		Tables: []dataset.Table{
			table("student", id("student id"), column("name", dataset.Text), column("age", dataset.Number), column("home country", dataset.Text), id("mentor id"), column("reports to", dataset.Number), column("birthday", dataset.Time)),
			table("course", id("course id"), column("title", dataset.Text), column("credits", dataset.Number), column("has final exam", dataset.Number), column("teaching minutes", dataset.Number)),
			table("takes", id("student id"), id("course id")),
			table("mentor", id("mentor id"), column("name", dataset.Text), column("is active", dataset.Text)),
			table("lives in", id("student id"), column("of", dataset.Text)),
		},
		PrimaryKeys: []dataset.ColumnRef{{Table: 0}, {Table: 1}, {Table: 3}},
		ForeignKeys: []dataset.ForeignKey{
			{Column: dataset.ColumnRef{Table: 2}, Target: dataset.ColumnRef{}},
			{Column: dataset.ColumnRef{Table: 2, Column: 1}, Target: dataset.ColumnRef{Table: 1}},
			{Column: dataset.ColumnRef{Column: 4}, Target: dataset.ColumnRef{Table: 3}},
			{Column: dataset.ColumnRef{Column: 5}},
		},
	}
}

// TestSaysThatRowsRefer checks that rows are said to refer to others where the original question says so: some refer to none.
func TestSaysThatRowsRefer(t *testing.T) {
	const sql, phrase = "SELECT T1.name, T2.name FROM student AS T1 JOIN mentor AS T2 ON T1.mentor_id = T2.mentor_id", "with a mentor"
	for question, want := range map[string]bool{
		"Show the name and mentor of every student.":                 false,
		"Show every student with a mentorship, and the mentor.":      false,
		"Show every student who has a mentor, and the mentor.":       true,
		"Give the name and mentor of all the students with a mentor": true,
	} {
		list, err := questionsLike(t, school(), sql, question, 1, 20)
		if err != nil || len(list) == 0 {
			t.Errorf("%s: %d questions, error %v", question, len(list), err)
		}
		for _, q := range list {
			if strings.Contains(q, phrase) != want {
				t.Errorf("%s: said %q", question, q)
			}
		}
	}
}

// TestSwitch checks that nothing is said of a column of 0 and 1 where no word says what 1 means.
func TestSwitch(t *testing.T) {
	const sql = "SELECT name FROM student WHERE age = 1"
	for _, tt := range []struct {
		cells []string
		said  bool
	}{{nil, true}, {[]string{"0", "1", "2"}, true}, {[]string{"0", "1"}, false}} {
		db := school()
		db.Tables[0].Columns[2].Samples = tt.cells
		if list, err := questions(t, db, sql, 1, 5); (len(list) > 0) != tt.said {
			t.Errorf("cells %v: said %q, error %v; want it said: %v", tt.cells, list, err, tt.said)
		}
	}
}

// TestOrderOfLimit checks that the order of limited rows is said where the original question asks for it.
func TestOrderOfLimit(t *testing.T) {
	const sql = "SELECT name, age FROM student ORDER BY age DESC LIMIT 3"
	order := regexp.MustCompile(`from oldest|from the highest|descending`)
	for question, want := range map[string]bool{"Who are the three oldest students?": false, "Show the three oldest students who ordered a book.": false, "Show the three oldest students, oldest first.": true} {
		list, err := questionsLike(t, school(), sql, question, 1, 20)
		if err != nil || len(list) == 0 {
			t.Errorf("%s: %d questions, error %v", question, len(list), err)
		}
		for _, q := range list {
			if order.MatchString(q) != want {
				t.Errorf("%s: said %q", question, q)
			}
		}
	}
}

// TestJoinWithoutNoun checks that a join with rows that have no name does not matter where nothing is asked of them.
func TestJoinWithoutNoun(t *testing.T) {
	db := school()
	db.Tables = append(db.Tables, dataset.Table{Name: "zzqx fj", Original: "zzqx_fj", Columns: []dataset.Column{{Name: "fj id", Original: "fj_id", Type: dataset.Number}}})
	db.Tables[0].Columns = append(db.Tables[0].Columns, dataset.Column{Name: "fj id", Original: "fj_id", Type: dataset.Number})
	target := dataset.ColumnRef{Table: len(db.Tables) - 1}
	db.PrimaryKeys = append(db.PrimaryKeys, target)
	db.ForeignKeys = append(db.ForeignKeys, dataset.ForeignKey{Column: dataset.ColumnRef{Column: len(db.Tables[0].Columns) - 1}, Target: target})
	list, err := questions(t, db, "SELECT T1.name FROM student AS T1 JOIN zzqx_fj AS T2 ON T1.fj_id = T2.fj_id WHERE T1.age > 20", 1, 5)
	if err != nil || len(list) == 0 {
		t.Errorf("%d questions, error %v", len(list), err)
	}
}

// TestSays checks that shapes of queries are said in the words that they should be.
func TestSays(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"SELECT count(*) FROM student", "How many students are there?"},
		{"SELECT name FROM student WHERE age > 20", "Which students are older than 20?"},
		{"SELECT age FROM student WHERE name = 'Ann'", "How old is the student Ann?"},
		{"SELECT avg(age) FROM student", "What is the average age of all students?"},
		{"SELECT name FROM student ORDER BY age DESC LIMIT 1", "Which student has the highest age?"},
		{"SELECT T1.name FROM student AS T1 JOIN takes AS T2 ON T1.student_id = T2.student_id JOIN course AS T3 ON T2.course_id = T3.course_id WHERE T3.title = 'Art'", "Which students take the course Art?"},
		{"SELECT name FROM student WHERE student_id NOT IN (SELECT student_id FROM takes)", "Which students do not take any courses?"},
		{"SELECT name FROM student WHERE student_id NOT IN (SELECT student_id FROM takes WHERE student_id IS NOT NULL)", "Which students do not take any courses?"},
		{"SELECT max(teaching_minutes) FROM course", "What is the maximum teaching time in minutes of all courses?"},
		{"SELECT CAST(SUM(CASE WHEN age > 20 THEN 1 ELSE 0 END) AS REAL) * 100 / COUNT(*) FROM student", "What percentage of all students are older than 20?"},
		{"SELECT ROUND(AVG(age > 20), 2) FROM student WHERE home_country = 'Peru'", "What share of the students whose home country is Peru are older than 20, rounded to 2 decimal places?"},
		{"SELECT 1.0 * COUNT(*) FILTER (WHERE age > 20) / NULLIF(COUNT(*) FILTER (WHERE age < 5), 0) FROM student", "What is the ratio of the number of students older than 20 to the number of students younger than 5?"},
		{"SELECT SUM(IIF(home_country = 'Peru', 1, 0)) FROM student", "How many students have Peru as the home country?"},
		{"SELECT SUM(age) * 1.0 / COUNT(student_id) FROM student", "What is the average age of all students?"},
		{"SELECT name FROM student WHERE strftime('%Y', birthday) = '1990'", "Which students are born in 1990?"},
		{"SELECT count(*) FROM student WHERE birthday LIKE '1990-03%'", "How many students are born in March 1990?"},
		{"SELECT name FROM student WHERE LOWER(name) LIKE LOWER('%an%')", "Which students have a name containing 'an'?"},
		{"SELECT strftime('%Y', birthday), count(*) FROM student GROUP BY 1", "How many students are there for each year of birth?"},
		{"SELECT home_country, count(*) FROM student GROUP BY 1 ORDER BY 2 DESC LIMIT 3", "Which three home countries have the most students, and how many does each of them have?"},
		{"SELECT title FROM course WHERE has_final_exam = 1", "Which courses have a final exam?"},
		{"SELECT home_country, count(*) FROM student GROUP BY home_country", "How many students are there for each home country?"},
		{"SELECT home_country FROM student GROUP BY home_country HAVING count(*) > 3", "Which home countries have more than 3 students?"},
		{"SELECT home_country FROM student GROUP BY home_country ORDER BY count(*) DESC LIMIT 1", "Which home country has the most students?"},
	} {
		var all []string
		for seed := range uint64(8) {
			list, err := questions(t, school(), c.sql, seed, 48)
			if err != nil {
				t.Errorf("%s: %v", c.sql, err)
				break
			}
			all = append(all, list...)
		}
		if !slices.Contains(all, c.want) {
			t.Errorf("%s: %q is not among\n%s", c.sql, c.want, strings.Join(all, "\n"))
		}
	}
}

// TestPartAsked has questions for a part of a text, and for a whole one that the gold SQL matches with wildcards.
func TestPartAsked(t *testing.T) {
	db := school()
	ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Query: "SELECT title FROM course WHERE title LIKE '%Porter%'"})
	if err != nil {
		t.Fatal(err)
	}
	for question, isPart := range map[string]bool{
		"All courses with Porter in the title": true, `Courses with "Porter" in their name`: true, "Courses called Porter": false, "Courses for Porter in the town": false,
	} {
		list, err := realise.Questions(db, ex.Gold, ex.Binding, question, nil, rand.New(rand.NewPCG(1, 1)), 8)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range list {
			if says := strings.Contains(q.Text, "contain") || strings.Contains(q.Text, "includ"); says != isPart {
				t.Errorf("%s: %q, expected a part of the title: %v", question, q.Text, isPart)
			}
		}
	}
}

// TestAbstains checks that what cannot be said for certain is not said.
func TestAbstains(t *testing.T) {
	for _, sql := range []string{
		"SELECT of FROM lives_in",
		"SELECT age + 1 FROM student",
		"SELECT coalesce(age, student_id) FROM student",
		"SELECT name FROM student WHERE age > 20 AND (home_country = 'Peru' OR name = 'Ann')",
		"SELECT name FROM student WHERE age > 20 AND (home_country = 'Peru' OR (name = 'Ann' AND age = 3))",
		"SELECT name FROM student WHERE birthday >= date('now', '-10 years')",
		"SELECT sum(age) / 12 FROM student",
		"SELECT count(CASE WHEN age > 20 THEN 1 ELSE 0 END) FROM student",
		"WITH x AS (SELECT 1) SELECT name FROM student",
		"SELECT T1.name FROM student AS T1 JOIN mentor AS T2 ON T1.age = T2.mentor_id WHERE T2.name = 'Ann'",
		"SELECT name FROM student ORDER BY age LIMIT 3 OFFSET 2",
		"SELECT name FROM student ORDER BY name DESC LIMIT 3",
		"SELECT T1.name, T2.name FROM student AS T1 JOIN student AS T2 ON T1.reports_to = T2.student_id",
		"SELECT name FROM student UNION ALL SELECT name FROM student WHERE age > 3",
	} {
		list, err := questions(t, school(), sql, 1, 5)
		if abstained := (*realise.Unsupported)(nil); !errors.As(err, &abstained) {
			t.Errorf("%s: said as %q, expected that it is not (%v)", sql, list, err)
		}
	}
}

// TestDiffers checks that questions are distinct, and the same for the same seed.
func TestDiffers(t *testing.T) {
	sql := "SELECT name, age FROM student WHERE home_country = 'Peru'"
	list, err := questions(t, school(), sql, 3, 12)
	if err != nil || len(list) < 6 {
		t.Fatalf("%q, %v, expected six questions at least", list, err)
	}
	seen := map[string]bool{}
	for _, q := range list {
		if seen[strings.ToLower(q)] {
			t.Errorf("%q is there twice", q)
		}
		seen[strings.ToLower(q)] = true
	}
	if again, _ := questions(t, school(), sql, 3, 12); !slices.Equal(list, again) {
		t.Errorf("the same seed gave %q and %q", list, again)
	}
}

func BenchmarkQuestions(b *testing.B) {
	db := school()
	for b.Loop() {
		if _, err := questions(b, db, "SELECT T1.name FROM student AS T1 JOIN takes AS T2 ON T1.student_id = T2.student_id JOIN course AS T3 ON T2.course_id = T3.course_id WHERE T3.title = 'Art' AND T1.age > 20", 1, 24); err != nil {
			b.Fatal(err)
		}
	}
}
