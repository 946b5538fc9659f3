package database

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func TestGolden(t *testing.T) { perturbtest.GoldenAll(t, All) }

func TestValid(t *testing.T) {
	if err := perturb.Validate(All); err != nil {
		t.Error(err)
	}
}

// database returns a schema from lines of a table's name and its columns, whose
// SQL names are their natural names with "_".
func database(lines ...string) *dataset.Database {
	db := &dataset.Database{ID: "db"}
	for _, line := range lines {
		name, columns, _ := strings.Cut(line, ": ")
		table := dataset.Table{Name: name, Original: strings.ReplaceAll(name, " ", "_")}
		for c := range strings.SplitSeq(columns, ", ") {
			table.Columns = append(table.Columns, dataset.Column{Name: c, Original: strings.ReplaceAll(c, " ", "_"), Type: dataset.Text})
		}
		db.Tables = append(db.Tables, table)
	}
	return db
}

func examples(t *testing.T, db *dataset.Database, queries ...string) (out []*perturb.Example) {
	t.Helper()
	for i, query := range queries {
		ex, err := perturb.NewExample(db, &dataset.Example{Index: i, DB: db.ID, Query: query})
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		out = append(out, ex)
	}
	return out
}

// thesaurus returns a pass's resources with nothing but names for tables and columns,
// from lines of a name and others that stand for it in one sense ("singer = vocalist").
func thesaurus(t *testing.T, text string) perturb.Resources {
	t.Helper()
	fail := func(err error) { t.Error(err) }
	var classes, headings strings.Builder
	for line := range strings.Lines(text) {
		name, names, _ := strings.Cut(strings.TrimSpace(line), " = ")
		fmt.Fprintf(&classes, "thing: %s = %s\n", name, names)
		fmt.Fprintf(&headings, "%s\nsense*: the one\nreplace: %s\n", name, strings.ReplaceAll(names, " = ", ", "))
	}
	c, err := heading.ReadClasses("test", strings.NewReader(classes.String()), fail)
	if err != nil {
		t.Fatal(err)
	}
	h, err := heading.Read(c, "test", strings.NewReader(headings.String()), fail)
	if err != nil {
		t.Fatal(err)
	}
	return perturb.Resources{Headings: func() *heading.Thesaurus { return h }}
}

// phrases returns a dictionary.
func phrases(t *testing.T, text string) lexicon.Dictionary {
	t.Helper()
	d, err := lexicon.ReadThesaurus("test", strings.NewReader(text), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// run runs a perturbation with the given resources alone.
func run(t *testing.T, p *perturb.Perturbation, db *dataset.Database, ex []*perturb.Example, r perturb.Resources, samples int) ([]perturb.Variant, []perturbtest.Rejection) {
	t.Helper()
	pass := perturbtest.NewPass(t, p, db, ex, samples, 1)
	pass.Resources = r
	return perturbtest.RunPass(t, p, pass)
}

// namesOf opens what gives names.
func namesOf(t *testing.T, open func(*perturb.Pass) (func(entry) []dataset.Candidate, error), p *perturb.Pass) func(entry) []dataset.Candidate {
	t.Helper()
	names, err := open(p)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// names returns the names that entries of a dictionary may take, as "was: name,
// name", sorted, with the table before a column's name.
func names(db *dataset.Database, dictionary []entry) (out []string) {
	for _, e := range dictionary {
		natural, _ := e.names(db)
		if !e.isTable() {
			natural = db.Tables[e.table].Name + "." + natural
		}
		var list []string
		for _, c := range e.candidates {
			list = append(list, c.Name)
		}
		slices.Sort(list)
		out = append(out, natural+": "+strings.Join(list, ", "))
	}
	return out
}

// TestSynonyms has the names that are left where others of the schema could be meant.
func TestSynonyms(t *testing.T) {
	for _, test := range []struct {
		name, thesaurus string
		schema          []string
		want            []string
	}{
		{"tables and columns", "singer = vocalist\ncountry = nation", []string{"singer: id, country"}, []string{"singer: vocalist", "singer.country: nation"}},
		{"names of the schema, in other forms", "country = nation = land\nsinger = vocalist", []string{"country: nations, x", "singer: home land"},
			[]string{"country: land", "singer: vocalist"}},
		{"a name that two columns could take", "town = municipality = borough\ncity = municipality = metropolis", []string{"place: town, city"},
			[]string{"place.town: borough", "place.city: metropolis"}},
		{"two columns of two tables", "town = municipality\ncity = municipality", []string{"place: town", "house: city"},
			[]string{"place.town: municipality", "house.city: municipality"}},
		{"two tables", "town = municipality\ncity = municipality", []string{"town: x", "city: y"}, nil},
		{"SQLite's own tables", "name = title", []string{"sqlite_sequence: name, seq", "person: name"}, []string{"person.name: title"}},
	} {
		db := database(test.schema...)
		pass := perturbtest.NewPass(t, SchemaSynonym, db, nil, 1, 1)
		pass.Resources = thesaurus(t, test.thesaurus)
		if diff := cmp.Diff(test.want, names(db, withCandidates(db, namesOf(t, synonyms, pass)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestDictionary has what a dictionary says of phrases that no thesaurus has.
func TestDictionary(t *testing.T) {
	db := database("person: first name, date killed, quantity in stock, country, video game, year number")
	pass := perturbtest.NewPass(t, SchemaSynonym, db, nil, 1, 1)
	pass.Resources = perturb.Resources{Contrasts: lexicon.DefaultContrasts(), Abbreviations: lexicon.DefaultAbbreviations()}
	pass.Dictionary = phrases(t, "first name = last name = given name\nquantity in stock = qty in stock = stock on hand\n"+
		"country = nation\nvideo game: computer game\ncomputer game: program\nyear number = number of the year\ndate killed = date slain = day slain")
	want := []string{"person.first name: given name", "person.date killed: date slain", "person.quantity in stock: stock on hand"}
	if diff := cmp.Diff(want, names(db, withCandidates(db, namesOf(t, synonyms, pass)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSenses has the names that the thesaurus of headings gives to columns by their
// sense, and to tables; and what gets none.
func TestSenses(t *testing.T) {
	for _, test := range []struct {
		name, not string
		schema    []string
		want      []string
	}{
		{"a student's columns", "", []string{"student: student id, first name, sex"},
			[]string{"student.first name: forename, given name", "student.sex: gender", "student.student id: learner id, student number"}},
		{"no abbreviation", "", []string{"customers: x"}, []string{"customers: clients"}},
		{"tied columns have one name", "", []string{"star: singer id", "prize: singer id"}, []string{"star.singer id: vocalist id"}},
		{"a key keeps its table's name", "singer.", []string{"singer: singer id", "prize: singer id"}, []string{"singer: vocalist"}},
		{"a column is not called as its table", "customer.", []string{"customer: customer"}, []string{"customer: client"}},
		{"siblings end alike", "", []string{"lesson: start time, end time"}, []string{"lesson.start time: starting time"}},
		{"a key by its table's name", "", []string{"car makers: id, country"}, []string{"car makers: car manufacturers", "car makers.id: car maker id"}},
		{"a flag", "", []string{"dogs: abandoned yes or no"}, []string{"dogs.abandoned yes or no: abandoned flag"}},
		{"a state of the US", "customer.state", []string{"customer: state, city, zip code"}, nil},
		{"no noun before id", "death.", []string{"death: caused by ship id"}, nil},
		{"nothing but whose it is", "death.", []string{"death: killed by"}, nil},
		{"a word within a name", "web", []string{"web client accelerator: x"}, nil},
		{"a part of a phrase", "department", []string{"department stores: x"}, nil},
	} {
		db := database(test.schema...)
		if len(db.Tables) == 2 {
			db.ForeignKeys = []dataset.ForeignKey{{Column: dataset.ColumnRef{Table: 1}, Target: dataset.ColumnRef{}}}
		}
		pass := perturbtest.NewPass(t, SchemaSynonym, db, nil, 1, 1)
		got := names(db, withCandidates(db, namesOf(t, synonyms, pass)))
		for _, want := range test.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q, want %q among them", test.name, got, want)
			}
		}
		if test.not != "" && slices.ContainsFunc(got, func(n string) bool { return strings.HasPrefix(n, test.not) }) {
			t.Errorf("%s: %q, want none for %s", test.name, got, test.not)
		}
	}
}

// TestBuckets has the names of buckets, without any dictionary and with one.
func TestBuckets(t *testing.T) {
	db := database("singer: name, home town")
	ex := examples(t, db, "SELECT name FROM singer", "SELECT count(*) FROM singer")
	replace := dataset.Candidate{Name: "place of birth", Source: "people", Similarity: 0.5, Forward: 0.75, Backward: 0.875}
	with := replace
	with.Cells = []string{"Rome"}
	pass := perturbtest.NewPass(t, SchemaSynonym, db, ex, 1, 1)
	pass.Resources = perturb.Resources{}
	pass.Buckets = dataset.Buckets{{DB: "db", Table: "singer", Column: "home_town"}: {Replace: []dataset.Candidate{with}, Add: []dataset.Candidate{{Name: "x"}}}}
	if diff := cmp.Diff([]entry{{columns: []dataset.ColumnRef{{Column: 1}}, candidates: []dataset.Candidate{replace}}},
		withCandidates(db, namesOf(t, synonyms, pass)), cmp.AllowUnexported(entry{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if variants, rejected := perturbtest.RunPass(t, SchemaSynonym, pass); len(variants)+len(rejected) > 0 {
		t.Errorf("no query mentions home_town: %v, %v", variants, rejected)
	}
	pass.Dictionary = phrases(t, "home town = birthplace")
	if diff := cmp.Diff([]string{"singer.home town: birthplace, place of birth"}, names(db, withCandidates(db, namesOf(t, synonyms, pass)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAbbreviations has the short forms of names.
func TestAbbreviations(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{"thing: ranking points", "ranking pts"},
		{"thing: department id", "dept id"},
		{"thing: date of birth", "dob"},
		{"thing: highest level of membership", "highest lvl of membership"},
		{"thing: phone number", "phone no, phone num"},
		{"thing: id", ""},
		{"thing: owner", ""},
		{"thing: conductor based in", ""},
		{"thing: killed", ""},
	} {
		db := database(test.schema)
		pass := perturbtest.NewPass(t, SchemaAbbreviation, db, nil, 1, 1)
		var got []string
		for _, c := range namesOf(t, abbreviations, pass)(entries(db)[1]) {
			got = append(got, c.Name)
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%s: %q, want %q", test.schema, got, test.want)
		}
	}
	db := database("customer customer addresses: x", "categories: x", "addresses: x")
	riddles := entries(db)
	for i, want := range map[int]int{0: 0, 2: 0, 4: 1} {
		if got := namesOf(t, abbreviations, perturbtest.NewPass(t, SchemaAbbreviation, db, nil, 1, 1))(riddles[i]); len(got) != want {
			t.Errorf("table %d is abbreviated to %v, want %d short forms", riddles[i].table, got, want)
		}
	}
	db = database("thing: student id")
	db.Tables[0].Columns[0].Original = "StuID"
	if got := namesOf(t, abbreviations, perturbtest.NewPass(t, SchemaAbbreviation, db, nil, 1, 1))(entries(db)[1]); len(got) > 0 {
		t.Errorf("StuID is abbreviated to %v, want that it is short enough", got)
	}
}

// TestTied has columns of one name that foreign keys tie together: they are
// renamed alike, each in the style of its table, or not at all.
func TestTied(t *testing.T) {
	db := database("star: singer id, name", "song: song id, singer id", "prize: winner, singer id, vocalist number")
	db.Tables[1].Columns[1].Original = "SingerID"
	db.Tables[1].Columns[0].Original = "SongID"
	for _, fk := range [][2]dataset.ColumnRef{{{Table: 2, Column: 1}, {Table: 1, Column: 1}}, {{Table: 1, Column: 1}, {}}, {{Table: 2}, {Column: 1}}} {
		db.ForeignKeys = append(db.ForeignKeys, dataset.ForeignKey{Column: fk[0], Target: fk[1]})
	}
	ex := examples(t, db, "SELECT count(*) FROM song WHERE SingerID = 1", "SELECT winner FROM prize")
	r := thesaurus(t, "singer id = vocalist id")
	variants, rejected := run(t, SchemaSynonym, db, ex, r, 5)
	edit := func(table, column, name string) perturb.Edit {
		from := perturb.Certain("vocalist id", "thesaurus", "singer id: the one")
		return perturb.RenameColumn{Table: table, Column: column, Name: name, Natural: "vocalist id", From: from}
	}
	want := []perturb.Variant{{Examples: ex[:1], Edits: []perturb.Edit{
		edit("star", "singer_id", "vocalist_id"), edit("song", "SingerID", "VocalistID"), edit("prize", "singer_id", "vocalist_id"),
	}}}
	if diff := cmp.Diff(want, variants, cmp.Comparer(func(a, b *perturb.Example) bool { return a == b })); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
	// There is one name to draw: the samples after the first are the same.
	var repeats []perturbtest.Rejection
	for sample := 1; sample < 5; sample++ {
		repeats = append(repeats, perturbtest.Rejection{Example: 0, Sample: sample, Reason: "repeated-sample"})
	}
	if diff := cmp.Diff(repeats, rejected); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
}

// TestSiblings checks that a first and a last name are abbreviated together, and that every sample abbreviates something.
func TestSiblings(t *testing.T) {
	db := database("t: first name, last name")
	pass := perturbtest.NewPass(t, SchemaAbbreviation, db, nil, 40, 1)
	dictionary, err := source(abbreviations).dictionary(pass)
	if err != nil || len(dictionary) != 2 {
		t.Fatalf("%d entries, %v, want the two columns", len(dictionary), err)
	}
	for sample := range 40 {
		if edits := draw(pass, dictionary, sample); len(edits) != 2 {
			t.Errorf("sample %d: edits %v, want one for each column", sample, edits)
		}
	}
}

// TestCovered checks which examples a variant covers.
func TestCovered(t *testing.T) {
	db := database("singer: name, age", "song: title, age")
	queries := []string{
		"SELECT name FROM singer", "SELECT * FROM singer", "SELECT count(*) FROM song", "SELECT title FROM song ORDER BY age",
		"SELECT title FROM song WHERE title IN (SELECT name FROM singer AS T1 WHERE T1.age > 1)",
	}
	ex := examples(t, db, queries...)
	for _, test := range []struct {
		thesaurus string
		want      []int
	}{
		{"singer = vocalist", []int{0, 1, 4}},
		{"name = designation of person", []int{0, 4}},
		{"title = heading", []int{3, 4}},
		{"song = tune", []int{2, 3, 4}},
	} {
		variants, _ := run(t, SchemaSynonym, db, ex, thesaurus(t, test.thesaurus), 1)
		var got []int
		for _, v := range variants {
			for _, e := range v.Examples {
				got = append(got, e.Index)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: examples %v, want %v", test.thesaurus, got, test.want)
		}
	}
}

// TestNothing runs without what names are made of: every example is rejected,
// once a sample, with that reason.
func TestNothing(t *testing.T) {
	db := database("singer: name")
	ex := examples(t, db, "SELECT name FROM singer", "SELECT count(*) FROM singer")
	for _, test := range []struct {
		p      *perturb.Perturbation
		r      perturb.Resources
		reason perturb.Reason
	}{
		{SchemaSynonym, perturb.Resources{}, "no-synonyms-or-buckets"},
		{SchemaAbbreviation, perturb.Resources{}, "no-abbreviations"},
		{SchemaSynonym, thesaurus(t, ""), "no-other-name"},
		{SchemaSynonym, thesaurus(t, "name = 1st word\nsinger = 1st artist"), "no-free-name-in-sample"},
	} {
		var want []perturbtest.Rejection
		for sample := range 2 {
			for i := range ex {
				want = append(want, perturbtest.Rejection{Example: i, Sample: sample, Reason: test.reason})
			}
		}
		variants, rejected := run(t, test.p, db, ex, test.r, 2)
		if diff := cmp.Diff(want, rejected); diff != "" || len(variants) > 0 {
			t.Errorf("%s: %d variants; rejected (-want +got):\n%s", test.p.Name, len(variants), diff)
		}
	}
}

// TestSpider draws from the schemas of Spider dev and checks what holds of every
// sample. The gold SQL is rewritten; nothing is executed.
func TestSpider(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"tables.json", "dev.json"} {
		if err := os.Symlink(shared.File(t, "data", "spider", name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range All {
		records, refused := 0, 0
		for _, u := range perturbtest.Units(t, dir) {
			ex := perturbtest.Examples(t, u)
			variants, _ := perturbtest.Run(t, p, u.DB, ex, nil, 3, 1)
			slices.Reverse(ex)
			fewer, _ := perturbtest.Run(t, p, u.DB, ex[:len(ex)/2], nil, 3, 1)
			for _, v := range fewer {
				i := slices.IndexFunc(variants, func(w perturb.Variant) bool { return w.Sample == v.Sample })
				if i < 0 || !cmp.Equal(variants[i].Edits, v.Edits) {
					t.Errorf("%s: %s: sample %d has other edits among fewer examples", p.Name, u.DB.ID, v.Sample)
				}
			}
			own := perturb.OwnNames(u.DB)
			for _, v := range variants {
				checkNames(t, p, u.DB, own, v.Edits)
				a := perturbtest.Apply(t, u.DB, v)
				records += len(v.Examples)
				refused += len(a.Refused)
				for _, post := range a.Examples {
					if post.Query == perturbedFrom(v, post.Index).Gold.String() {
						t.Errorf("%s: %s: sample %d changes nothing in %s", p.Name, u.DB.ID, v.Sample, post.Query)
					}
				}
			}
		}
		t.Logf("%s: %d records, %d refused", p.Name, records, refused)
		if records < 1400 || refused > records/100 {
			t.Errorf("%s: %d records of 3 samples, %d refused; want 1400 or more, and 1%% at most", p.Name, records, refused)
		}
	}
}

func perturbedFrom(v perturb.Variant, index int) *perturb.Example {
	return v.Examples[slices.IndexFunc(v.Examples, func(ex *perturb.Example) bool { return ex.Index == index })]
}

// checkNames checks that new names are none of the schema's, and shorter where
// they abbreviate.
func checkNames(t *testing.T, p *perturb.Perturbation, db *dataset.Database, own map[string]bool, edits []perturb.Edit) {
	t.Helper()
	for _, e := range edits {
		var was, name string
		switch e := e.(type) {
		case perturb.RenameTable:
			was, name = e.Table, e.Name
		case perturb.RenameColumn:
			was, name = e.Column, e.Name
		}
		if own[perturb.Bare(name)] {
			t.Errorf("%s: %s: %s takes the name %s, which the schema has", p.Name, db.ID, was, name)
		}
		if p == SchemaAbbreviation && letters(name) >= letters(was) {
			t.Errorf("%s: %s is abbreviated to %s", db.ID, was, name)
		}
	}
}

// TestEntries leaves out what has no name of its own: a table that is only called
// one, and columns that are derived from others.
func TestEntries(t *testing.T) {
	db := database("table: year, year number", "song: title")
	db.Tables[0].Columns[1].Base = "year"
	want := []entry{
		{columns: []dataset.ColumnRef{{}}}, {table: 1}, {table: 1, columns: []dataset.ColumnRef{{Table: 1}}},
	}
	if diff := cmp.Diff(want, entries(db), cmp.AllowUnexported(entry{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
