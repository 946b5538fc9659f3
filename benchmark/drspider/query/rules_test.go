package query_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark/drspider/query"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/sqlast"
)

// rule is a question with its SQL, and what a perturbation makes of them: the
// questions with the parts of the SQL as they become, in order, or the reason.
type rule struct {
	question, query string
	want            []string
}

// sample returns a database of the sample.
func sample(tb testing.TB, id string) *dataset.Database {
	tb.Helper()
	units := perturbtest.Units(tb, perturbtest.WriteSample(tb))
	i := slices.IndexFunc(units, func(u *dataset.Unit) bool { return u.DB.ID == id })
	return units[i].DB
}

// league returns the sample's valley_league.
func league(tb testing.TB) *dataset.Database { return sample(tb, "valley_league") }

// bare returns it without content: nothing is run then, and no change preferred.
func bare(tb testing.TB) *dataset.Database {
	db := league(tb)
	db.SQLite = ""
	return db
}

// try runs a perturbation on examples of db, one at a time.
func try(t *testing.T, p *perturb.Perturbation, db *dataset.Database, rules []rule) {
	t.Helper()
	for _, r := range rules {
		ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Question: r.question, Query: r.query})
		if err != nil {
			t.Fatalf("%s: %v", r.query, err)
		}
		variants, rejected := perturbtest.Run(t, p, db, []*perturb.Example{ex}, nil, 5, 1)
		var got []string
		for _, v := range variants {
			question, err := perturb.ApplyQuestion(r.question, v.Edits)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, question+" | "+v.Edits[len(v.Edits)-1].(perturb.RewriteSQL).Now)
		}
		slices.Sort(got)
		for _, x := range rejected {
			got = append(got, "rejected: "+x.Reason.Text())
		}
		if diff := cmp.Diff(r.want, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", filepath.Base(p.Name), r.question, diff)
		}
	}
}

func TestComparison(t *testing.T) {
	const none, several = "rejected: no common indicator of it stands in the question", "rejected: the words of the question could stand for several parts of the gold SQL"
	try(t, query.Comparison, bare(t), []rule{
		{"Towns with more than one club", "SELECT Town FROM Club GROUP BY Town HAVING count(*) > 1", []string{
			"Towns with at most one club | count(*) <= 1", // fewer than one there cannot be
		}},
		{"Towns with at least two clubs", "SELECT Town FROM Club GROUP BY Town HAVING 2 <= count(*)", []string{
			"Towns with at most two clubs | 2 >= count(*)",
			"Towns with fewer than two clubs | 2 > count(*)",
			"Towns with more than two clubs | 2 < count(*)",
		}},
		{"Towns with 2 or more clubs", "SELECT Town FROM Club GROUP BY Town HAVING count(*) >= 2", []string{"Towns with 2 or fewer clubs | count(*) <= 2"}},
		{"Clubs older than 1900", "SELECT Club_Name FROM Club WHERE Founded < 1900", []string{"Clubs younger than 1900 | Founded > 1900"}},
		{"Clubs founded after the year 1900", "SELECT Club_Name FROM Club WHERE Founded > 1900", []string{"Clubs founded before the year 1900 | Founded < 1900"}},
		{"Clubs with a capacity greater than 9,000", "SELECT Club_Name FROM Club WHERE Capacity > 9000", []string{
			"Clubs with a capacity less than 9,000 | Capacity < 9000",
			"Clubs with a capacity of at least 9,000 | Capacity >= 9000",
			"Clubs with a capacity of at most 9,000 | Capacity <= 9000",
		}},
		{"Clubs with a larger capacity than 9000", "SELECT Club_Name FROM Club WHERE Capacity > 9000", []string{"Clubs with a smaller capacity than 9000 | Capacity < 9000"}},
		{"Players shorter than 180", "SELECT Name FROM Player WHERE Height_cm < 180", []string{"Players taller than 180 | Height_cm > 180"}},
		{"Clubs with a capacity above the average", "SELECT Club_Name FROM Club WHERE Capacity > (SELECT avg(Capacity) FROM Club)", []string{
			"Clubs with a capacity below the average | Capacity < (SELECT avg(Capacity) FROM Club)",
		}},
		{"Clubs whose capacity has dropped below 9000", "SELECT Club_Name FROM Club WHERE Capacity < 9000", []string{"rejected: no other operator has an indicator of the same sense and says something"}},
		{"Clubs over 9000 seats that are not over 20000", "SELECT Club_Name FROM Club WHERE Capacity > 9000 AND NOT Capacity > 20000", []string{
			"Clubs at least 9000 seats that are not over 20000 | Capacity >= 9000",
		}},
		{ // with another column there is no contradiction
			"Clubs over 9000 that have more seats than their year", "SELECT Club_Name FROM Club WHERE Capacity > 9000 AND Capacity > Founded",
			[]string{
				"Clubs under 9000 that have more seats than their year | Capacity < 9000",
			},
		},
		{"Clubs founded in 1910, and those founded after 1950", "SELECT Club_Name FROM Club WHERE Founded = 1910 OR Founded > 1950", []string{"rejected: no other operator has an indicator of the same sense and says something"}},
		{"Players with more than 1 number", "SELECT Name FROM Player WHERE Shirt_No > 1", []string{ // less than one there is not
			"Players with at least 1 number | Shirt_No >= 1",
			"Players with at most 1 number | Shirt_No <= 1",
		}},
		{ // one mention of what stands on both sides
			"Towns and stadiums of clubs founded after 1950", "SELECT Town FROM Club WHERE Founded > 1950 UNION SELECT T1.Stadium FROM Club AS T1 WHERE T1.Founded > 1950",
			[]string{"Towns and stadiums of clubs founded before 1950 | Founded < 1950"},
		},
		{ // after and after would say nothing new
			"Towns of clubs from before 1950 and after 1950", "SELECT Town FROM Club WHERE Founded < 1950 INTERSECT SELECT Town FROM Club WHERE Founded > 1950",
			[]string{"rejected: no other operator has an indicator of the same sense and says something"},
		},
		{"Clubs with at least 9000 seats", "SELECT Club_Name FROM Club WHERE Capacity > 9000", []string{none}}, // another operator
		{"Clubs with more than 8000 seats", "SELECT Club_Name FROM Club WHERE Capacity > 9000", []string{none}},
		{"Clubs with a capacity larger than any in Arden", "SELECT Club_Name FROM Club WHERE Capacity > (SELECT max(Capacity) FROM Club WHERE Town = 'Arden')", []string{none}},
		{"Players with more than 5 goals and more than 5 cards", "SELECT Name FROM Player WHERE Goals > 5 AND Shirt_No > 5", []string{several}},
		{"Players of the club 'More than 5'", "SELECT Name FROM Player WHERE Goals > 5 AND Name = 'More than 5'", []string{none}},
		{"All clubs", "SELECT Club_Name FROM Club", nil},
	})
}

func TestSortOrder(t *testing.T) {
	const none, several = "rejected: no common indicator of it stands in the question", "rejected: the words of the question could stand for several parts of the gold SQL"
	oldest := "SELECT Club_Name FROM Club ORDER BY Founded LIMIT 1"
	byName := "SELECT Club_Name FROM Club ORDER BY Club_Name"
	byCount := "SELECT Town FROM Club GROUP BY Town ORDER BY count(*) DESC LIMIT 1"
	try(t, query.SortOrder, bare(t), []rule{
		{"The club that was founded earliest", oldest, []string{"The club that was founded latest | ORDER BY Founded DESC"}},
		{"The first club to be founded; show its first name", oldest, []string{"The last club to be founded; show its first name | ORDER BY Founded DESC"}},
		{"The most recent game", "SELECT Game_ID FROM Game ORDER BY Game_Date DESC LIMIT 1", []string{"The earliest game | ORDER BY Game_Date ASC"}},
		{"Which town has the most clubs?", byCount, []string{"Which town has the fewest clubs? | ORDER BY count(*) ASC"}},
		{"Which town has the most clubs?", "SELECT Town, count(*) AS clubs FROM Club GROUP BY Town ORDER BY clubs DESC LIMIT 1", []string{"Which town has the fewest clubs? | ORDER BY clubs ASC"}},
		{"Which town has the most different club names?", byCount, []string{"Which town has the fewest different club names? | ORDER BY count(*) ASC"}},
		{"Which town has the most popular clubs?", byCount, []string{"Which town has the least popular clubs? | ORDER BY count(*) ASC"}},
		{"Which town has the most earnings?", byCount, []string{"Which town has the least earnings? | ORDER BY count(*) ASC"}},
		{"Which town has the greatest number of clubs?", byCount, []string{"Which town has the fewest number of clubs? | ORDER BY count(*) ASC"}},
		{"The most common town", byCount, []string{"The least common town | ORDER BY count(*) ASC"}},
		{"The shortest player", "SELECT Name FROM Player ORDER BY Height_cm LIMIT 1", []string{"The tallest player | ORDER BY Height_cm DESC"}},
		{"The maximum goals of the team with the largest stadium capacity", "SELECT max(T1.Goals) FROM Player AS T1 JOIN Club AS T2 ON T1.Club_ID = T2.Club_ID GROUP BY T2.Club_ID ORDER BY T2.Capacity DESC LIMIT 1", []string{
			"The maximum goals of the team with the smallest stadium capacity | ORDER BY T2.Capacity ASC",
		}},
		{"Clubs in an ascending order of name", byName, []string{"Clubs in a descending order of name | ORDER BY Club_Name DESC"}},
		{"Clubs in descending alphabetical order", byName + " DESC", []string{"Clubs in ascending alphabetical order | ORDER BY Club_Name ASC"}},
		{"Clubs in alphabetical order", byName, []string{"Clubs in reverse alphabetical order | ORDER BY Club_Name DESC"}},
		{"Clubs in reversed lexicographical order", byName + " DESC", []string{"Clubs in lexicographical order | ORDER BY Club_Name ASC"}},
		{"Clubs sorted alphabetically", byName, []string{"Clubs sorted in reverse alphabetical order | ORDER BY Club_Name DESC"}},
		{"Clubs from the Oldest to the newest", "SELECT Club_Name FROM Club ORDER BY Founded", []string{"Clubs from the Newest to the oldest | ORDER BY Founded DESC"}},
		{"Clubs by capacity from low to high", "SELECT Club_Name FROM Club ORDER BY Capacity", []string{"Clubs by capacity from high to low | ORDER BY Capacity DESC"}},
		{"Clubs, the largest first", "SELECT Club_Name FROM Club ORDER BY Capacity DESC", []string{"Clubs, the smallest first | ORDER BY Capacity ASC"}},
		{"The top 3 clubs in descending order of capacity", "SELECT Club_Name FROM Club ORDER BY Capacity DESC LIMIT 3", []string{"The top 3 clubs in ascending order of capacity | ORDER BY Capacity ASC"}},
		{"Clubs sorted by name", byName, []string{none}},
		{"Clubs in descending order", byName, []string{none}}, // the gold SQL has the other
		{"The largest club, with at most 5 players", "SELECT Club_Name FROM Club ORDER BY Capacity DESC LIMIT 1", []string{"The smallest club, with at most 5 players | ORDER BY Capacity ASC"}},
		{"The oldest club with the largest stadium", oldest, []string{several}},
		{"Clubs in ascending order", "SELECT Club_Name FROM Club ORDER BY Town, Club_Name", []string{"rejected: the gold SQL orders by several terms, or in several places"}},
		{"All clubs", "SELECT Club_Name FROM Club", nil},
	})
}

// TestSortOrderNull has a column without a value in some rows, which ascending order would show first.
func TestSortOrderNull(t *testing.T) {
	latest := "SELECT loan_id FROM loans ORDER BY return_date DESC LIMIT 1"
	try(t, query.SortOrder, sample(t, "town_library"), []rule{
		{"The loan with the latest return date", latest, []string{"rejected: the ascending order would begin with rows that have no value"}},
		{"The loan with the latest loan date", "SELECT loan_id FROM loans ORDER BY loan_date DESC LIMIT 1", []string{"The loan with the earliest loan date | ORDER BY loan_date ASC"}},
	})
}

// TestZeros has a count that leaves out members without a loan, whom "fewer" would mean.
func TestZeros(t *testing.T) {
	loans := "FROM loans JOIN members ON loans.member_id = members.member_id GROUP BY members.member_id "
	try(t, query.Comparison, sample(t, "town_library"), []rule{
		{"Members with more than two loans", "SELECT full_name " + loans + "HAVING count(*) > 2", []string{"Members with at least two loans | count(*) >= 2"}},
	})
}

func TestNonDBNumber(t *testing.T) {
	try(t, query.NonDBNumber, bare(t), []rule{
		{"The 3rd and the 4 largest clubs", "SELECT Club_Name FROM Club ORDER BY Capacity DESC LIMIT 1", nil}, // a 1 is skipped
		{"Clubs", "SELECT Club_Name FROM Club ORDER BY Capacity LIMIT 3", []string{"rejected: the question does not state the number"}},
		{"Clubs with 3 or 3 players", "SELECT Town FROM Club GROUP BY Town HAVING count(*) > 3", []string{
			"rejected: the constant stands twice, in the question or in parts of the gold SQL that need not mean the same",
		}},
		{"Towns with 3 clubs of 3 goals", "SELECT Town FROM Club WHERE Capacity > 3 GROUP BY Town HAVING count(*) > 3", []string{
			"rejected: the constant stands twice, in the question or in parts of the gold SQL that need not mean the same",
		}},
		{"Clubs of 1910", "SELECT Club_Name FROM Club WHERE Founded = 1910", nil}, // a cell
	})
}

// TestNumberForms checks format and bounds of the numbers that are drawn.
func TestNumberForms(t *testing.T) {
	db := league(t)
	for _, test := range []struct {
		p               *perturb.Perturbation
		question, query string
		low, high       float64
		words           string // what only may stand in the place of the number
	}{
		{query.NonDBNumber, "the three largest", "SELECT Club_Name FROM Club ORDER BY Capacity DESC LIMIT 3", 2, 13, "two four five six seven eight nine ten eleven twelve thirteen"},
		{query.NonDBNumber, "the 2nd largest", "SELECT Club_Name FROM Club ORDER BY Capacity DESC LIMIT 2", 2, 12, "3rd 4th 5th 6th 7th 8th 9th 10th 11th 12th"},
		{query.DBNumber, "clubs of 1911", "SELECT Club_Name FROM Club WHERE Founded = 1911", 1901, 1921, "1901 1903 1908 1919"}, // other cells
		{query.DBNumber, "capacity of at least 4,300", "SELECT Club_Name FROM Club WHERE Capacity >= 4300", 4300, 4310, "4,310"},
	} {
		ex, err := perturb.NewExample(db, &dataset.Example{Question: test.question, Query: test.query})
		if err != nil {
			t.Fatal(err)
		}
		variants, _ := perturbtest.Run(t, test.p, db, []*perturb.Example{ex}, nil, 30, 1)
		var got []string
		for _, v := range variants {
			span := v.Edits[0].(perturb.ReplaceSpan)
			got = append(got, span.With)
			digits := strings.ReplaceAll(strings.Trim(span.With, "stndrh"), ",", "")
			if now := v.Edits[1].(perturb.RewriteSQL).Now; digits != "" && digits[0] <= '9' && !strings.HasSuffix(now, " "+digits) {
				t.Errorf("%s: %q stands for %s", test.question, span.With, now)
			}
		}
		for _, w := range strings.Fields(test.words) {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %s is not drawn of %v", test.question, w, got)
			}
		}
	}
}

func TestDBText(t *testing.T) {
	const (
		verbatim = "rejected: the question does not hold the text as the gold SQL writes it"
		twice    = "rejected: the constant stands twice, in the question or in parts of the gold SQL that need not mean the same"
		word     = "rejected: the text is too short or is a word of the schema"
	)
	rules := []rule{
		{"Players in position Defender", "SELECT Name FROM Player WHERE Position = 'Defender' AND Position != 'Forward' AND Position != 'Goalkeeper'", []string{
			"Players in position Midfielder | Position = 'Midfielder'",
		}},
		{"Is a \"Defender\" here, or a Midfielder's friend?", `SELECT Name FROM Player WHERE Position IN ("Defender", "Midfielder", "Forward")`, []string{
			"Is a \"Defender\" here, or a Goalkeeper's friend? | Position IN (\"Defender\", 'Goalkeeper', \"Forward\")",
			"Is a \"Goalkeeper\" here, or a Midfielder's friend? | Position IN ('Goalkeeper', \"Midfielder\", \"Forward\")",
		}},
		{"Players who are defenders", "SELECT Name FROM Player WHERE Position = 'Defender'", []string{verbatim}},
		{"A Defender or a Defender", "SELECT Name FROM Player WHERE Position = 'Defender'", []string{twice}},
		{"Players named Club", "SELECT Name FROM Player WHERE Name = 'Club'", []string{word}},
		{"Players in position D", "SELECT Name FROM Player WHERE Position = 'D'", []string{word}},
		{"Players who are still Defender", "SELECT Name FROM Player WHERE Position = 'Defender'", []string{"rejected: no other value is alike"}},
		{"Clubs of 1910", "SELECT Club_Name FROM Club WHERE Founded = '1910'", nil}, // a number
		// The one mention may mean what would stay.
		{"Players in position Defender", "SELECT Name FROM Player WHERE Position = 'Defender' OR Position = 'DEFENDER'", []string{verbatim}},
		{"Players in position Defender", "SELECT Name FROM Player WHERE Position = 'Defender' OR Name LIKE '%Defender%'", []string{twice}},
		{"Players in position Defender", "SELECT Name FROM Player WHERE Position = 'Defender' OR lower(Position) = lower('Defender')", []string{twice}},
	}
	db := league(t)
	try(t, query.DBText, db, rules)
	try(t, query.DBText, db, []rule{ // Goalkeeper and Midfielder would end before they begin
		{"Positions from Forward to Goalkeeper", "SELECT Name FROM Player WHERE Position BETWEEN 'Forward' AND 'Goalkeeper'", []string{
			"Positions from Defender to Goalkeeper | Position BETWEEN 'Defender' AND 'Goalkeeper'",
			"Positions from Forward to Midfielder | Position BETWEEN 'Forward' AND 'Midfielder'",
		}},
	})
	db.Dialect = sqlast.PostgreSQL.Name()
	try(t, query.DBText, db, []rule{
		{"Players in position Defender", `SELECT "Name" FROM "Player" WHERE "Position" ILIKE '%Defender%' AND "Position" NOT IN ('Forward', 'Goalkeeper')`, []string{
			`Players in position Midfielder | "Position" ILIKE '%Midfielder%'`,
		}},
	})
	db.Dialect, db.SQLite = "", ""
	try(t, query.DBText, db, []rule{{rules[0].question, rules[0].query, []string{"rejected: the database has no content to take another value from"}}})
}

// TestPreferred checks that changes which the data set's own content shows come
// first, and that few remain where it shows none.
func TestPreferred(t *testing.T) {
	db := league(t)
	try(t, query.Comparison, db, []rule{ // no club has 9,000 seats, so that "at least" would change nothing
		{"Clubs with a capacity greater than 9,000", "SELECT Club_Name FROM Club WHERE Capacity > 9000", []string{
			"Clubs with a capacity less than 9,000 | Capacity < 9000",
			"Clubs with a capacity of at most 9,000 | Capacity <= 9000",
		}},
	})
	for _, test := range []struct {
		p               *perturb.Perturbation
		question, query string
		least, most     int // changes
		shown           bool
	}{
		{query.DBNumber, "Clubs of 1910", "SELECT Club_Name FROM Club WHERE Founded = 1910", 2, 5, true},
		{query.DBNumber, "Clubs of 1910 in Nowhere", "SELECT Club_Name FROM Club WHERE Founded = 1910 AND Town = 'Nowhere'", 2, 2, false},
		{query.DBText, "Players in position Defender", "SELECT count(*) FROM Player WHERE Position = 'Defender'", 2, 5, true},
		{query.NonDBNumber, "The 3 largest clubs", "SELECT Club_Name FROM Club ORDER BY Capacity DESC LIMIT 3", 5, 5, true},
	} {
		ex, err := perturb.NewExample(db, &dataset.Example{Question: test.question, Query: test.query})
		if err != nil {
			t.Fatal(err)
		}
		content, err := perturb.OpenContent(t.Context(), db, db.SQLite)
		if err != nil {
			t.Fatal(err)
		}
		defer content.Close()
		before, err := content.Query(t.Context(), test.query)
		if err != nil {
			t.Fatal(err)
		}
		variants, _ := perturbtest.Run(t, test.p, db, []*perturb.Example{ex}, nil, 5, 1)
		if len(variants) < test.least || len(variants) > test.most {
			t.Errorf("%s: %d changes, want %d to %d", test.question, len(variants), test.least, test.most)
		}
		for _, v := range variants {
			now := v.Edits[len(v.Edits)-1].(perturb.RewriteSQL).Query
			after, err := content.Query(t.Context(), now)
			if err != nil {
				t.Fatal(err)
			}
			if shown := !perturb.Holds(ex.Gold, before, after) && perturb.Conclusive(after); shown != test.shown {
				t.Errorf("%s: %s shows the change: %v, want %v", test.question, now, shown, test.shown)
			}
		}
	}
}
