package exact

import (
	"strings"
	"testing"
)

// FuzzParse judges any text against golds of a small schema in both modes.
func FuzzParse(f *testing.F) {
	s := airline()
	golds := []*Gold{
		s.Gold("SELECT city , count(*) FROM airports AS T1 JOIN flights AS T2 ON T1.code = T2.source WHERE T2.no > 3 OR T1.city LIKE 'a' GROUP BY city HAVING count(*) > 1 ORDER BY city DESC LIMIT 1"),
		s.Gold("SELECT city FROM airports WHERE code NOT IN (SELECT dest FROM flights) UNION SELECT no FROM flights"),
		s.Gold("SELECT city FROM airports WHERE city IS NOT NULL"),
	}
	for _, g := range golds {
		f.Add(g.sql)
	}
	for _, sql := range []string{
		"select ( max ( a . b ) ) none - from from ( select * from airports ) as x as y on a = b and",
		"SELECT 'a''b' FROM \"airports\" WHERE x='a' ! = <> >= ; ) ( , .. `` -- ,, 1. ",
		"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x, * FROM c JOIN c AS d USING (x) LEFT JOIN (flights JOIN airports) ORDER BY 1, 2 LIMIT 3 OFFSET 4",
		"SELECT CASE city WHEN 1 THEN cast(code AS text) END, rank() OVER (PARTITION BY code) FROM airports, flights AS f WHERE (city, code) IN (VALUES (1, 2)) AND NOT EXISTS (SELECT 1)",
		".0",
		"\x00\xff İ “city” select\u00a0from",
	} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		for _, g := range golds {
			r, strict := g.Judge(sql, false), g.Judge(sql, true)
			if r.Official != strict.Official || (r.Rejected == nil) != (strict.Rejected == nil) {
				t.Errorf("official %v and %v, rejected %v and %v", r.Official, strict.Official, r.Rejected, strict.Rejected)
			}
			if r.Rejected != nil && r.Official {
				t.Error("a match that is rejected")
			}
		}
		if g := s.Gold(sql); g.Problem() == nil {
			if r := g.Judge(strings.ReplaceAll(sql, " value ", " Value "), false); !r.Match && r.Rejected == nil && !strings.Contains(sql, "nan") {
				t.Errorf("%q is not the same as itself: %v", sql, r.Differs)
			}
		}
	})
}

// Large and deep texts are judged in little time and without a deep stack.
func TestHostile(t *testing.T) {
	s := airline()
	g := s.Gold("SELECT city FROM airports WHERE code IN (SELECT dest FROM flights)")
	n := 1 << 20
	for name, sql := range map[string]string{
		"blanks":       strings.Repeat(" ", n),
		"open":         strings.Repeat("(", n),
		"quotes":       strings.Repeat("'", n),
		"points":       strings.Repeat("a.", n/2),
		"points apart": strings.Repeat("a. ", n/3),
		"one string":   "SELECT '" + strings.Repeat("x", n) + "'",
		"queries":      "SELECT city FROM airports WHERE code IN " + strings.Repeat("(SELECT dest FROM flights WHERE no IN ", n/40),
		"unions":       strings.Repeat("SELECT city FROM airports UNION ", n/32),
		"no from":      strings.Repeat("SELECT city UNION ", n/18),
		"columns":      "SELECT " + strings.Repeat("city,", n/5) + " city FROM airports",
		"tables":       "SELECT city FROM " + strings.Repeat("airports JOIN ", n/14) + "airports",
		"aliases":      "SELECT city FROM airports" + strings.Repeat(" AS a b", n/7),
		"conditions":   "SELECT city FROM airports WHERE " + strings.Repeat("city = code AND ", n/16) + "city = 1",
		"self-joins":   "SELECT a1.city FROM airports AS a1" + strings.Repeat(" JOIN airports", n/14),
		"NUL":          strings.Repeat("\x00", n),
		"no UTF-8":     strings.Repeat("\xff", n),
	} {
		for _, strict := range []bool{false, true} {
			if r := g.Judge(sql, strict); r.Match {
				t.Errorf("%s: a match", name)
			}
		}
		if len(s.Gold(sql).sql) != len(sql) {
			t.Errorf("%s: gold of another length", name)
		}
	}
	many := "SELECT T.city FROM " + strings.TrimSuffix(strings.Repeat("airports, ", 2000), ", ")
	if r := g.Judge(many, true); r.Match {
		t.Error("many tables: a match")
	}
	nested := "1"
	for range 30 {
		nested = "(SELECT x.city FROM airports AS x, airports AS y, airports AS z, airports AS w WHERE y.code > " + nested + ")"
	}
	if r := g.Judge("SELECT "+nested+" FROM airports", true); r.Match {
		t.Error("nested self-joins: a match")
	}
}
