package recode_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// TestRecodeGold has a case for each rule of rewriting. Every query that is not
// refused is run before and after.
func TestRecodeGold(t *testing.T) {
	for _, test := range []struct {
		query string
		edits []perturb.Edit
		want  string // or "refused: " and a reason
	}{
		// predicates
		{"SELECT id FROM student WHERE age > 20", e(birth), "SELECT id FROM student WHERE birth < 1998"},
		{"SELECT id FROM student WHERE 20 <= age", e(birth), "SELECT id FROM student WHERE birth <= 1998"},
		{"SELECT id FROM student WHERE age != 20 AND age < 30", e(birth), "SELECT id FROM student WHERE birth != 1998 AND birth > 1988"},
		{"SELECT id FROM student WHERE age BETWEEN 21 AND 30", e(birth), "SELECT id FROM student WHERE birth BETWEEN 1988 AND 1997"},
		{"SELECT id FROM student WHERE age NOT BETWEEN 21 AND 30", e(months), "SELECT id FROM student WHERE months NOT BETWEEN 252 AND 360"},
		{"SELECT id FROM student WHERE age IN (20, 31)", e(birth), "SELECT id FROM student WHERE birth IN (1998, 1987)"},
		{"SELECT id FROM student WHERE height > 1.7", e(cm), "SELECT id FROM student WHERE cm > 170"},
		{"SELECT id FROM student WHERE height > 1.7", e(milli), "SELECT id FROM student WHERE km > 0.0017"},
		{"SELECT id FROM student WHERE since > 2014", e(ago), "SELECT id FROM student WHERE ago < 4"},
		{"SELECT id FROM student WHERE since = '2019'", e(ago), "SELECT id FROM student WHERE ago = -1"},
		{"SELECT id FROM student WHERE since > 999", e(ago), "refused: a constant is no value of the recoded column"},
		{"SELECT id FROM student WHERE sex = 'F'", e(female), "SELECT id FROM student WHERE is_female = 1"},
		{"SELECT id FROM student WHERE sex != \"F\"", e(male), "SELECT id FROM student WHERE is_male != 0"},
		{"SELECT id FROM student WHERE sex > 'F'", e(female), "SELECT id FROM student WHERE is_female < 1"},
		{"SELECT id FROM student WHERE sex = 'f'", e(female), "refused: a constant is no value of the recoded column"},
		{"SELECT id FROM student WHERE degree > 'BA'", e(mixed), "refused: the new values sort in another order"},
		{"SELECT id FROM student WHERE degree = 'BA'", e(mixed), "SELECT id FROM student WHERE rank = 'second'"},
		{"SELECT id FROM student WHERE name = 'Ann Lee' AND age > 3", e(split), "SELECT id FROM student WHERE fname = 'Ann' AND lname = 'Lee' AND age > 3"},
		{ // no parentheses
			"SELECT id FROM student WHERE age > 3 AND name = 'Ann Lee' AND age < 9", e(split),
			"SELECT id FROM student WHERE age > 3 AND fname = 'Ann' AND lname = 'Lee' AND age < 9",
		},
		{"SELECT id FROM student WHERE age > 29 OR name = 'Ann Lee'", e(split), "SELECT id FROM student WHERE age > 29 OR fname = 'Ann' AND lname = 'Lee'"},
		{"SELECT id FROM student WHERE name = \"Cy O'Hara\"", e(split), `SELECT id FROM student WHERE fname = 'Cy' AND lname = "O'Hara"`},
		{"SELECT id FROM student WHERE name != 'Ann Lee'", e(split), "SELECT id FROM student WHERE fname != 'Ann' OR lname != 'Lee'"},
		{"SELECT id FROM student WHERE name != 'Ann Lee' AND age > 3", e(split), "refused: the rewritten gold SQL lies outside Spider's grammar"},
		{"SELECT id FROM student WHERE name > 'Ann Lee'", e(split), "refused: several columns would stand where SQL takes one value"},
		{"SELECT id FROM student WHERE name = 'Zoe Lee'", e(split), "refused: a constant is no value of the recoded column"},
		{"SELECT id FROM student WHERE degree = 'BA'", e(degrees), "SELECT id FROM student WHERE is_ba = 1"},
		{"SELECT id FROM student WHERE degree != 'BA'", e(degrees), "SELECT id FROM student WHERE is_ba = 0"},
		{"SELECT id FROM student WHERE degree IN ('BA', 'PhD')", e(degrees), "SELECT id FROM student WHERE is_ba = 1 OR is_phd = 1"},
		{"SELECT id FROM student WHERE degree NOT IN ('BA', 'PhD')", e(degrees), "SELECT id FROM student WHERE is_ba = 0 AND is_phd = 0"},
		{"SELECT id FROM student WHERE NOT degree = 'MA'", e(degrees), "SELECT id FROM student WHERE NOT is_ma = 1"},
		{"SELECT id FROM student WHERE degree IS NULL", e(degrees), "SELECT id FROM student WHERE is_ba IS NULL"},
		{"SELECT id FROM student WHERE height IS NOT NULL", e(cm), "SELECT id FROM student WHERE cm IS NOT NULL"},
		{"SELECT id FROM student WHERE sex IS 'F'", e(female), "refused: the recoded column is compared with one that is coded otherwise"},
		{"SELECT id FROM student WHERE sex", e(female), "refused: the recoded column is computed with"},
		{"SELECT id FROM student WHERE age + 1 > 20", e(birth), "refused: the recoded column is computed with"},
		{"SELECT id FROM student WHERE length(sex) = 1", e(female), "refused: the recoded column is computed with"},
		// patterns
		{"SELECT id FROM student WHERE name LIKE '%Lee%'", e(split), "SELECT id FROM student WHERE lname = 'Lee'"},
		{"SELECT id FROM student WHERE name NOT LIKE 'ann%'", e(split), "SELECT id FROM student WHERE fname != 'Ann'"},
		{"SELECT id FROM student WHERE since LIKE '%15'", e(dates), "SELECT id FROM student WHERE year = 15"},
		{"SELECT id FROM student WHERE name LIKE '%n%'", e(split), "refused: a pattern is matched with the recoded column"},
		{"SELECT id FROM student WHERE name LIKE '%An_%'", e(split), "refused: a pattern is matched with the recoded column"},
		{"SELECT id FROM student WHERE sex LIKE 'F'", e(female), "refused: a pattern is matched with the recoded column"},
		{"SELECT id FROM student WHERE degree LIKE 'B%'", e(female), "SELECT id FROM student WHERE degree LIKE 'B%'"},
		// lists
		{"SELECT name, age FROM student", e(split, birth), "SELECT fname, lname, birth FROM student"},
		{"SELECT DISTINCT name FROM student", e(split), "SELECT DISTINCT fname, lname FROM student"},
		{"SELECT name AS n FROM student", e(split), "refused: several columns would stand where SQL takes one value"},
		{"SELECT age AS a FROM student ORDER BY a", e(birth), "SELECT birth AS a FROM student ORDER BY a DESC"},
		{"SELECT * FROM student", e(birth), "refused: a star would show the recoded column at another place"},
		{"SELECT pet.* FROM pet JOIN student ON owner = student.id", e(birth), "SELECT pet.* FROM pet JOIN student ON owner = student.id"},
		{"SELECT count(*) FROM student", e(birth), "SELECT count(*) FROM student"},
		{"SELECT id FROM pet WHERE EXISTS (SELECT * FROM student WHERE age > years)", e(birth, petAge), "SELECT id FROM pet WHERE EXISTS (SELECT * FROM student WHERE birth < pet_birth)"},
		{"SELECT degree, count(*) FROM student GROUP BY degree", e(degrees), "SELECT is_ba, is_ma, is_phd, count(*) FROM student GROUP BY is_ba, is_ma, is_phd"},
		{"SELECT sex, max(age) FROM student GROUP BY 1", e(female), "refused: several columns would stand where SQL takes one value"},
		// order
		{"SELECT id FROM student ORDER BY age DESC LIMIT 1", e(birth), "SELECT id FROM student ORDER BY birth ASC LIMIT 1"},
		{"SELECT id FROM student ORDER BY age", e(months), "SELECT id FROM student ORDER BY months"},
		{"SELECT id FROM student ORDER BY name DESC", e(split), "SELECT id FROM student ORDER BY fname DESC, lname DESC"},
		{"SELECT id FROM student ORDER BY name", e(swapped), "refused: the new values sort in another order"},
		{"SELECT id FROM student ORDER BY degree", e(mixed), "refused: the new values sort in another order"},
		{"SELECT id FROM student ORDER BY sex, age", e(birth), "refused: the rewritten gold SQL lies outside Spider's grammar"},
		{"SELECT id FROM student ORDER BY sex, age", e(birth, female), "SELECT id FROM student ORDER BY is_female DESC, birth DESC"},
		{"SELECT age FROM student ORDER BY 1", e(birth), "refused: the new values sort in another order"},
		{"SELECT id FROM student ORDER BY age NULLS LAST", e(birth), "refused: the new values sort in another order"},
		// aggregates
		{"SELECT min(age), MAX(age), avg(age), count(age) FROM student", e(birth), "SELECT max(birth), MIN(birth), avg(birth), count(birth) FROM student"},
		{"SELECT min(age), sum(age) FROM student", e(months), "SELECT min(months), sum(months) FROM student"},
		{"SELECT sum(age) FROM student", e(birth), "refused: an aggregate has no counterpart over the new values"},
		{"SELECT avg(sex) FROM student", e(female), "refused: an aggregate has no counterpart over the new values"},
		{"SELECT min(degree) FROM student", e(mixed), "refused: the new values sort in another order"},
		{"SELECT count(DISTINCT sex), count(name) FROM student", e(female, split), "SELECT count(DISTINCT is_female), count(fname) FROM student"},
		{"SELECT count(DISTINCT name) FROM student", e(split), "refused: several columns would stand where SQL takes one value"},
		{"SELECT max(name) FROM student", e(split), "refused: several columns would stand where SQL takes one value"},
		{"SELECT sex FROM student GROUP BY sex HAVING avg(age) >= 24", e(birth), "SELECT sex FROM student GROUP BY sex HAVING avg(birth) <= 1994"},
		{"SELECT avg(since) FROM student", e(ago), "SELECT avg(ago) FROM student"},
		{"SELECT sex FROM student GROUP BY sex HAVING min(since) > '2014'", e(ago), "SELECT sex FROM student GROUP BY sex HAVING max(ago) < 4"},
		{"SELECT sex FROM student GROUP BY sex HAVING min(since) > 2014", e(ago), "refused: a constant is no value of the recoded column"},
		{"SELECT sex FROM student GROUP BY sex HAVING min(age) > '20'", e(birth), "refused: a constant is no value of the recoded column"},
		{"SELECT id FROM student WHERE since <= (SELECT avg(since) FROM student)", e(ago), "refused: the recoded column is compared with one that is coded otherwise"},
		{"SELECT id FROM student WHERE since < (SELECT max(since) FROM student)", e(ago), "SELECT id FROM student WHERE ago > (SELECT min(ago) FROM student)"},
		{"SELECT sex FROM student GROUP BY sex ORDER BY max(age)", e(birth), "SELECT sex FROM student GROUP BY sex ORDER BY min(birth) DESC"},
		{"SELECT max(age, 3) FROM student", e(birth), "refused: the recoded column is computed with"},
		{"SELECT max(age) - min(age) FROM student", e(birth), "refused: the recoded column is computed with"},
		{"SELECT group_concat(age) FROM student", e(birth), "refused: the recoded column is computed with"},
		// comparisons of columns and with queries
		{"SELECT id FROM student WHERE age > (SELECT avg(age) FROM student)", e(birth), "SELECT id FROM student WHERE birth < (SELECT avg(birth) FROM student)"},
		{"SELECT id FROM student WHERE age = (SELECT max(age) FROM student)", e(birth), "SELECT id FROM student WHERE birth = (SELECT min(birth) FROM student)"},
		{"SELECT id FROM student WHERE age > (SELECT count(*) FROM pet)", e(birth), "refused: the recoded column is compared with one that is coded otherwise"},
		{"SELECT id FROM student WHERE degree > (SELECT avg(age) FROM student)", e(mixed, birth), "refused: the recoded column is compared with one that is coded otherwise"},
		{"SELECT id FROM student WHERE age IN (SELECT years FROM pet)", e(birth, petAge), "SELECT id FROM student WHERE birth IN (SELECT pet_birth FROM pet)"},
		{"SELECT id FROM student WHERE age IN (SELECT years FROM pet)", e(months, petAge), "refused: the recoded column is compared with one that is coded otherwise"},
		{"SELECT id FROM student WHERE id NOT IN (SELECT owner FROM pet WHERE kind = 'cat')", e(kinds), "SELECT id FROM student WHERE id NOT IN (SELECT owner FROM pet WHERE is_cat = 1)"},
		{"SELECT id FROM student WHERE name IN (SELECT called FROM pet)", e(split, called), "refused: several columns would stand where SQL takes one value"},
		{"SELECT s.id FROM student AS s JOIN pet AS p ON s.name = p.called", e(split, called), "SELECT s.id FROM student AS s JOIN pet AS p ON s.fname = p.call_first AND s.lname = p.call_last"},
		{"SELECT s.id FROM student AS s JOIN pet AS p ON s.name = p.called", e(split), "refused: the recoded column is compared with one that is coded otherwise"},
		{"SELECT a.id FROM student AS a JOIN student AS b ON a.age > b.age", e(birth), "SELECT a.id FROM student AS a JOIN student AS b ON a.birth < b.birth"},
		// joins, nested queries, sets
		{"SELECT id FROM student NATURAL JOIN pet", e(birth), "refused: the recoded column is joined by its name"},
		{"SELECT max(a) FROM (SELECT age AS a FROM student)", e(birth), "SELECT min(a) FROM (SELECT birth AS a FROM student)"},
		{"SELECT max(age) FROM (SELECT age FROM student)", e(birth), "SELECT min(birth) FROM (SELECT birth FROM student)"},
		{"SELECT name FROM (SELECT name FROM student)", e(split), "refused: a nested query passes the recoded column on in a way that cannot follow"},
		{"SELECT count(*) FROM (SELECT name FROM student)", e(split), "SELECT count(*) FROM (SELECT fname, lname FROM student)"},
		{"WITH w AS (SELECT age FROM student) SELECT age FROM w", e(birth), "refused: a WITH clause stands before recoded columns"},
		{"SELECT name FROM student UNION SELECT called FROM pet", e(split, called), "SELECT fname, lname FROM student UNION SELECT call_first, call_last FROM pet"},
		{"SELECT name FROM student EXCEPT SELECT called FROM pet", e(split), "refused: a set operation would mix recoded columns with others"},
		{"SELECT age FROM student UNION SELECT years FROM pet ORDER BY age", e(birth, petAge), "SELECT birth FROM student UNION SELECT pet_birth FROM pet ORDER BY birth DESC"},
		{"SELECT id FROM student WHERE age > 3 INTERSECT SELECT owner FROM pet", e(birth), "SELECT id FROM student WHERE birth < 2015 INTERSECT SELECT owner FROM pet"},
		// names
		{"SELECT called, name FROM pet JOIN student ON owner = student.id", e(recoding("student", "name", recode.TextToTexts, names, "kind text", "lname text")),
			"refused: a new name would be ambiguous in the gold SQL"},
		{"SELECT kind FROM pet JOIN student ON owner = student.id", e(recoding("student", "name", recode.TextToTexts, names, "kind text", "lname text")),
			"refused: a new name would be ambiguous in the gold SQL"},
		{`SELECT id FROM student WHERE degree = "BA"`, e(recoding("student", "age", recode.NumberToNumber, linear(2, 0, 0, 0), "BA number")),
			"refused: a new name would be ambiguous in the gold SQL"},
	} {
		t.Run(test.query, func(t *testing.T) { checkRecoded(t, test.query, test.edits, test.want) })
	}
}

func e(edits ...perturb.RecodeColumn) []perturb.Edit {
	out := make([]perturb.Edit, len(edits))
	for i, edit := range edits {
		out[i] = edit
	}
	return out
}

// checkRecoded rewrites a query and compares its text with want, and its answer
// with the expected one.
func checkRecoded(t *testing.T, query string, edits []perturb.Edit, want string) {
	t.Helper()
	ex := example(t, school(), query)
	after, err := perturb.ApplySchema(school(), edits)
	if err != nil {
		t.Fatal(err)
	}
	got, err := perturb.RewriteGold(ex, edits, after)
	if r, ok := errors.AsType[*perturb.Refusal](err); ok {
		got = "refused: " + r.Error()
	} else if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	if err != nil {
		return
	}
	src := schoolFile(t)
	dst := filepath.Join(t.TempDir(), "after.sqlite")
	if err := perturb.ApplyContent(t.Context(), src, dst, edits); err != nil {
		t.Fatal(err)
	}
	before := perturbtest.Query(t, src, query)
	expected, err := perturb.Expected(ex, edits, before)
	if err != nil {
		t.Fatal(err)
	}
	if res := perturbtest.Query(t, dst, got); !perturb.Holds(ex.Gold, expected, res) {
		t.Errorf("%s answers %v, want %v", got, res.Rows, expected.Rows)
	}
}
