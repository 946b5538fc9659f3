package wikisql

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/sqlast"
)

func players() *dataset.Database {
	db := &dataset.Database{ID: "1-1", Tables: []dataset.Table{newTable("1-1", []string{"Player", "No.", "School/Club Team", "Order", "2009", "no", "%"})}}
	db.Tables[0].Columns[1].Type = dataset.Number
	return db
}

func TestNames(t *testing.T) {
	var got [][3]string
	for _, c := range newTable("1-1", []string{"Player", "No.", "School/Club Team", "Order", "2009", "no", "% of  votes", "", "Années", "日本", "max", "player", "home", strings.Repeat("long ", 40)}).Columns {
		got = append(got, [3]string{c.Original, c.Name, c.Header})
	}
	long := strings.Repeat("long ", 40)
	want := [][3]string{
		{"player", "player", "Player"}, {"no_", "no.", "No."}, {"school_club_team", "school/club team", "School/Club Team"},
		{"order_", "order", "Order"}, {"n_2009", "2009", ""}, {"no__2", "no", ""}, {"percent_of_votes", "% of votes", "% of  votes"},
		{"column_8", "column 8", ""}, {"annees", "années", "Années"}, {"column_10", "日本", ""}, {"max_", "max", ""}, {"player_2", "player", ""},
		{"home", "home", ""}, {strings.TrimRight(strings.Repeat("long_", 12), "_"), strings.TrimSpace(long), long},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for id, want := range map[string]string{"1-10015132-11": "table_1_10015132_11", "table_1": "table_1"} {
		if got := TableName(id); got != want {
			t.Errorf("table %s is %s, expected %s", id, got, want)
		}
	}
}

func TestFormToSQL(t *testing.T) {
	db := players()
	for form, want := range map[string]string{
		`{"sel":0,"conds":[],"agg":0}`:                                             "SELECT player FROM table_1_1",
		`{"sel":1,"conds":[[2,0,"O'Neal's"],[1,1,-3.50]],"agg":3}`:                 "SELECT COUNT(no_) FROM table_1_1 WHERE school_club_team = 'O''Neal''s' AND no_ > -3.50",
		`{"sel":4,"conds":[[1,2,3],[1,2,3.0],[1,0,"3"]],"agg":5}`:                  "SELECT AVG(n_2009) FROM table_1_1 WHERE no_ < 3 AND no_ < 3.0 AND no_ = '3'",
		`{"sel":5,"conds":[[6,0,""],[0,0," a\nb "],[1,0,1e+20]],"agg":1}`:          "SELECT MAX(no__2) FROM table_1_1 WHERE percent = '' AND player = ' a\nb ' AND no_ = 1e+20",
		`{"sel":0,"conds":[[0,0,"x AND y = 'z' -- \u00e9"],[1,0,-0]],"agg":2}`:     "SELECT MIN(player) FROM table_1_1 WHERE player = 'x AND y = ''z'' -- é' AND no_ = -0",
		`{"sel":0,"conds":[[0,0,"a"],[0,0,"a"],[0,0,"a"],[0,0,"a"]],"agg":4}`:      "SELECT SUM(player) FROM table_1_1 WHERE player = 'a' AND player = 'a' AND player = 'a' AND player = 'a'",
		`{"sel":0,"conds":[[1,0,123456789012345678901234567890]],"agg":0}`:         "SELECT player FROM table_1_1 WHERE no_ = 123456789012345678901234567890",
		`{"sel":0,"conds":[[1,0,150817.6878461314],[3,0,"\ud83d\ude00"]],"agg":0}`: "SELECT player FROM table_1_1 WHERE no_ = 150817.6878461314 AND order_ = '😀'",
	} {
		var f LogicalForm
		if err := json.Unmarshal([]byte(form), &f); err != nil {
			t.Fatal(form, err)
		}
		sql, err := f.SQL(&db.Tables[0])
		if err != nil || sql != want {
			t.Errorf("%s: %s (%v), expected %s", form, sql, err, want)
		}
		back, err := Parse(sql, db)
		if err != nil || !back.Equal(f) {
			t.Errorf("%s: came back as %+v (%v)", form, back, err)
		}
		if raw, err := asciiJSON(back); err != nil || string(raw) != form {
			t.Errorf("%s: written as %s (%v)", form, raw, err)
		}
	}
}

func TestBadForms(t *testing.T) {
	db := players()
	for form, want := range map[string]string{
		`{"conds":[],"agg":0}`:                          `lacks "sel", expected it`,
		`{"sel":0,"agg":0}`:                             `lacks "conds", expected it`,
		`{"sel":0,"conds":[]}`:                          `lacks "agg", expected it`,
		`{"sel":"0","conds":[],"agg":0}`:                `"sel" is a string, expected a whole number`,
		`{"sel":0,"conds":[[0,0]],"agg":0}`:             `a condition is [0,0], expected [column, operator, value]`,
		`{"sel":0,"conds":[[0,0,null]],"agg":0}`:        `a condition compares with null, expected a string or a number`,
		`{"sel":0,"conds":[[0,0,["a"]]],"agg":0}`:       `a condition compares with ["a"], expected a string or a number`,
		`{"sel":7,"conds":[],"agg":0}`:                  `"sel" is column 7, expected 0 to 6 as the table has 7`,
		`{"sel":-1,"conds":[],"agg":0}`:                 `"sel" is column -1, expected 0 to 6 as the table has 7`,
		`{"sel":0,"conds":[],"agg":6}`:                  `"agg" is 6, expected 0 to 5`,
		`{"sel":0,"conds":[[9,0,"a"]],"agg":0}`:         `"conds" has column 9, expected 0 to 6 as the table has 7`,
		`{"sel":0,"conds":[[0,3,"a"]],"agg":0}`:         `"conds" has operator 3, expected 0 to 2`,
		`{"sel":0,"conds":[[0,0,"a"],"b"],"agg":0}`:     `a condition is "b", expected [column, operator, value]`,
		`{"sel":0,"conds":[[0,0,"a"],{"a":1}],"agg":0}`: `a condition is {"a":1}, expected [column, operator, value]`,
	} {
		var f LogicalForm
		err := json.Unmarshal([]byte(form), &f)
		if err == nil {
			_, err = f.SQL(&db.Tables[0])
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, expected %s", form, err, want)
		}
	}
}

func TestParse(t *testing.T) {
	db := players()
	for sql, want := range map[string]string{
		"select T1.PLAYER from Table_1_1 as T1 where T1.no_ = 3;":                   `{"sel":0,"conds":[[1,0,3]],"agg":0}`,
		`SELECT count ( player ) FROM table_1_1 WHERE player = "x y" AND (no_ > 1)`: `{"sel":0,"conds":[[0,0,"x y"],[1,1,1]],"agg":3}`,
		"SELECT player FROM table_1_1 WHERE (no_ = 1 AND no_ = 2) AND (no_ = 3)":    `{"sel":0,"conds":[[1,0,1],[1,0,2],[1,0,3]],"agg":0}`,
		"SELECT player FROM table_1_1 WHERE no_ = 1 AND (no_ = 2 AND no_ == 3)":     `{"sel":0,"conds":[[1,0,1],[1,0,2],[1,0,3]],"agg":0}`,
		"SELECT player FROM table_1_1 WHERE no_ = 1 OR no_ = 2":                     "OR",
		"SELECT player FROM table_1_1 WHERE no_ >= 1":                               "comparison other than =, > and <",
		"SELECT player FROM table_1_1 WHERE no_ LIKE 'a'":                           "condition other than a comparison",
		"SELECT player FROM table_1_1 WHERE no_ = player":                           "condition that compares with no constant",
		"SELECT player FROM table_1_1 WHERE 3 = no_":                                "condition that begins with no column",
		"SELECT player FROM table_1_1 WHERE no_ = NULL":                             "condition that compares with no constant",
		"SELECT player FROM table_1_1 WHERE no_ = .5":                               "number that JSON does not have",
		"SELECT player FROM table_1_1 WHERE no_ = (SELECT 1)":                       "condition that compares with no constant",
		"SELECT player, no_ FROM table_1_1":                                         "several result columns",
		"SELECT * FROM table_1_1":                                                   "star",
		"SELECT COUNT(*) FROM table_1_1":                                            "COUNT(*)",
		"SELECT COUNT(DISTINCT player) FROM table_1_1":                              "DISTINCT in an aggregate",
		"SELECT DISTINCT player FROM table_1_1":                                     "DISTINCT",
		"SELECT lower(player) FROM table_1_1":                                       "function other than an aggregate of a column",
		"SELECT max(player, no_) FROM table_1_1":                                    "function other than an aggregate of a column",
		"SELECT no_ + 1 FROM table_1_1":                                             "result that is no column",
		"SELECT player FROM table_1_1 ORDER BY no_":                                 "ORDER BY",
		"SELECT player FROM table_1_1 LIMIT 1":                                      "LIMIT",
		"SELECT player FROM table_1_1 GROUP BY player":                              "GROUP BY or HAVING",
		"SELECT player FROM table_1_1 UNION SELECT no_ FROM table_1_1":              "set operation",
		"SELECT a.player FROM table_1_1 a JOIN table_1_1 b":                         "other than one table in FROM",
		"SELECT player FROM (SELECT player FROM table_1_1)":                         "nested query in FROM",
		"WITH x AS (SELECT 1) SELECT player FROM table_1_1":                         "WITH",
		"SELECT name FROM table_1_1":                                                "gold SQL with names that the table has not",
		"SELECT":                                                                    "gold SQL that does not parse",
		" ":                                                                         "no gold SQL",
	} {
		got := ""
		f, err := Parse(sql, db)
		if err != nil {
			got = err.Error()
		} else if raw, err := asciiJSON(f); err == nil {
			got = string(raw)
		}
		if got != want {
			t.Errorf("%s: %s, expected %s", sql, got, want)
		}
	}
	two := players()
	two.Tables = append(two.Tables, two.Tables[0])
	if _, err := Parse("SELECT 1", two); err == nil || err.Error() != "query of a database of several tables" {
		t.Errorf("two tables: %v", err)
	}
}

// FuzzForm reads logical forms; one that has a meaning comes back from SQL as it is, and
// its SQL is what the parser prints.
func FuzzForm(f *testing.F) {
	f.Add([]byte(`{"sel":1,"conds":[[2,0,"O'Neal"],[1,1,-3.50]],"agg":3}`))
	f.Add([]byte(`{"sel":0,"conds":[[0,2,1e5],[4,0,"\u0000\ud800"]],"agg":0}`))
	db := players()
	f.Fuzz(func(t *testing.T, raw []byte) {
		var form LogicalForm
		if dataset.Decode(raw, &form) != nil {
			return
		}
		sql, err := form.SQL(&db.Tables[0])
		if err != nil || len(sql) > sqlast.MaxBytes || strings.ContainsRune(sql, 0) || len(form.Where) > 100 {
			return
		}
		back, err := Parse(sql, db)
		if err != nil || !back.Equal(form) {
			t.Fatalf("%s: %q came back as %+v (%v), expected %+v", raw, sql, back, err, form)
		}
		if q, err := sqlast.Parse(sql); err != nil || q.String() != sql {
			t.Fatalf("%q is printed as %q (%v)", sql, q, err)
		}
		written, err := asciiJSON(form)
		if err != nil {
			t.Fatal(err)
		}
		var again LogicalForm
		if err := json.Unmarshal(written, &again); err != nil || !again.Equal(form) {
			t.Fatalf("%s: %s came back as %+v (%v)", raw, written, again, err)
		}
	})
}

// FuzzParse parses any SQL; what is a logical form prints as SQL that is the same one.
func FuzzParse(f *testing.F) {
	f.Add("SELECT T1.player FROM table_1_1 AS T1 WHERE no_ > 3 AND player = \"x\"")
	f.Add("select count(no_) from table_1_1")
	db := players()
	f.Fuzz(func(t *testing.T, sql string) {
		form, err := Parse(sql, db)
		if err != nil {
			return
		}
		printed, err := form.SQL(&db.Tables[0])
		if err != nil {
			t.Fatalf("%q: %+v: %v", sql, form, err)
		}
		if again, err := Parse(printed, db); err != nil || !again.Equal(form) {
			t.Fatalf("%q: %q came back as %+v (%v), expected %+v", sql, printed, again, err, form)
		}
	})
}
