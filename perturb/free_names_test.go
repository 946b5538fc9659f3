package perturb_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

func TestNames(t *testing.T) {
	db := &dataset.Database{Tables: []dataset.Table{
		table("person", "Home_Town", "home town", "E-mail", "electronic mail", "Full_Name", "name"),
		table("other", "id", "id"),
	}}
	names := perturb.NewFreeNames(db)
	for _, step := range []struct {
		table   int
		natural string
		want    string // "" where the name is not to be had
	}{
		{0, "home town", ""},
		{0, "hometown", ""},
		{0, "Home-Town", ""},
		{0, "email", ""},           // differs from E-mail in the separator only
		{0, "electronic mail", ""}, // the natural name counts too
		{0, "name", ""},
		{0, "names", "Names"},
		{0, "full names", "Full_Names"},
		{0, "full names", ""},
		{0, "FullNames", ""},
		{1, "full names", "full_names"}, // each table has names of its own
		{1, "home town", "home_town"},
		{1, "order", "order_"},
		{1, "Order", ""},
		{1, "名前", ""},
	} {
		got, ok := names.Take(step.table, step.natural)
		if got != step.want || ok != (step.want != "") {
			t.Errorf("Take(%d, %q) = %q, %t, want %q", step.table, step.natural, got, ok, step.want)
		}
	}
}

// FuzzNames takes names for tables in every style and checks that they neither
// collide nor hold what an identifier of the style may not.
func FuzzNames(f *testing.F) {
	f.Add("home town\nHome-Town\nhome_town\nHOMETOWN\ntown home")
	f.Add("order\nOrder_\n18 49 share\nn 18 49 share\nn1849 share")
	f.Add("état civil\netat civil\n名前\n\xff\n\x00\n'); DROP TABLE t; --")
	valid := map[string]*regexp.Regexp{
		"":  regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*_?$`),
		"_": regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*_?$`),
		" ": regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*( [A-Za-z0-9]+)*_?$`),
	}
	separators := strings.NewReplacer("_", "", " ", "", "-", "")
	f.Fuzz(func(t *testing.T, natural string) {
		for _, style := range styles {
			db := &dataset.Database{Tables: []dataset.Table{table("t", style.columns...)}}
			names := perturb.NewFreeNames(db)
			taken := map[string]string{}
			for _, c := range db.Tables[0].Columns {
				taken[strings.ToLower(separators.Replace(c.Original))] = c.Original
			}
			for n := range strings.SplitSeq(natural, "\n") {
				name, ok := names.Take(0, n)
				if !ok {
					continue
				}
				if !valid[style.style.Separator].MatchString(name) {
					t.Errorf("%s: %q is written %q, want %s", style.name, n, name, valid[style.style.Separator])
				}
				key := strings.ToLower(separators.Replace(name))
				if other, ok := taken[key]; ok {
					t.Errorf("%s: %q is written %q, which collides with %q", style.name, n, name, other)
				}
				taken[key] = name
				if again, ok := names.Take(0, n); ok {
					t.Errorf("%s: %q is to be had twice, the second time as %q", style.name, n, again)
				}
			}
		}
	})
}

func TestTypeOf(t *testing.T) {
	number := dataset.Column{Type: dataset.Number}
	for _, test := range []struct {
		candidate dataset.Candidate
		beside    dataset.Column
		want      dataset.Type
	}{
		{dataset.Candidate{Name: "release date"}, number, dataset.Time},
		{dataset.Candidate{Name: "IsFullTime"}, dataset.Column{Type: dataset.Text}, dataset.Boolean},
		{dataset.Candidate{Name: "full time"}, number, dataset.Time},
		{dataset.Candidate{Name: "number of wins"}, dataset.Column{Type: dataset.Text}, dataset.Number},
		{dataset.Candidate{Name: "country code"}, number, dataset.Text},
		{dataset.Candidate{Name: "price category"}, number, dataset.Text}, // the last word that tells
		{dataset.Candidate{Name: "category price"}, dataset.Column{Type: dataset.Text}, dataset.Number},
		{dataset.Candidate{Name: "date", Type: dataset.Boolean}, number, dataset.Boolean}, // the source knows
		{dataset.Candidate{Name: "frobnication"}, number, dataset.Number},
		{dataset.Candidate{Name: "frobnication"}, dataset.Column{Type: dataset.Others}, dataset.Others},
		{dataset.Candidate{Name: "frobnication"}, dataset.Column{}, dataset.Text},
		{dataset.Candidate{}, dataset.Column{}, dataset.Text},
	} {
		if got := perturb.TypeOf(test.candidate, test.beside); got != test.want {
			t.Errorf("TypeOf(%q, beside %s) = %s, want %s", test.candidate.Name, test.beside.Type, got, test.want)
		}
	}
}

func rng() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// TestCellsOfSource checks which cells of a web table are used; their order is
// random.
func TestCellsOfSource(t *testing.T) {
	var many []string
	for i := range 40 {
		many = append(many, strconv.Itoa(i))
	}
	for _, test := range []struct {
		name  string
		typ   dataset.Type
		cells []string
		want  []string // sorted
	}{
		{"blanks and repetitions go", dataset.Text, []string{" a ", "a", "", "b"}, []string{"a", "b"}},
		{"text stays as it is", dataset.Text, []string{"1,250", "NaN"}, []string{"1,250", "NaN"}},
		{"numbers only", dataset.Number, []string{"1,250", "1250", "n/a", "-3.5", "NaN", "inf", "Infinity", ",", "12 km"}, []string{"-3.5", "1250"}},
	} {
		got := perturb.Cells(rng(), dataset.Candidate{Name: "x", Cells: test.cells}, test.typ, alone(), 0)
		slices.Sort(got)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if got := perturb.Cells(rng(), dataset.Candidate{Name: "x", Cells: many}, dataset.Number, alone(), 0); len(got) != 12 {
		t.Errorf("%d cells of 40, want 12", len(got))
	}
}

// alone returns a table of one column without samples.
func alone() *dataset.Table { return &dataset.Table{Columns: []dataset.Column{{Name: "y"}}} }

// TestCellsOfTable checks which of a table's own cells those of a new column are like.
func TestCellsOfTable(t *testing.T) {
	table := &dataset.Table{Name: "course", Columns: []dataset.Column{
		{Name: "phone", Type: dataset.Text, Samples: []string{"0113 496 1234", "unknown"}},
		{Name: "price", Type: dataset.Number, Samples: []string{"10.50", "12.00"}},
		{Name: "sold on", Type: dataset.Time, Samples: []string{"2021-03-01 10:00", "2021-04-01 11:30"}},
		{Name: "shop name", Type: dataset.Text, Samples: []string{"North", "South"}},
		{Name: "course title", Type: dataset.Text, Samples: []string{"Latin", "Law"}},
	}}
	for _, test := range []struct {
		name   string
		typ    dataset.Type
		beside int
		want   string // what each cell matches
	}{
		{"toll free number", dataset.Text, 0, `^0\d{3} \d{3} \d{4}$`},
		{"fax", dataset.Text, 0, `^0\d{3} \d{3} \d{4}$`},
		{"unit cost", dataset.Number, 1, `^(5|6|7|8|9|1\d)\.\d\d$`},
		{"buyer id", dataset.Number, 1, `^\d{1,4}$`},
		{"returned on", dataset.Time, 2, `^202[01]-\d\d-\d\d 1[01]:[03]0$`},
		{"billed on", dataset.Time, 1, `^202[01]-\d\d-\d\d 1[01]:[03]0$`},
		{"former name", dataset.Text, 3, `^(North|South)$`},
		{"former name", dataset.Text, 0, `^(North|South)$`},
		{"prerequisite course", dataset.Text, 0, `^(Latin|Law)$`},
		{"phone number", dataset.Text, 3, `^555-0[12]\d\d$`},
	} {
		cells := perturb.Cells(rng(), dataset.Candidate{Name: test.name}, test.typ, table, test.beside)
		if len(cells) < 2 {
			t.Errorf("%q: cells %q, want more", test.name, cells)
		}
		for _, c := range cells {
			if !regexp.MustCompile(test.want).MatchString(c) {
				t.Errorf("%q: cell %q, want %s", test.name, c, test.want)
			}
		}
	}
}

func TestCellsMadeUp(t *testing.T) {
	for _, test := range []struct {
		name string
		typ  dataset.Type
		want string // what each cell matches
	}{
		{"wins", dataset.Number, `^\d{1,4}$`},
		{"founding year", dataset.Number, `^(19[5-9]|20[0-2])\d$`},
		{"founded", dataset.Time, `^\d{4}-\d\d-\d\d$`},
		{"is captain", dataset.Boolean, `^[TF]$`},
		{"home town", dataset.Text, `^[A-Z][a-z]+$`},
		{"area manager name", dataset.Text, `^[A-Z][a-z]+ [A-Z][a-z]+$`},
		{"hair colour", dataset.Text, `^[a-z]+$`},
		{"status", dataset.Text, `^[a-z ]+$`},
		{"shipment date", dataset.Text, `^\d{4}-\d\d-\d\d$`},
		{"motto", dataset.Text, `^motto \d+$`},
		{"名前", dataset.Others, `^\S+ \d+$`},
		{"", dataset.Text, `^value \d+$`},
	} {
		// Cells that do not have the type are as good as none.
		cells := perturb.Cells(rng(), dataset.Candidate{Name: test.name, Cells: []string{"", " "}}, test.typ, alone(), 0)
		if len(cells) == 0 {
			t.Errorf("%q: no cells", test.name)
		}
		for _, c := range cells {
			if !regexp.MustCompile(test.want).MatchString(c) {
				t.Errorf("%q: cell %q, want %s", test.name, c, test.want)
			}
		}
		if diff := cmp.Diff(cells, perturb.Cells(rng(), dataset.Candidate{Name: test.name}, test.typ, alone(), 0)); diff != "" {
			t.Errorf("%q: equal streams give other cells:\n%s", test.name, diff)
		}
	}
}
