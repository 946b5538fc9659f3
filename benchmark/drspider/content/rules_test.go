package content

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// proposals returns what the rules propose for a column of a table with these
// values, in order, a line each: category, new columns, what becomes of the values.
func proposals(table, name string, values []any) []string {
	db := &dataset.Database{ID: "d", Tables: []dataset.Table{{Name: table, Original: table, Columns: []dataset.Column{
		{Name: "other", Original: "other"}, {Name: name, Original: strings.ReplaceAll(name, " ", "_"), Type: dataset.Text},
	}}}}
	var cells []sqldata.Value
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			cells = append(cells, sqldata.Value{})
		case int:
			cells = append(cells, sqldata.NewInt(int64(v)))
		case float64:
			cells = append(cells, sqldata.NewFloat(v))
		case string:
			cells = append(cells, sqldata.NewText(v))
		}
	}
	ref := dataset.ColumnRef{Column: 1}
	col := newColumn(db, ref, cells)
	var out []string
	for _, rule := range rules {
		for _, s := range rule(col) {
			e, ok := s.edit(db, ref, col)
			if !ok {
				out = append(out, "no edit: "+s.why)
				continue
			}
			line := string(e.Category) + ":"
			for _, into := range e.Into {
				line += " " + into.Name
			}
			for _, v := range col.values {
				now, err := e.Map.Apply(v, len(e.Into))
				line += fmt.Sprint("; ", now)
				if err != nil {
					line += err.Error()
				}
			}
			out = append(out, line)
		}
	}
	return out
}

func TestRules(t *testing.T) {
	for _, test := range []struct {
		table, column string
		values        []any
		want          []string
	}{
		// names of people
		{"singer", "name", []any{nil, "Ann Lee", "Bo Ek", "Cy", "Jan de Wit"}, []string{"text to texts: first_name last_name; [Ann Lee]; [Bo Ek]; [Cy ]; [Jan de Wit]"}},
		{"singer", "name", []any{"Ann Lee", "Cy", "Bo"}, nil},
		{"king", "name", []any{"Ann Lee", "Bo IV", "Cy Ek", "Di Ix"}, []string{"text to texts: first_name last_name; [Ann Lee]; [Bo IV ]; [Cy Ek]; [Di Ix]"}},
		{"king", "name", []any{"Ann Lee", "Bo II", "Bo III"}, nil}, // a ruler's number is no last name
		{"stadium", "name", []any{"Hampden Park", "Gayfield Park"}, nil},
		{"singer", "song name", []any{"Wide Awake", "Hey Oh"}, nil},
		{"singer", "first name", []any{"Ann Lee", "Jan Cy"}, nil},
		{"shop", "manager name", []any{"Ann Lee", "Bo Ek"}, []string{"text to texts: manager_first_name manager_last_name; [Ann Lee]; [Bo Ek]"}},
		{"managers", "manager name", []any{"Ann Lee", "Bo Ek"}, []string{"text to texts: first_name last_name; [Ann Lee]; [Bo Ek]"}},
		{"cartoon", "directed by", []any{"Ann Lee", "Bo Ek"}, []string{"text to texts: director_first_name director_last_name; [Ann Lee]; [Bo Ek]"}},
		{"town", "founded by", []any{"Ann Lee", "Bo Ek"}, []string{"text to texts: founder_first_name founder_last_name; [Ann Lee]; [Bo Ek]"}},
		{"book", "author", []any{"Ann Lee", "Bo Ek 2"}, nil},
		{"car", "make", []any{"ford ltd", "ford pinto (sw)", "opel 1900", "opel manta"}, []string{"text to texts: brand model_name; [ford ltd]; [ford pinto (sw)]; [opel 1900]; [opel manta]"}},
		{"car", "make", []any{"ford ltd", "opel 1900"}, nil},
		// other texts of several parts
		{"t", "birth date", []any{"1999-12-31", "2001-02-03"}, []string{"text to texts: birth_year birth_month birth_day; [1999 12 31]; [2001 2 3]"}},
		{"t", "birth date", []any{"2001-02-03", "31.12.1999"}, nil},
		{"t", "note", []any{"2001-02-03", "1999-12-31"}, nil},
		{"t", "birthday", []any{"May 16, 2001", "May 6, 2001"}, []string{"text to texts: month_of_birth day_of_birth year_of_birth; [May 16 2001]; [May 6 2001]"}},
		{"t", "birthday", []any{"May 06, 2001", "May 16, 2001"}, nil},
		{"t", "date left", []any{"2001-02-03 04:05:06", "2001-02-03 04:05:07"}, []string{
			"text to texts: year_left month_left day_left time_left; [2001 2 3 04:05:06]; [2001 2 3 04:05:07]",
			"text to texts: left_date left_time; [2001-02-03 04:05:06]; [2001-02-03 04:05:07]",
		}},
		{"t", "created", []any{"2001-02-03 04:05", "2001-02-03 04:06"}, []string{"text to texts: created_date created_time; [2001-02-03 04:05]; [2001-02-03 04:06]"}},
		{"t", "date valid from", []any{"2001-02-03 04:05", "2001-02-03 04:06"}, []string{
			"text to texts: year_valid_from month_valid_from day_valid_from time_valid_from; [2001 2 3 04:05]; [2001 2 3 04:06]",
			"text to texts: valid_from_date valid_from_time; [2001-02-03 04:05]; [2001-02-03 04:06]",
		}},
		{"t", "date left", []any{"2001-02-03 00:00:00", "2001-02-04 00:00:00"}, nil},
		{"t", "date of birth", []any{"2001-02-03 04:05", "2001-02-04 04:06"}, nil},
		{"t", "semester name", []any{"fall 2010", "spring 2011"}, []string{"text to texts: semester_season semester_year; [fall 2010]; [spring 2011]"}},
		{"song", "duration", []any{"12:30", "3:05"}, []string{"text to texts: duration_minutes duration_seconds; [12 30]; [3 5]"}},
		{"song", "duration", []any{"03:05", "12:30"}, nil},
		{"run", "length", []any{"01:03:05", "12:30:00"}, []string{"text to texts: length_hours length_minutes length_seconds; [1 3 5]; [12 30 0]"}},
		{"t", "email address", []any{"a@b.c", "a@c.d"}, []string{"text to texts: email_user email_domain; [a b.c]; [a c.d]"}},
		{"t", "street", []any{"07 Ho Way", "7 Ho Way\nUlm"}, []string{"text to texts: house_number street_name; [07 Ho Way]; [7 Ho Way\nUlm]"}},
		{"t", "line 2", []any{"Apt. 07", "Suite 7"}, []string{"text to texts: unit_type unit_number; [Apt. 07]; [Suite 7]"}},
		{"match", "score", []any{"10-0", "6-4"}, []string{"text to texts: score_for score_against; [10 0]; [6 4]"}},
		{"match", "score", []any{"6-4", "06-4"}, nil},
		{"screen", "size", []any{"10x20", "30x5"}, []string{"text to texts: size_width size_height; [10 20]; [30 5]"}},
		{"t", "hometown", []any{"Austin, Texas", "Ulm, Bavaria"}, []string{"text to texts: city state; [Austin Texas]; [Ulm Bavaria]"}},
		{"t", "serial code", []any{"AB-07", "C-7"}, []string{"text to texts: serial_code_prefix serial_code_number; [AB 07]; [C 7]"}},
		// booleans
		{"t", "is male", []any{"F", "T"}, []string{"boolean to text: gender; [female]; [male]"}},
		{"t", "is official", []any{0, 1}, []string{"boolean to text: official_status; [unofficial]; [official]"}},
		{"t", "abandoned yn", []any{"0", "1"}, []string{"boolean to text: abandoned_status; [not abandoned]; [abandoned]"}},
		{"t", "high definition tv", []any{"no", "yes"}, []string{"boolean to text: high_definition_tv_availability; [not available]; [available]"}},
		{"t", "result", []any{"F", "T"}, nil},
		{"t", "is male", []any{"F", "T", "X"}, nil},
		{"t", "level", []any{0, 1}, nil},
		// few values
		{"t", "sex", []any{"F", "M"}, []string{
			"text to boolean: is_female; [1]; [0]", "text to boolean: is_male; [0]; [1]", "text to booleans: is_female is_male; [1 0]; [0 1]",
		}},
		{"t", "hand", []any{"L", "R"}, []string{
			"text to boolean: is_left_handed; [1]; [0]", "text to boolean: is_right_handed; [0]; [1]", "text to booleans: is_left_handed is_right_handed; [1 0]; [0 1]",
		}},
		{"t", "degree name", []any{"BA", "MA", "PhD", nil}, []string{"text to booleans: is_ba is_ma is_ph_d; [1 0 0]; [0 1 0]; [0 0 1]"}},
		{"t", "nationality", []any{"France", "UK", "USA"}, []string{"text to booleans: is_from_france is_from_uk is_from_usa; [1 0 0]; [0 1 0]; [0 0 1]"}},
		{"channel", "country", []any{"France", "UK"}, []string{"text to booleans: is_in_france is_in_uk; [1 0]; [0 1]"}},
		{"t", "status", []any{"Closed", "Open"}, []string{
			"text to boolean: is_closed; [1]; [0]", "text to boolean: is_open; [0]; [1]", "text to booleans: is_closed is_open; [1 0]; [0 1]",
		}},
		{"t", "disposition of ship", []any{"Lost", "Sank", "Sold"}, []string{"text to booleans: is_lost is_sank is_sold; [1 0 0]; [0 1 0]; [0 0 1]"}},
		{"t", "title", []any{"Yes Sir", "No Sir"}, nil},
		{"t", "type", []any{"4:3", "16:9"}, nil},
		{"t", "type", []any{"a b", "a-b", "cc"}, nil},
		{"t", "type", []any{"aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh"}, nil},
		{"t", "type", []any{"only"}, nil},
		// numbers
		{"pet", "pet age", []any{3, 18}, []string{"number to number: pet_birth_year; [2015]; [2000]", "number to number: pet_age_in_months; [36]; [216]"}},
		{"t", "age", []any{"20", "31"}, []string{"number to number: birth_year; [1998]; [1987]"}},
		{"t", "age", []any{"9", "31"}, nil},
		{"t", "age", []any{20.5, 31.0}, nil},
		{"t", "average age", []any{20, 31}, nil},
		{"t", "birth year", []any{1944, 1962}, []string{"number to number: age; [74]; [56]"}},
		{"t", "birth year", []any{1944, 2020}, []string{"number to number: age; [76]; [0]"}},
		{"t", "open year", []any{"2008", "2012"}, []string{"number to number: two_digit_open_year; [8]; [12]"}},
		{"t", "year", []any{1970.0, 2012.0}, []string{"number to number: years_since_1900; [70]; [112]"}}, // not: years ago
		{"t", "founding year", []any{1790, 2012}, []string{"number to number: founding_years_since_1700; [90]; [312]"}},
		{"t", "year", []any{-1523, 2012}, nil},
		{"t", "year of work", []any{6, 20}, []string{"number to number: work_start_year; [2012]; [1998]", "number to number: months_of_work; [72]; [240]"}},
		{"t", "grade", []any{9, 12}, []string{"number to number: high_school_year; [1]; [4]"}},
		{"t", "grade", []any{1, 12}, nil},
		{"t", "height", []any{182.0, 207.0}, []string{"number to number: height_in_millimeters; [1820]; [2070]", "number to number: height_in_meters; [1.82]; [2.07]"}},
		{"t", "height", []any{1.82, 2.07}, []string{"number to number: height_in_centimeters; [182]; [207]"}},
		{"dog", "weight", []any{"13.50", "7.57"}, []string{"number to number: weight_in_grams; [13500]; [7570]"}},
		{"dog", "weight", []any{"10", "23"}, []string{"number to number: weight_in_grams; [10000]; [23000]"}},
		{"dog", "weight", []any{"7.5", "7.50"}, []string{"no edit: a measure in a smaller unit"}},
		{"dog", "weight", []any{"7.5", "heavy"}, nil},
		{"mountain", "height", []any{1820, 8848}, nil},
		{"t", "running minutes", []any{90, 120}, []string{"number to number: running_seconds; [5400]; [7200]"}},
		{"t", "percentage", []any{0.9, 76.7}, []string{"number to number: fraction; [0.009]; [0.767]"}},
		{"t", "total cost", []any{19.98, 320.14}, []string{"number to number: total_cost_in_cents; [1998]; [32014]"}},
		{"t", "unit cost eur", []any{19.98, 320.14}, nil},
		{"t", "is 24 h", []any{0, 1}, nil},
		{"t", "price per kg", []any{0.5, 2.25}, []string{"number to number: price_per_kg_in_cents; [50]; [225]"}},
		{"t", "weight g", []any{50, 250}, nil},
		{"t", "net worth millions", []any{14.3, 30.0}, []string{
			"number to number: net_worth_thousands; [14300]; [30000]", "number to number: net_worth; [14300000]; [30000000]", "number to number: net_worth_billions; [0.0143]; [0.03]",
		}},
		{"t", "population", []any{42, 5_000_000}, []string{"number to number: population_in_thousands; [0.042]; [5000]"}},
		{"t", "population", []any{250_000, 5_000_000}, []string{
			"number to number: population_in_thousands; [250]; [5000]", "number to number: population_in_millions; [0.25]; [5]",
		}},
		{"t", "capacity", []any{200, 52500}, nil},
		{"t", "capacity", []any{2000, 52500}, []string{"number to number: capacity_in_thousands; [2]; [52.5]"}},
		{"t", "capacity teu", []any{2000, 52500}, nil},
		{"t", "number of minutes code", []any{1, 2}, nil},
		// nothing to go by
		{"t", "age", nil, nil},
		{"t", "type", []any{nil}, nil},
		{"t", "date", []any{1, "2001-02-03"}, nil},
		{"t", "", []any{"a b", "c d"}, nil},
	} {
		if diff := cmp.Diff(test.want, proposals(test.table, test.column, test.values)); diff != "" {
			t.Errorf("%s.%s %v (-want +got):\n%s", test.table, test.column, test.values, diff)
		}
	}
}

// TestRulesAnyValues checks that no rule stumbles over a value.
func TestRulesAnyValues(t *testing.T) {
	values := []any{nil, 0, -1, 1 << 62, 1e300, -0.5, "", " ", "\xff", "é", "99999999999999999999", "2001-13-99", "a@", "-", "T", "F"}
	var quantities []string
	for _, u := range unitList {
		quantities = append(quantities, u.quantities...)
	}
	for _, name := range slices.Concat(quantities, words.Words("categories"), []string{"name", "date", "year", "age", "street", "score", "make", "is x", "percentage", "height", "author"}) {
		for i := range values {
			for j := range values {
				proposals("singer", name, []any{values[i], values[j]})
			}
		}
	}
}

// TestHasDigits: numbers that are stored as text sort otherwise than people expect.
func TestHasDigits(t *testing.T) {
	for cell, want := range map[sqldata.Value]bool{sqldata.NewText("145"): true, sqldata.NewText("Elm Street"): false, sqldata.NewInt(145): false} {
		e := perturb.RecodeColumn{Recoding: recode.Recoding{Map: recode.Map{Cells: []recode.Cell{{Old: sqldata.NewText("x"), New: []sqldata.Value{cell}}}}}}
		if got := hasDigits(e); got != want {
			t.Errorf("%v: %v", cell, got)
		}
	}
}
