package heading_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/lexicon/heading"
)

const classes = `
person: student = pupil, customer = client
event: birth, arrival
`

const book = `
# a comment
position
  sense: playing position
  when: player, club
  table: squad
  cells: text
  replace: playing position
  add: jersey number, preferred foot
  sense: place in a ranking
  when: points, team
  unless: player
  cells: number
  replace: place
  add: previous position

attendance
  sense*: number of spectators
  replace: crowd, number of spectators
  add: stadium capacity, crowd
  sense: visitors
  when: museum

film
  sense*: a film
  replace: movie
  add: director

noise

{person} id
  sense*: key
  replace: {alt} id, {} number
  add: account manager id

{table} id
  sense*: own key
  replace: {} code
  add: national id

date of {event}
  sense*: a day
  replace: {} date, {table} {} date

{} deadline
  sense*: a day
  replace: deadline of {}

{}  noise
  sense*: never

arrived
  sense*: a day
  add: departed at

length
  sense*: of a book
  when: author, title, isbn, publisher
  replace: page count
  add: word count
`

func read(t *testing.T) (*heading.Thesaurus, []string) {
	t.Helper()
	var problems []string
	report := func(err error) { problems = append(problems, err.Error()) }
	c, err := heading.ReadClasses("classes", strings.NewReader(classes), report)
	if err != nil {
		t.Fatal(err)
	}
	th, err := heading.Read(c, "book", strings.NewReader(book), report)
	if err != nil {
		t.Fatal(err)
	}
	return th, problems
}

func TestNames(t *testing.T) {
	th, _ := read(t)
	for _, tt := range []struct {
		name         string
		column       heading.Column
		replace, add []string
	}{
		{"by a cue", heading.Column{Name: "Position", Other: []string{"Player", "Team"}}, []string{"playing position"}, []string{"jersey number", "preferred foot"}},
		{"by the table", heading.Column{Name: "position", Table: "2004 squad"}, []string{"playing position"}, []string{"jersey number", "preferred foot"}},
		{"by another cue", heading.Column{Name: "positions", Other: []string{"points"}, Cells: []string{"1", "2"}}, []string{"place"}, []string{"previous position"}},
		{"against the look of cells", heading.Column{Name: "position", Other: []string{"player", "club"}, Cells: []string{"1", "2"}}, nil, nil},
		{"no cue", heading.Column{Name: "position", Other: []string{"year"}}, nil, nil},
		{"fallback", heading.Column{Name: "Attendance (1000)"}, []string{"crowd", "number of spectators"}, []string{"stadium capacity"}},
		{"the table has it", heading.Column{Name: "attendance", Other: []string{"stadium_capacity"}}, []string{"crowd", "number of spectators"}, nil},
		{"it stands for another column", heading.Column{Name: "attendance", Other: []string{"film", "crowds"}}, nil, []string{"stadium capacity"}},
		{"no senses", heading.Column{Name: "noise"}, nil, nil},
		{"class", heading.Column{Name: "customer_id", Table: "orders", Rows: "order"}, []string{"client id", "customer number"}, []string{"account manager id"}},
		{"own entity", heading.Column{Name: "StudentID", Table: "students", Rows: "student"}, []string{"student code"}, []string{"national id"}},
		{"filled twice", heading.Column{Name: "date of arrival", Rows: "student"}, []string{"arrival date", "student arrival date"}, nil},
		{"any words", heading.Column{Name: "place deadline"}, []string{"deadline of place"}, nil},
		{"a word that no name has", heading.Column{Name: "mmvn deadline"}, nil, nil},
		{"a function word", heading.Column{Name: "from_deadline"}, nil, nil},
		{"by similar tables", heading.Column{Name: "attendance", Near: []string{"museum", "opening hours"}}, []string{"crowd", "number of spectators"}, []string{"stadium capacity"}},
		{"similar tables decide", heading.Column{Name: "position", Near: []string{"player", "club", "jersey number"}}, []string{"playing position"}, []string{"jersey number", "preferred foot"}},
		{"the time of another column", heading.Column{Name: "arrived", Other: []string{"departed"}}, nil, nil},
		{"made of the table's noun", heading.Column{Name: "date of arrival", Rows: "arrive"}, []string{"arrival date"}, nil},
		{"a table without the cues of the sense", heading.Column{Name: "length", Other: []string{"river"}}, []string{"page count"}, nil},
		{"a table with a cue", heading.Column{Name: "length", Other: []string{"author"}}, []string{"page count"}, []string{"word count"}},
		{"unknown", heading.Column{Name: "quark"}, nil, nil},
		{"empty", heading.Column{Name: "(m)"}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := th.Names(tt.column)
			if diff := cmp.Diff(tt.replace, texts(got.Replace)); diff != "" {
				t.Errorf("replace (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.add, texts(got.Add)); diff != "" {
				t.Errorf("add (-want +got):\n%s", diff)
			}
		})
	}
}

func texts(names []heading.Name) (out []string) {
	for _, n := range names {
		out = append(out, n.Text)
	}
	return out
}

func TestReadReports(t *testing.T) {
	c, err := heading.ReadClasses("classes", strings.NewReader("no colon\nperson: , x\nthing: a, b\n"), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"  sense: x\n":                         "book:1: expected a heading first",
		"a\n  add: b\n":                        "book:2: add: expected a sense first",
		"a\n  sense: x\n  cells: blue\n":       `book:3: cells: "blue" is no look`,
		"a\n  sense: x\n  add: b/c\n":          `book:3: add: "b/c": expected words`,
		"a\n  sense: x\n  colour: b\n":         `book:3: "colour": expected sense, when`,
		"a\n  sense: x\n  add: b\n  add: c\n":  `book:4: add: expected one list`,
		"{nobody} id\n":                        `book:1: "{nobody} id": there is no class "nobody"`,
		"A Heading\n":                          `book:1: "A Heading": expected a heading of words`,
		"a\n  sense: x\n  add: {thing} b\n":    `book:3: add: "{thing} b": expected`,
		"{thing} of {thing}\n  sense: first\n": `book:1: "{thing} of {thing}": expected a heading of words and at most one slot`,
	} {
		var got []string
		if _, err := heading.Read(c, "book", strings.NewReader(text), func(err error) { got = append(got, err.Error()) }); err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%q: reported %q, want %q", text, got, want)
		}
	}
}

func TestLookOf(t *testing.T) {
	for _, tt := range []struct {
		cells string
		want  heading.Look
	}{
		{"12;-3.5;1,200", heading.LookNumber},
		{"45%;20 %", heading.LookNumber},
		{"1998;2001", heading.LookYear},
		{"2001-02-03;1999-12-31", heading.LookDate},
		{"3 May 1998;June 2, 2001", heading.LookDate},
		{"19:30;7:05 pm", heading.LookTime},
		{"1:23.4;59:10.2", heading.LookTime},
		{"USA;AB-12", heading.LookCode},
		{"yes;no;Y", heading.LookFlag},
		{"Oslo;New York", heading.LookText},
		{"Oslo;12;3 May", ""},
		{"", ""},
	} {
		if got := heading.LookOf(strings.Split(tt.cells, ";")); got != tt.want {
			t.Errorf("LookOf(%q) = %q, want %q", tt.cells, got, tt.want)
		}
	}
}

// TestDefault looks up headings that everybody knows, each in two kinds of table.
func TestDefault(t *testing.T) {
	th := heading.Default()
	for _, tt := range []struct {
		column       heading.Column
		replace, add string // one of the names
	}{
		{heading.Column{Name: "attendance", Other: []string{"opponent", "date"}}, "crowd", "stadium capacity"},
		{heading.Column{Name: "position", Other: []string{"player", "college", "round", "pick"}}, "playing position", ""},
		{heading.Column{Name: "cust_id", Table: "orders", Rows: "order"}, "client id", "salesperson id"},
	} {
		got := th.Names(tt.column)
		if !strings.Contains(","+strings.Join(texts(got.Replace), ",")+",", ","+tt.replace+",") {
			t.Errorf("%s: %q, want %q among them", tt.column.Name, texts(got.Replace), tt.replace)
		}
		if tt.add != "" && !strings.Contains(","+strings.Join(texts(got.Add), ",")+",", ","+tt.add+",") {
			t.Errorf("%s: %q, want %q among them", tt.column.Name, texts(got.Add), tt.add)
		}
	}
	british := th.Names(heading.Column{Name: "postcode", Table: "owners", Other: []string{"street", "city", "phone"}, Cells: []string{"LS8 8NE", "LS10 1JR", "LS3 6RA"}})
	if slices.Contains(texts(british.Replace), "zip code") {
		t.Errorf("postcodes with letters: %q, want no zip code", texts(british.Replace))
	}
	american := th.Names(heading.Column{Name: "postcode", Table: "owners", Other: []string{"street", "city", "phone"}, Cells: []string{"55402", "55422", "10001"}})
	if !slices.Contains(texts(american.Replace), "zip code") {
		t.Errorf("postcodes of digits: %q, want zip code among them", texts(american.Replace))
	}
	if got := th.Rows("pop_students"); got != "student" {
		t.Errorf("rows of pop_students: %q", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(book, "customer id")
	f.Fuzz(func(t *testing.T, text, name string) {
		c, err := heading.ReadClasses("classes", strings.NewReader(classes), func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		th, err := heading.Read(c, "book", strings.NewReader(text), func(error) {})
		if err != nil {
			return // a line too long
		}
		th.Names(heading.Column{Name: name, Table: name, Rows: "student", Other: []string{name, "points"}})
	})
}

func BenchmarkNames(b *testing.B) {
	th := heading.Default()
	c := heading.Column{Name: "position", Other: []string{"player", "college", "round", "pick", "nationality", "height"}}
	for b.Loop() {
		th.Names(c)
	}
}

// TestPrefixedHeadings finds names behind a prefix that abbreviates the table's name and begins most of its headings.
func TestPrefixedHeadings(t *testing.T) {
	for _, tt := range []struct {
		table, column string
		other         []string
		want          bool
	}{
		{"menu items", "mni label", []string{"mni id", "mni position"}, true},
		{"pets", "pet label", []string{"pet id", "pet position"}, true},
		{"menu items", "mni label", []string{"id", "position", "type"}, false},                 // the others have no prefix
		{"menu items", "mni label", []string{"mni id", "mni position", "label"}, false},        // the table has the short name
		{"menu items", "mni label", []string{"mni id", "mni position", "parent label"}, false}, // it would no longer be clear which label
		{"employees", "tax label", []string{"tax id", "tax code"}, false},                      // no abbreviation of employees
		{"hash tables", "has label", []string{"has id", "has position"}, false},                // a word, no abbreviation
		{"questions", "question 1", []string{"question 2", "question 3"}, false},               // nothing but a number
		{"menu items", "mni of", []string{"mni id", "mni position"}, false},
		{"menu items", "mni id", []string{"mni label", "mni position"}, false},
	} {
		c := heading.Column{Name: tt.column, Table: tt.table, Other: tt.other}
		_, short, _ := strings.Cut(tt.column, " ")
		got := slices.ContainsFunc(heading.Default().Names(c).Replace, func(n heading.Name) bool { return n.Text == short })
		if got != tt.want {
			t.Errorf("%s of %s beside %v: %q among the names is %v, want %v", tt.column, tt.table, tt.other, short, got, tt.want)
		}
	}
}
