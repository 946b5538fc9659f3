package heading

import (
	"slices"
	"testing"
)

func TestTables(t *testing.T) {
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"customers", []string{"clients", "custs"}},
		{"car makers", []string{"car manufacturers"}},
		{"staff department assignments", []string{"employee department assignments", "staff member department assignments"}},
		{"web client accelerator", nil}, // the client is no customer
		{"students", nil},
		{"", nil},
	} {
		if got := Default().Tables(tt.name); !slices.Equal(got, tt.want) {
			t.Errorf("%q may be called %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestNoun(t *testing.T) {
	for name, want := range map[string]string{
		"price_changes": "price change", "customers": "customer", "stg_customers": "", "a_list_of_four_words": "", "": "",
		"users_teams": "", "project_has_files": "", "sales_orders": "sales order",
	} {
		if got := Default().Noun(name); got != want {
			t.Errorf("a row of %q is called %q, want %q", name, got, want)
		}
	}
}

// TestNounInNames holds that a table's name fills {table} where its rows are no known entity, without repeats.
func TestNounInNames(t *testing.T) {
	for _, tt := range []struct{ column, noun, want string }{
		{"id", "price change", "price change id"},
		{"type", "price type", ""}, // no "price type type"
		{"id", "", ""},
		{"blocked", "price change", ""},
	} {
		names := Default().Names(Column{Name: tt.column, Table: tt.noun, Noun: tt.noun})
		got := ""
		if len(names.Replace) > 0 {
			got = names.Replace[0].Text
		}
		if got != tt.want {
			t.Errorf("%s of a table of %q: %q, want %q", tt.column, tt.noun, got, tt.want)
		}
	}
}
