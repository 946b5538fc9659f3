package perturb_test

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// table returns a table whose columns have the SQL and natural names given in
// turn.
func table(name string, names ...string) dataset.Table {
	t := dataset.Table{Name: name, Original: name}
	for i := 0; i < len(names); i += 2 {
		t.Columns = append(t.Columns, dataset.Column{Original: names[i], Name: names[i+1], Type: dataset.Text})
	}
	return t
}

// styles are tables in every style that data sets use.
var styles = []struct {
	name    string
	columns []string // SQL and natural names in turn
	style   perturb.Style
	want    string // "home town" in the style
}{
	{"snake", []string{"full_name", "full name", "age", "age"}, perturb.Style{Separator: "_"}, "home_town"},
	{"title snake", []string{"Full_Name", "full name", "Age", "age"}, perturb.Style{Separator: "_", Case: perturb.Title}, "Home_Town"},
	{"camel", []string{"fullName", "full name", "birthDate", "birth date"}, perturb.Style{Case: perturb.Camel}, "homeTown"},
	{"joined lower", []string{"fullname", "full name", "birthdate", "birth date"}, perturb.Style{Case: perturb.Camel}, "homeTown"},
	{"pascal", []string{"FullName", "full name", "BirthDate", "birth date"}, perturb.Style{Case: perturb.Title}, "HomeTown"},
	{"blanks", []string{"full name", "full name", "birth date", "birth date"}, perturb.Style{Separator: " "}, "home town"},
	{"title blanks", []string{"Full Name", "full name", "Birth Date", "birth date"}, perturb.Style{Separator: " ", Case: perturb.Title}, "Home Town"},
	{"upper", []string{"FULL_NAME", "full name", "BIRTH_DATE", "birth date"}, perturb.Style{Separator: "_", Case: perturb.Upper}, "HOME_TOWN"},
	{"single words", []string{"name", "name", "age", "age"}, perturb.Style{Separator: "_"}, "home_town"},
	{"single titles", []string{"Name", "name", "Age", "age"}, perturb.Style{Separator: "_", Case: perturb.Title}, "Home_Town"},
	{"cases of its own", []string{"Full_Name", "full name", "age", "age", "sex", "sex"}, perturb.Style{Separator: "_", Case: perturb.Title}, "Home_Town"},
	{"of several words", []string{"PetID", "pet id", "PetType", "pet type", "pet_age", "pet age", "weight", "weight"}, perturb.Style{Case: perturb.Title, UpperID: true}, "HomeTown"},
	{"not ASCII", []string{"école_id", "school id", "état_civil", "marital status"}, perturb.Style{Separator: "_"}, "home_town"},
	{"no letters", []string{"2001", "2001", "2002", "2002"}, perturb.Style{Separator: "_"}, "home_town"},
	{"no columns", nil, perturb.Style{Separator: "_"}, "home_town"},
}

func TestStyleOf(t *testing.T) {
	for _, test := range styles {
		db := &dataset.Database{Tables: []dataset.Table{table("t", test.columns...)}}
		got := perturb.StyleOf(db, 0)
		if got != test.style {
			t.Errorf("%s: style %+v, want %+v", test.name, got, test.style)
		}
		if id := got.Identifier("town id"); strings.HasSuffix(id, "ID") != (got.UpperID || got.Case == perturb.Upper) {
			t.Errorf("%s: town id is written %q", test.name, id)
		}
		if name := got.Identifier("home town"); name != test.want {
			t.Errorf("%s: home town is written %q, want %q", test.name, name, test.want)
		}
	}
}

// TestStyleOfDatabase checks that a table of single words takes its separator
// from the other tables, and its capitals from itself.
func TestStyleOfDatabase(t *testing.T) {
	db := &dataset.Database{Tables: []dataset.Table{
		table("singles", "Name", "name", "Age", "age"),
		table("others", "fullname", "full name", "birthdate", "birth date"),
	}}
	if got, want := perturb.StyleOf(db, 0), (perturb.Style{Case: perturb.Title}); got != want {
		t.Errorf("style %+v, want %+v", got, want)
	}
}

func TestIdentifier(t *testing.T) {
	snake := perturb.Style{Separator: "_"}
	titleSnake := perturb.Style{Separator: "_", Case: perturb.Title}
	camel := perturb.Style{Case: perturb.Camel}
	pascal := perturb.Style{Case: perturb.Title}
	upper := perturb.Style{Separator: "_", Case: perturb.Upper}
	blanks := perturb.Style{Separator: " "}
	for _, test := range []struct {
		style   perturb.Style
		natural string
		want    string
	}{
		{snake, "date of birth", "date_of_birth"},
		{camel, "date of birth", "dateOfBirth"},
		{pascal, "date of birth", "DateOfBirth"},
		{upper, "date of birth", "DATE_OF_BIRTH"},
		{blanks, "date of birth", "date of birth"},
		{snake, "order", "order_"},
		{upper, "order", "ORDER_"},
		{pascal, "group", "Group_"},
		{blanks, "select", "select_"},
		{snake, "key", "key_"},
		{snake, "true", "true_"},
		{pascal, "count", "Count_"},
		{snake, "counts", "counts"},
		{snake, "order number", "order_number"},
		{camel, "group by", "groupBy"},
		{snake, "group by", "group_by"},
		{camel, "is null", "isNull_"},
		{snake, "18 49 share", "n_18_49_share"},
		{titleSnake, "18 49 share", "N_18_49_Share"},
		{camel, "18 49 share", "n1849Share"},
		{upper, "2001", "N_2001"},
		{blanks, "1st place", "n 1st place"},
		{snake, "état civil", "etat_civil"},
		{snake, "naïve", "naive"},
		{snake, "名前", ""},
		{snake, "名前 name", ""},
		{snake, "e-mail (work)", "e_mail_work"},
		{snake, "men's 3.5 % score", "men_35_percent_score"},
		{snake, "HomeTown", "home_town"},
		{snake, "\xff\xfe", ""},
		{snake, "  ", ""},
		{snake, "", ""},
	} {
		if got := test.style.Identifier(test.natural); got != test.want {
			t.Errorf("%+v writes %q as %q, want %q", test.style, test.natural, got, test.want)
		}
	}
}

// TestIdentifierBare checks that no word of SQL comes out as a name that must
// be quoted.
func TestIdentifierBare(t *testing.T) {
	for _, word := range []string{
		"select", "from", "where", "group", "order", "by", "having", "limit", "join", "on", "using", "natural", "left", "right",
		"full", "cross", "inner", "outer", "and", "or", "not", "in", "is", "null", "like", "glob", "between", "exists", "case",
		"when", "then", "else", "end", "cast", "as", "distinct", "all", "union", "intersect", "except", "with", "values", "table",
		"index", "primary", "references", "check", "default", "collate", "current_date", "escape", "isnull", "notnull", "window",
		"over", "filter", "nothing", "returning", "first", "last", "action", "do", "false", "max", "min", "count", "sum", "avg", "asc", "desc", "to", "set", "into", "add", "column", "transaction",
	} {
		for _, style := range []perturb.Style{{Separator: "_"}, {Separator: "_", Case: perturb.Upper}, {Case: perturb.Camel}, {Case: perturb.Title}} {
			name := style.Identifier(word)
			if id := sqlast.NewIdent(name); id.Quote != 0 {
				t.Errorf("%q is written %s, which needs quotes", word, id)
			}
		}
	}
}
