package exact

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// airline returns a schema in which two columns of flights refer to airports.
func airline() *Schema {
	return NewSchema(&dataset.Database{
		ID: "air",
		Tables: []dataset.Table{
			table("airports", "code", "city", "none"),
			table("flights", "no", "source", "dest", "airline"),
			table("Airlines", "uid", "Airline", "country"),
			table("likes", "a.x", "a.y", "count", "gross_value"),
		},
		ForeignKeys: []dataset.ForeignKey{
			{Column: dataset.ColumnRef{Table: 1, Column: 1}, Target: dataset.ColumnRef{Table: 0, Column: 0}},
			{Column: dataset.ColumnRef{Table: 1, Column: 2}, Target: dataset.ColumnRef{Table: 0, Column: 0}},
			{Column: dataset.ColumnRef{Table: 1, Column: 3}, Target: dataset.ColumnRef{Table: 2, Column: 0}},
		},
	})
}

func table(name string, columns ...string) dataset.Table {
	t := dataset.Table{Original: name}
	for _, c := range columns {
		t.Columns = append(t.Columns, dataset.Column{Original: c})
	}
	return t
}

func TestTokens(t *testing.T) {
	s := airline()
	for _, test := range []struct{ in, want string }{
		{"SELECT count(*) FROM t", "select count ( * ) from t"},
		{"a!=1 b ! = 2 c<=3 d > =\n4 e= 5 f<>6", "a ! =1 b != 2 c < =3 d >= 4 e= 5 f < > 6"},
		{`x = 'It is' AND y="A""b" z ='c'`, `x = 'It is' and y="A""b" z = 'c'`},
		{"a,b a,1 a,,b", "a , b a,1 a , ,b"},
		{"LIMIT 1. ", "limit 1 ."},
		{"(1.5) T1.a t1. b a. b x..y (a.)", "( 1.5 ) t1.a t1 . b a. b x .. y ( a . )"},
		{"a--b `c` d;e %f Ä“g”", "a -- b ` c ` d ; e % f ä “ g ”"},
		{"cannot gonna", "can not gon na"},
	} {
		toks, err := (&scanner{schema: s}).scan(test.in)
		var got []string
		for _, tok := range toks {
			got = append(got, tok.text)
		}
		if joined := strings.Join(got, " "); err != nil || joined != test.want {
			t.Errorf("%s\n got %s, %v\nwant %s", test.in, joined, err, test.want)
		}
	}
}

// What the official parser refuses, and where.
func TestRejected(t *testing.T) {
	s := airline()
	for _, test := range []struct{ sql, want string }{
		{"", `1:1: the end, expected a query with FROM`},
		{"SELECT city", `1:1: "select", expected a query with FROM`},
		{"SELECT city FROM airports WHERE city = 'a", `1:40: a quote without its pair`},
		{"SELECT city AS c FROM airports", `1:13: "as", expected a column of the tables in FROM`},
		{"SELECT count(*) FROM airports AS flights", `1:34: alias flights is the name of a table`},
		{"SELECT T1.city\nFROM airports T1", `2:15: "t1", expected a table`},
		{"SELECT city FROM airports, flights", `1:26: ",", expected a table`},
		{"SELECT city FROM airports LEFT JOIN flights", `1:27: "left", expected a table`},
		{"SELECT city FROM (SELECT city FROM airports) AS t", `1:46: "as", expected a table`},
		{"SELECT x.city FROM airports", `1:8: "x.city", expected a column of the tables in FROM`},
		{"SELECT a.b.c FROM airports", `1:8: "a.b.c", expected a column of the tables in FROM`},
		{"SELECT no FROM airports", `1:8: "no", expected a column of the tables in FROM`},
		{"SELECT city FROM airports WHERE city='a'b", `1:33: "city='a'b", expected a column of the tables in FROM`},
		{"SELECT city FROM airports WHERE city=1", `1:33: "city=1", expected a column of the tables in FROM`},
		{"SELECT city FROM airports WHERE city <> 1", `1:39: ">", expected a column of the tables in FROM`},
		{"SELECT city FROM airports WHERE city IS NULL", `1:41: "null", expected a column of the tables in FROM`},
		{"SELECT city FROM airports WHERE city IN (1, 2)", `1:43: ",", expected ")"`},
		{"SELECT city FROM airports WHERE (city = 1 OR city = 2)", `1:39: "=", expected ")"`},
		{"SELECT city FROM airports WHERE city = 1 city = 2", `1:42: "city", expected AND, OR or the end of the conditions`},
		{"SELECT city FROM airports WHERE count(*) > max(code)", `1:52: ")", expected ")"`},
		{"SELECT city FROM airports WHERE city BETWEEN 1 OR 2", `1:48: "or", expected AND`},
		{"SELECT city FROM airports WHERE city", `1:37: the end, expected an operator`},
		{"SELECT city FROM airports WHERE city =", `1:39: the end, expected a value`},
		{"SELECT city FROM airports GROUP city", `1:33: "city", expected BY`},
		{"SELECT city FROM airports LIMIT", `1:32: the end, expected the value of LIMIT`},
		{"SELECT city FROM airports UNION ALL SELECT city FROM airports", `1:33: "all", expected SELECT`},
		{"WITH c AS (SELECT 1) SELECT city FROM airports", `1:1: "with", expected SELECT`},
		{"SELECT city FROM airports AS", `1:27: AS without a name on both sides`},
		{"SELECT CASE city FROM airports", `1:8: "case", expected a column of the tables in FROM`},
		{"SELECT upper(city) FROM airports", `1:8: "upper", expected a column of the tables in FROM`},
		{"SELECT max(city FROM airports", `1:17: "from", expected ")"`},
		{"SELECT city FROM airports WHERE (SELECT 1) = city", `1:34: "select", expected a column of the tables in FROM`},
	} {
		r := s.Gold("SELECT city FROM airports").Judge(test.sql, false)
		syntax, ok := errors.AsType[*SyntaxError](r.Rejected)
		if !ok || syntax.Error() != test.want || r.Match || r.Official || r.Partial[Select].Pred != 0 {
			t.Errorf("%s\n got %v, match %v\nwant %s", test.sql, r.Rejected, r.Match, test.want)
		}
	}
}

// Official verdicts where they are not obvious.
func TestOfficialWays(t *testing.T) {
	s := airline()
	for _, test := range []struct {
		name, gold, pred string
		match            bool
	}{
		{"order of the select list", "SELECT city, code FROM airports", "SELECT code , city FROM airports", true},
		{"commas may lack", "SELECT city, code FROM airports", "SELECT city code FROM airports", true},
		{"DISTINCT is ignored", "SELECT count(DISTINCT city) FROM airports", "SELECT count(city) FROM airports", true},
		{"but not in nested queries", "SELECT city FROM airports WHERE code IN (SELECT DISTINCT dest FROM flights)", "SELECT city FROM airports WHERE code IN (SELECT dest FROM flights)", false},
		{"the table of count(*)", "SELECT count(*) FROM airports", "SELECT count(*) FROM flights", false},
		{"order of tables", "SELECT city FROM airports AS T1 JOIN flights AS T2 ON T1.code = T2.source", "SELECT city FROM flights AS T1 JOIN airports AS T2 ON T2.code = T1.source", true},
		{"condition of a join (case 1)", "SELECT city FROM airports JOIN flights ON code = source", "SELECT city FROM airports JOIN flights ON no = no", true},
		{"JOIN and ON may lack", "SELECT city FROM airports JOIN flights ON code = source", "SELECT city FROM airports flights", true},
		{"foreign keys (case 2)", "SELECT count(*) FROM flights WHERE source = 'APG'", "SELECT count(*) FROM flights WHERE dest = 'x'", true},
		{"but of tables in FROM only", "SELECT source FROM flights", "SELECT code FROM airports", false},
		{"and not in nested queries", "SELECT city FROM airports WHERE code IN (SELECT source FROM flights)", "SELECT city FROM airports WHERE code IN (SELECT dest FROM flights)", false},
		{"one direction for all (case 3)", "SELECT city FROM airports ORDER BY city DESC, code DESC", "SELECT city FROM airports ORDER BY city ASC, code DESC", true},
		{"AND and OR as a set (case 4)", "SELECT city FROM airports WHERE city = 1 AND code = 2 OR code = 3", "SELECT city FROM airports WHERE city = 1 OR code = 2 AND code = 3", true},
		{"sides of INTERSECT (case 5)", "SELECT city FROM airports INTERSECT SELECT no FROM flights", "SELECT no FROM flights INTERSECT SELECT city FROM airports", false},
		{"values", "SELECT city FROM airports WHERE city = 'a' LIMIT 3", "SELECT city FROM airports WHERE city = 5 LIMIT 10", true},
		{"LIMIT takes anything", "SELECT city FROM airports LIMIT 1", "SELECT city FROM airports LIMIT x", true},
		{"columns as values", "SELECT city FROM airports WHERE city = code", "SELECT city FROM airports WHERE city = 'a'", true},
		{"what stands behind a column as value", "SELECT city FROM airports WHERE city = code OR code = 1", "SELECT city FROM airports WHERE city = 'a'", true},
		{"operators", "SELECT city FROM airports WHERE code > 1", "SELECT city FROM airports WHERE code < 1", false},
		{"NOT", "SELECT city FROM airports WHERE code NOT IN (SELECT dest FROM flights)", "SELECT city FROM airports WHERE code IN (SELECT dest FROM flights)", false},
		{"conditions in any order", "SELECT city FROM airports WHERE code > 1 AND city = 2", "SELECT city FROM airports WHERE city = 'x' AND code > 4", true},
		{"values in queries of FROM count", "SELECT count(*) FROM (SELECT city FROM airports WHERE city = 1)", "SELECT count(*) FROM (SELECT city FROM airports WHERE city = 2)", false},
		{"a number is the same however written", "SELECT count(*) FROM (SELECT city FROM airports WHERE city = 1)", "SELECT count(*) FROM (SELECT city FROM airports WHERE city = 1.0)", true},
		{"queries of FROM in any order", "SELECT count(*) FROM (SELECT city FROM airports) (SELECT no FROM flights)", "SELECT count(*) FROM (SELECT no FROM flights) (SELECT city FROM airports)", true},
		{"the table of GROUP BY", "SELECT count(*) FROM airports GROUP BY airports.city", "SELECT count(*) FROM airports GROUP BY city", true},
		{"order of GROUP BY", "SELECT count(*) FROM airports GROUP BY city, code", "SELECT count(*) FROM airports GROUP BY code, city", false},
		{"HAVING", "SELECT city FROM airports GROUP BY city HAVING count(*) > 1", "SELECT city FROM airports GROUP BY city HAVING count(*) > 2", true},
		{"the aggregate of HAVING", "SELECT city FROM airports GROUP BY city HAVING max(code) > 1", "SELECT city FROM airports GROUP BY city HAVING min(code) > 1", false},
		{"default direction", "SELECT city FROM airports ORDER BY city", "SELECT city FROM airports ORDER BY city ASC", true},
		{"LIMIT", "SELECT city FROM airports ORDER BY city LIMIT 1", "SELECT city FROM airports ORDER BY city", false},
		{"trailing tokens", "SELECT city FROM airports ORDER BY city", "SELECT city FROM airports ORDER BY city ; ; whatever", true},
		{"aliases over all the query", "SELECT city FROM airports", "SELECT x.city FROM airports ORDER whatever", false},
		{"an alias bound behind its use", "SELECT city FROM airports", "SELECT x.city FROM airports ; y airports as x", true},
		{"value within a word", "SELECT gross_value FROM likes", "SELECT gross_value FROM likes", false},
		{"VALUE within a word", "SELECT gross_value FROM likes", "SELECT Gross_Value FROM likes", true},
		{"the word value", "SELECT city FROM airports WHERE city = 1", "SELECT city FROM airports WHERE city = value ", true},
		{"a value right behind the equals sign", "SELECT city FROM airports WHERE city = 1", "SELECT city FROM airports WHERE city ='x'", true},
		{"set operations group from the right", "SELECT city FROM airports UNION SELECT no FROM flights EXCEPT SELECT uid FROM airlines", "( SELECT city FROM airports ) UNION SELECT no FROM flights EXCEPT SELECT uid FROM airlines", true},
		{"arithmetic", "SELECT max(code - city) FROM airports", "SELECT max(code + city) FROM airports", false},
		{"words of the grammar as columns", "SELECT likes.count FROM likes", "SELECT T.count FROM likes AS T", true},
		{"the word none is an aggregate", "SELECT city FROM airports", "SELECT none ( city ) FROM airports", true},
	} {
		g := s.Gold(test.gold)
		r := g.Judge(test.pred, false)
		if g.Problem() != nil || r.Match != test.match || r.Official != test.match || r.Tree {
			t.Errorf("%s: match %v, expected %v\n%s\n%s\ngold %v, rejected %v, tables %v, differs %v",
				test.name, r.Match, test.match, test.gold, test.pred, g.Problem(), r.Rejected, r.Tables, r.Differs)
		}
	}
}

func TestGroupColumnWithPoint(t *testing.T) {
	s := airline()
	x, y := s.columns[tableColumn{3, s.words["a.x"].column}], s.columns[tableColumn{3, s.words["a.y"].column}]
	if x == y || s.column[x].group != s.column[y].group {
		t.Errorf("columns a.x and a.y group by %d and %d, expected the same", s.column[x].group, s.column[y].group)
	}
}

// A class takes the first key that touches it; a key that would connect two
// classes joins the first only.
func TestForeignKeyClasses(t *testing.T) {
	key := func(from, to int) dataset.ForeignKey {
		return dataset.ForeignKey{Column: dataset.ColumnRef{Column: from}, Target: dataset.ColumnRef{Column: to}}
	}
	s := NewSchema(&dataset.Database{
		Tables:      []dataset.Table{table("t", "a", "b", "c", "d", "e")},
		ForeignKeys: []dataset.ForeignKey{key(0, 1), key(3, 2), key(1, 2)},
	})
	var got []int32
	for _, c := range s.column[1:] {
		got = append(got, c.class)
	}
	// c is of the second class too, which is written later.
	if want := []int32{1, 1, 3, 3, 5}; !slices.Equal(got, want) {
		t.Errorf("classes %v, expected %v", got, want)
	}
}

func TestHardness(t *testing.T) {
	s := airline()
	for _, test := range []struct {
		sql  string
		want Hardness
	}{
		{"SELECT city FROM airports", Easy},
		{"SELECT city FROM airports WHERE city LIKE 'a'", Medium},
		{"SELECT city, code FROM airports ORDER BY city LIMIT 1", Medium},
		{"SELECT max(city), min(city) FROM airports WHERE city = 1 AND code = 2 GROUP BY city", Hard},
		{"SELECT city FROM airports WHERE code IN (SELECT dest FROM flights)", Hard},
		{"SELECT city FROM airports GROUP BY city HAVING count(*) > 1 AND count(*) < 5 AND count(*) < 9", Medium},
		{"SELECT city FROM airports UNION SELECT no FROM flights", Hard},
		{"SELECT city FROM airports WHERE city = 1 OR city = 2 OR city = 3 OR city = 4", Extra},
	} {
		if g := s.Gold(test.sql); g.Hardness() != test.want || g.Problem() != nil {
			t.Errorf("%s: %v, expected %v (%v)", test.sql, g.Hardness(), test.want, g.Problem())
		}
		if h := s.treeHardness(test.sql); h != test.want {
			t.Errorf("%s: on its tree %v, expected %v", test.sql, h, test.want)
		}
	}
}
