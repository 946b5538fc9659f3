package indicator_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// school is a schema of pupils, their clubs and who belongs to which.
func school() *dataset.Database {
	col := func(original, name string, typ dataset.Type) dataset.Column {
		return dataset.Column{Original: original, Name: name, Type: typ}
	}
	return &dataset.Database{ID: "school", Tables: []dataset.Table{
		{Name: "pupil", Original: "pupil", Columns: []dataset.Column{
			col("pupil_id", "pupil id", dataset.Number), col("name", "name", dataset.Text), col("age", "age", dataset.Number),
			col("height", "height", dataset.Number), col("home_town", "home town", dataset.Text), col("sex", "sex", dataset.Text)}},
		{Name: "club", Original: "club", Columns: []dataset.Column{
			col("club_id", "club id", dataset.Number), col("club_name", "club name", dataset.Text), col("founded", "year founded", dataset.Number)}},
		{Name: "member", Original: "member", Columns: []dataset.Column{
			col("pupil_id", "pupil id", dataset.Number), col("club_id", "club id", dataset.Number)}},
	}}
}

func example(t testing.TB, query string) *perturb.Example {
	t.Helper()
	ex, err := perturb.NewExample(school(), &dataset.Example{DB: "school", Query: query})
	if err != nil {
		t.Fatal(err)
	}
	return ex
}

const (
	tallest  = "SELECT name FROM pupil ORDER BY height DESC LIMIT 1"
	older    = "SELECT count(*) FROM pupil WHERE age > 10"
	most     = "SELECT T1.name FROM pupil AS T1 JOIN member AS T2 ON T1.pupil_id = T2.pupil_id GROUP BY T1.pupil_id HAVING count(*) >= 2 ORDER BY count(*) DESC LIMIT 3"
	fromTown = "SELECT DISTINCT name, age FROM pupil WHERE home_town = 'New Ross' AND sex = 'F' ORDER BY age"
	averages = "SELECT avg(height), max(height) FROM pupil"
)

// shown lists mentions as "kind stands: words".
func shown(db *dataset.Database, a *indicator.Alignment) []string {
	var out []string
	for _, m := range a.Mentions {
		what := m.Keyword + m.Value
		switch m.Kind {
		case indicator.Column:
			what = db.Column(m.Column).Original
		case indicator.Table:
			what = db.Tables[m.Table].Original
		case indicator.Keyword:
			what = m.Keyword
		}
		text := m.Text
		if m.Implied() {
			text = "-"
		}
		out = append(out, fmt.Sprintf("%s %s: %s", m.Kind, what, text))
	}
	return out
}

func TestAlign(t *testing.T) {
	for _, test := range []struct {
		query, question string
		want            []string
	}{
		{tallest, "Show the name of the pupil with the greatest height.",
			[]string{"column name: name", "table pupil: pupil", "keyword desc limit: greatest", "column height: height"}},
		{tallest, "Who is the tallest pupil?",
			[]string{"keyword desc limit: tallest", "column height: tallest", "table pupil: pupil", "column name: -"}},
		{older, "How many pupils are older than 10?",
			[]string{"keyword count: How many", "table pupil: pupils", "column age: older", "keyword >: older than", "value 10: 10"}},
		{older, "Count the pupils over ten.",
			[]string{"keyword count: Count", "table pupil: pupils", "keyword >: over", "value 10: ten", "column age: -"}},
		{most, "What are the names of the 3 pupils who are members of the most clubs, at least two?",
			[]string{"column name: names", "value 3: 3", "table pupil: pupils", "table member: members", "keyword desc limit: most",
				"keyword >=: at least", "value 2: two", "column pupil_id: -", "keyword count: -"}},
		{fromTown, "List the different names and ages of girls from New Ross, in increasing order of age.",
			[]string{"keyword distinct: different", "column name: names", "column age: ages", "value F: girls", "value New Ross: New Ross",
				"keyword asc: in increasing order", "column age: age", "table pupil: -", "column home_town: -", "column sex: -"}},
		{averages, "What is the mean height, and the maximum one?",
			[]string{"keyword avg: mean", "column height: height", "keyword max: maximum", "table pupil: -"}},
		{averages, "", []string{"keyword avg: -", "column height: -", "keyword max: -", "table pupil: -"}},
	} {
		db := school()
		got := shown(db, indicator.New(example(t, test.query), db).Align(test.question))
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.question, diff)
		}
	}
}

// label returns the one category of a change: others where nothing changed, multitype
// where changes are of several kinds.
func label(c indicator.Change) indicator.Category {
	switch c.Kinds.Len() {
	case 0:
		return indicator.Others
	case 1:
		return indicator.Categories()[bits.TrailingZeros16(uint16(c.Kinds))]
	}
	return indicator.Multitype
}

func TestClassify(t *testing.T) {
	const (
		greatest = "Show the name of the pupil with the greatest height."
		howMany  = "How many pupils have an age greater than 10?"
		girls    = "What are the names and ages of the female pupils whose home town is New Ross, from youngest to oldest?"
	)
	for _, test := range []struct {
		query, before, after string
		want                 indicator.Category
	}{
		{tallest, greatest, "Show me the name of the pupil with the greatest height, please.", indicator.Others},
		{tallest, greatest, "With the greatest height, what is the name of the pupil?", indicator.Others},
		{tallest, greatest, "Show the name of the pupil with the maximum height.", indicator.KeywordSynonym},
		{tallest, greatest, "Show the name of the pupil who has a greater height than any other.", indicator.KeywordCarrier},
		{tallest, greatest, "Show the name of the tallest pupil.", indicator.ColumnAttribute},
		{tallest, greatest, "Show the name of the pupil with the greatest stature.", indicator.ColumnSynonym},
		{tallest, greatest, "Which pupil has the greatest height?", indicator.ColumnCarrier},
		{tallest, greatest, "Who is the tallest pupil?", indicator.Multitype},
		{older, howMany, "What is the number of pupils who have an age greater than 10?", indicator.KeywordSynonym},
		{older, howMany, "How many pupils have an age above 10?", indicator.KeywordSynonym},
		{older, howMany, "How many pupils are older than 10?", indicator.ColumnAttribute},
		{older, howMany, "How many pupils have an age greater than ten?", indicator.ValueSynonym},
		{older, howMany, "How many pupils have an age over ten?", indicator.Multitype},
		{fromTown, girls, "What are the names and ages of the girls whose home town is New Ross, from youngest to oldest?", indicator.ValueSynonym},
		{fromTown, girls, "What are the names and ages of the female pupils from New Ross, from youngest to oldest?", indicator.ColumnValue},
		{fromTown, girls, "What are the names and ages of the female pupils whose home town is New Ross, youngest first?", indicator.KeywordCarrier},
		{fromTown, girls, "List the names and ages of the female pupils whose home town is New Ross, from youngest to oldest.", indicator.Others},
	} {
		a := indicator.New(example(t, test.query), school())
		c := a.Classify(a.Align(test.before), a.Align(test.after))
		if got := label(c); got != test.want {
			t.Errorf("%s: %s, want %s", test.after, got, test.want)
		}
		if !c.Agrees(test.want) {
			t.Errorf("%s: does not agree with %s", test.after, test.want)
		}
	}
}

// TestAgreesFew checks that a paraphrase does not agree with categories whose
// indicators it leaves alone.
func TestAgreesFew(t *testing.T) {
	a := indicator.New(example(t, older), school())
	before := a.Align("How many pupils have an age greater than 10?")
	for after, want := range map[string][]indicator.Category{
		"How many pupils have an age above 10?":                {indicator.KeywordSynonym},
		"How many pupils have an age greater than ten?":        {indicator.ValueSynonym},
		"Tell me how many pupils have an age greater than 10.": {indicator.Others},
	} {
		var got []indicator.Category
		for _, c := range indicator.Categories() {
			if a.Classify(before, a.Align(after)).Agrees(c) {
				got = append(got, c)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", after, diff)
		}
	}
}

// TestSample checks on the embedded sample that no question differs from itself,
// and that spans hold what they say.
func TestSample(t *testing.T) {
	for _, u := range perturbtest.Units(t, perturbtest.WriteSample(t)) {
		for _, ex := range perturbtest.Examples(t, u) {
			a := indicator.New(ex, u.DB)
			al := a.Align(ex.Question)
			if c := a.Classify(al, al); c.Kinds != 0 || c.Possible != 0 {
				t.Errorf("%s: differs from itself: %v", ex.Question, label(c))
			}
			spans(t, a, al)
		}
	}
}

// spans checks that mentions lie in the question, and that each element has one.
func spans(t *testing.T, a *indicator.Aligner, al *indicator.Alignment) {
	t.Helper()
	for _, m := range al.Mentions {
		if m.Implied() {
			if m.Text != "" || m.Via != indicator.Implied {
				t.Errorf("%q: an implied mention has words: %+v", al.Question, m)
			}
			continue
		}
		if m.Start < 0 || m.End > len(al.Question) || m.Start >= m.End || al.Question[m.Start:m.End] != m.Text {
			t.Errorf("%q: mention %+v is not what its span holds", al.Question, m)
		}
	}
	for _, e := range a.Elements {
		if !slices.ContainsFunc(al.Mentions, func(m indicator.Mention) bool { return m.Element == e }) {
			t.Errorf("%q: no mention of %+v", al.Question, e)
		}
	}
}

func FuzzAlign(f *testing.F) {
	for _, q := range []string{"How many pupils are older than 10?", "", "names of 'New Ross' New Ross", "from # to #, 2 or more", "\xff’s “x” 1,000", "İİ ǅ 3rd"} {
		f.Add(q, "Who is tallest?")
	}
	f.Fuzz(func(t *testing.T, question, paraphrase string) {
		if len(question)+len(paraphrase) > 4000 {
			t.Skip()
		}
		for _, query := range []string{tallest, most, fromTown} {
			a := indicator.New(example(t, query), school())
			before, after := a.Align(question), a.Align(paraphrase)
			spans(t, a, before)
			if c := a.Classify(before, after); c.Kinds&^c.Possible != 0 {
				t.Errorf("%q, %q: a kind that is not possible", question, paraphrase)
			}
			if utf8.ValidString(question) && !strings.ContainsAny(question, "'’") {
				if c := a.Classify(before, a.Align(question+" ")); c.Kinds != 0 {
					t.Errorf("%q: differs from itself and a blank", question)
				}
			}
		}
	})
}

func BenchmarkAlign(b *testing.B) {
	a := indicator.New(example(b, fromTown), school())
	for b.Loop() {
		a.Align("List the different names and ages of girls from New Ross, in increasing order of age.")
	}
}
