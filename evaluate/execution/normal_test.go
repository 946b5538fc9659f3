package execution

import (
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

func TestNormal(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"SELECT count(*) ,  T1.Name FROM t AS T1", "select COUNT( * ), t1.name from T as t1", true},
		{"  SELECT a", "SELECT a", true},
		{"SELECT 'A'", "SELECT 'a'", false},
		{`SELECT "A"`, `SELECT "a"`, false},
		{"SELECT `A`, [B]", "SELECT `A`,[B]", true},
		{"SELECT [A]", "SELECT [a]", false},
		{"SELECT 'it''s  A'", "SELECT  'it''s  A'", true},
		{"SELECT 'it''s  A'", "SELECT 'it''s A'", false},
		{"SELECT a - -b", "SELECT a -  - b", false},
		{"SELECT ab", "SELECT a b", false},
		{"SELECT X'AB'", "SELECT x'AB'", true},
		{"SELECT 1 -- A", "SELECT 1 -- a", false},
		{"SELECT 'a", "SELECT 'A", false},
		{"SELECT Ä", "SELECT ä", false},
		{"SELECT a FROM t WHERE x IN (1, 2) AND y", "SELECT a FROM t WHERE x IN(1,2)AND y", true},
	} {
		if got := normal(tt.a) == normal(tt.b); got != tt.same {
			t.Errorf("%q and %q: same %v, want %v (%q, %q)", tt.a, tt.b, got, tt.same, normal(tt.a), normal(tt.b))
		}
	}
}

// The normal form of each gold and prediction answers as it does itself.
func TestNormalAnswers(t *testing.T) {
	dev := readSpiderDev(t)
	preds := predictions(t, "codes-1b.txt")
	opened := map[string]*Database{}
	for i, pred := range preds {
		db := dev.open(t, opened, i)
		if db == nil {
			continue
		}
		for _, sql := range []string{dev.golds[i], pred} {
			a, errA := db.db.Query(t.Context(), sql, sqldata.Limits{})
			b, errB := db.db.Query(t.Context(), normal(sql), sqldata.Limits{})
			if (errA == nil) != (errB == nil) || errA == nil && !sqldata.EqualList(a, b) {
				t.Errorf("%s: %q answers otherwise: %v, %v", sql, normal(sql), errA, errB)
			}
		}
	}
}
