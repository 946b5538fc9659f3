package dataset

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/sqlast"
)

// spiderExample is an example of dev.json.
type spiderExample struct {
	DB           string   `json:"db_id"`
	Query        string   `json:"query"`
	QueryToks    []string `json:"query_toks"`
	NoValueToks  []string `json:"query_toks_no_value"`
	Question     string   `json:"question"`
	QuestionToks []string `json:"question_toks"`
	SQL          any      `json:"sql"`
}

// spiderDev returns Spider's dev examples.
func spiderDev(t *testing.T) []spiderExample {
	t.Helper()
	var list []spiderExample
	readShared(t, &list, "data", "spider", "dev.json")
	return list
}

// spiderSchemas returns the databases of Spider's tables.json.
func spiderSchemas(t *testing.T) map[string]*Database {
	t.Helper()
	var list []struct {
		DBID    string   `json:"db_id"`
		Tables  []string `json:"table_names_original"`
		Columns [][]any  `json:"column_names_original"`
	}
	readShared(t, &list, "data", "spider", "tables.json")
	m := map[string]*Database{}
	for _, s := range list {
		db := &Database{ID: s.DBID}
		for _, name := range s.Tables {
			db.Tables = append(db.Tables, Table{Original: name})
		}
		for _, c := range s.Columns {
			if i := int(c[0].(float64)); i >= 0 {
				db.Tables[i].Columns = append(db.Tables[i].Columns, Column{Original: c[1].(string)})
			}
		}
		m[s.DBID] = db
	}
	return m
}

func readShared(t *testing.T, v any, elem ...string) {
	t.Helper()
	data, err := os.ReadFile(shared.File(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

// turns returns the turns of a multi-turn dev set as examples.
func turns(t *testing.T, set string) []spiderExample {
	t.Helper()
	f, err := os.Open(shared.File(t, "data", set, "dev.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var interactions []struct {
		DB    string          `json:"database_id"`
		Turns []spiderExample `json:"interaction"`
	}
	if err := json.NewDecoder(zr).Decode(&interactions); err != nil {
		t.Fatal(err)
	}
	var list []spiderExample
	for _, in := range interactions {
		for _, turn := range in.Turns {
			turn.DB = in.DB
			list = append(list, turn)
		}
	}
	return list
}

func TestSpiderSQL(t *testing.T) {
	schemas := spiderSchemas(t)
	for _, test := range []struct {
		name  string
		equal int
	}{
		{"spider", 1034},
		{"sparc", 1203},
		// Nine forms say limit 1 for a larger LIMIT; one query is no SQL.
		{"cosql", 997},
	} {
		t.Run(test.name, func(t *testing.T) {
			var examples []spiderExample
			if test.name == "spider" {
				examples = spiderDev(t)
			} else {
				shared.Quality(t)
				examples = turns(t, test.name)
			}
			equal := 0
			for _, e := range examples {
				got, err := jsonForm(schemas[e.DB], e.Query)
				if err != nil {
					t.Logf("%s: %s: %v", e.DB, e.Query, err)
				} else if diff := cmp.Diff(e.SQL, got); diff != "" {
					t.Logf("%s: %s (-official +got)\n%s", e.DB, e.Query, diff)
				} else {
					equal++
				}
			}
			t.Logf("%d of %d equal the official form", equal, len(examples))
			if equal != test.equal {
				t.Errorf("%d of %d equal the official form, expected %d", equal, len(examples), test.equal)
			}
		})
	}
}

// jsonForm returns the form of a query as JSON decodes it.
func jsonForm(db *Database, query string) (form any, err error) {
	q, err := sqlast.Parse(query)
	if err != nil {
		return nil, err
	}
	b, err := sqlast.Resolve(q, db)
	if err != nil {
		return nil, err
	}
	sq, err := SpiderSQL(q, b, db)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(sq)
	if err != nil {
		return nil, err
	}
	return form, json.Unmarshal(data, &form)
}

func TestSpiderSQLOutside(t *testing.T) {
	db := &Database{ID: "d", Tables: []Table{{Original: "t", Columns: []Column{{Original: "a"}, {Original: "b"}}}}}
	for _, test := range []struct{ query, what string }{
		{"SELECT a FROM t WHERE b IS NULL", "1:23: condition b IS NULL"},
		{"SELECT a FROM t WHERE a = 1 AND (b = 2 OR b = 3)", "1:34: OR in parentheses"},
		{"SELECT x.a FROM t AS x LEFT JOIN t AS y ON x.a = y.a", "1:24: LEFT JOIN"},
		{"SELECT a FROM t UNION ALL SELECT b FROM t", "1:17: UNION ALL"},
		{"WITH c AS (SELECT 1) SELECT a FROM t", "1:1: WITH"},
		{"SELECT a FROM t LIMIT 1 OFFSET 2", "1:17: OFFSET"},
		{"SELECT upper(a) FROM t", "1:8: function upper(a)"},
		{"SELECT CASE WHEN a THEN b END FROM t", "1:8: expression CASE WHEN a THEN b END"},
		{"SELECT c FROM t", "1:8: expression c"},
		{"SELECT a FROM t WHERE b IN (1, 2)", "1:23: condition b IN (1, 2)"},
		{"SELECT 1", "1:1: a SELECT without FROM, or with WINDOW,"},
	} {
		var outside *SpiderGrammarError
		form, err := jsonForm(db, test.query)
		if !errors.As(err, &outside) || outside.Error() != test.what+" lies outside Spider's SQL" {
			t.Errorf("%s: %v, %v; expected %s", test.query, form, err, test.what)
		}
	}
}
