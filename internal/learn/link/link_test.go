package link

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/lexicon"
)

// concerts is a schema in which names repeat, tables have words for nothing, and
// columns have the names of their tables.
func concerts() *dataset.Database {
	table := func(name string, columns ...string) dataset.Table {
		t := dataset.Table{Name: name, Original: strings.ReplaceAll(name, " ", "_")}
		for _, c := range columns {
			t.Columns = append(t.Columns, dataset.Column{Name: c, Original: strings.ReplaceAll(c, " ", "_")})
		}
		return t
	}
	return &dataset.Database{ID: "concerts", Tables: []dataset.Table{
		table("stadium", "stadium id", "name", "capacity", "hometown"),
		table("singers", "singer id", "name", "country", "age", "song release year"),
		table("country", "country", "population"),
		table("tours data", "tour id", "line 2", "ticket price"),
	}}
}

func method(t testing.TB, name string) Method {
	t.Helper()
	methods := Methods(lexicon.Default())
	i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("no linker %q", name)
	}
	return methods[i]
}

// show writes spans as "words=item; …".
func show(db *dataset.Database, tokens []string, spans []Span) string {
	var parts []string
	for _, s := range spans {
		item := db.Tables[s.Item.Table].Original
		if !s.Item.IsTable() {
			item += "." + db.Tables[s.Item.Table].Columns[s.Item.Column].Original
		}
		parts = append(parts, strings.Join(tokens[s.Start:s.End], " ")+"="+item)
	}
	return strings.Join(parts, "; ")
}

func TestLink(t *testing.T) {
	db := concerts()
	for _, test := range []struct{ linker, question, want string }{
		// A name, in another number, case or spelling.
		{"exact", "Show the Capacity of all Stadiums", "Capacity=stadium.capacity; Stadiums=stadium"},
		{"exact", "their home town ?", "home town=stadium.hometown"},
		{"exact", "the ticket prices", "ticket prices=tours_data.ticket_price"},
		{"exact", "song release years", "song release years=singers.song_release_year"},
		{"exact", "release years of tours", ""},
		{"exact", "ages", "ages=singers.age"},
		{"exact", "singers named so", "singers=singers; named=singers.name"},
		{"exact", "ticket , price", ""},
		{"exact", "the song_release_year", "song_release_year=singers.song_release_year"},
		{"exact", "", ""},
		// Which of several: the table of the others, a table named behind, the table itself.
		{"exact", "name and age", "name=singers.name; age=singers.age"},
		{"exact", "name and capacity", "name=stadium.name; capacity=stadium.capacity"},
		{"exact", "names of singers and stadiums", "names=singers.name; singers=singers; stadiums=stadium"},
		{"exact", "how many countries", "countries=country"},
		// What stands in quotes is a value.
		{"exact", "singers with `` name '' of age", "singers=singers; age=singers.age"},
		{"exact", "singers with 'song release year ' of age", "singers=singers; age=singers.age"},
		{"exact", "with 'age' or ‘name’", ""},
		{"exact", "the singer 's name", "singer=singers; name=singers.name"},
		// Parts of names; not numbers or function words alone; own words are free.
		{"partial", "release years of tours", "release years=singers.song_release_year; tours=tours_data"},
		{"partial", "2 prices", "prices=tours_data.ticket_price"},
		{"partial", "ids of stadiums", "ids=stadium.stadium_id; stadiums=stadium"},
		{"partial", "singer id", "singer id=singers.singer_id"},
		{"partial", "data", ""},
		{"exact", "tours", ""},
		// Near words.
		{"embedding", "the nation of a singer", "nation=country; singer=singers"},
		{"embedding", "the cost", "cost=tours_data.ticket_price"},
		{"embedding", "names of the vocalists", "names=singers.name; vocalists=singers"},
		{"embedding", "2 of them xyzzy", ""},
	} {
		tokens := strings.Fields(test.question)
		if got := show(db, tokens, method(t, test.linker).New(db).Link(tokens)); got != test.want {
			t.Errorf("%s: %s\n got %s\nwant %s", test.linker, test.question, got, test.want)
		}
	}
}

// TestNames links against names that hold nothing, or too much.
func TestNames(t *testing.T) {
	long := strings.Repeat("word ", 1000)
	db := &dataset.Database{ID: "odd", Tables: []dataset.Table{
		{Name: "", Original: "a", Columns: []dataset.Column{{Name: "?", Original: "b"}, {Name: "", Original: "c"}}},
		{Name: "data", Original: "data", Columns: []dataset.Column{{Name: "data", Original: "data"}, {Name: long, Original: "long"}}},
		{Name: "empty", Original: "empty"},
	}}
	for _, m := range Methods(lexicon.Default()) {
		for _, db := range []*dataset.Database{db, {ID: "none"}} {
			l := m.New(db)
			check(t, l, db, strings.Fields("data and empty ? word word"))
			check(t, l, db, strings.Fields(strings.Repeat("data ", 5000)))
			check(t, l, db, []string{long})
		}
	}
}

// check holds a linker to what [Linker] and [Span] say.
func check(t *testing.T, l Linker, db *dataset.Database, tokens []string) {
	t.Helper()
	spans := l.Link(tokens)
	last := 0
	for _, s := range spans {
		if s.Start < max(0, last-1) || s.End <= s.Start || s.End > len(tokens) {
			t.Fatalf("span %+v behind token %d of %d in %q", s, last, len(tokens), tokens)
		}
		if s.Item.Table < 0 || s.Item.Table >= len(db.Tables) || s.Item.Column >= len(db.Tables[s.Item.Table].Columns) {
			t.Fatalf("span %+v of no item in %q", s, tokens)
		}
		last = s.End
	}
	if again := l.Link(tokens); !slices.Equal(again, spans) {
		t.Fatalf("%q: %v, then %v", tokens, spans, again)
	}
}

func TestConcurrent(t *testing.T) {
	db := concerts()
	tokens := strings.Fields("names of the vocalists whose nation is `` France ''")
	for _, m := range Methods(lexicon.Default()) {
		l := m.New(db)
		want := l.Link(tokens)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 20 {
					if got := l.Link(tokens); !slices.Equal(got, want) {
						t.Errorf("%s: %v, want %v", m.Name, got, want)
					}
				}
			})
		}
		wg.Wait()
	}
}

func FuzzLink(f *testing.F) {
	for _, s := range []string{
		"names of the singers", "'a ' 's '' `` “ x ”", "Home_Town 2 #", "section_name section_name", "\xff é 漢字 ‘", "release , year",
	} {
		f.Add(s)
	}
	db := concerts()
	var linkers []Linker
	for _, m := range Methods(lexicon.Default()) {
		linkers = append(linkers, m.New(db))
	}
	f.Fuzz(func(t *testing.T, question string) {
		for _, l := range linkers {
			check(t, l, db, strings.Split(question, " "))
		}
	})
}

// BenchmarkLink links the questions of Spider dev; making the linker of each
// database is part of it.
func BenchmarkLink(b *testing.B) {
	dir := filepath.Dir(shared.File(b, "data", "spider", "dev.json"))
	units, err := dataset.Units(dir, "dev", func(err error) { b.Error(err) })
	if err != nil {
		b.Fatal(err)
	}
	lexicon.Default()
	for _, m := range Methods(lexicon.Default()) {
		b.Run(m.Name, func(b *testing.B) {
			b.ReportAllocs()
			questions := 0
			for b.Loop() {
				for _, u := range units {
					l := m.New(u.DB)
					for _, ex := range u.Examples {
						l.Link(ex.Tokens)
						questions++
					}
				}
			}
			b.ReportMetric(float64(questions)/b.Elapsed().Seconds(), "questions/s")
		})
	}
}
