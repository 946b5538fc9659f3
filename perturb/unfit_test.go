package perturb_test

import (
	"context"
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/sqlast"
)

// TestUnfit: gold SQL is refused for what its own change opens, not for an order that the
// original leaves open too.
func TestUnfit(t *testing.T) {
	path := perturbtest.Units(t, perturbtest.WriteSample(t))[0].DB.SQLite
	const rows = " FROM (SELECT 1 AS id, 5 AS x UNION SELECT 2, 5 UNION SELECT 3, 6)"
	run := func(_ context.Context, query string) (*sqldata.Result, error) {
		return perturbtest.Query(t, path, query), nil
	}
	answered := func(query string) perturb.Answered {
		q, err := sqlast.Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		return perturb.Answered{Query: q, Answer: perturbtest.Query(t, path, query)}
	}
	for _, test := range []struct {
		before, after string
		want          perturb.Reason
	}{
		{"SELECT id" + rows + " ORDER BY x DESC LIMIT 1", "SELECT id" + rows + " ORDER BY x ASC LIMIT 1", "answer-left-open"},
		{"SELECT x" + rows + " ORDER BY x DESC LIMIT 1", "SELECT x" + rows + " ORDER BY x ASC LIMIT 1", ""},
		{"SELECT id" + rows + " ORDER BY x ASC LIMIT 1", "SELECT id" + rows + " ORDER BY x DESC LIMIT 1", ""},
		{"SELECT id" + rows + " ORDER BY x ASC", "SELECT id" + rows + " ORDER BY x DESC", ""},
		{"SELECT id" + rows + " WHERE x > 5 ORDER BY x", "SELECT id" + rows + " WHERE x < 6 ORDER BY x", "answer-left-open"},
		{"SELECT id" + rows + " WHERE x > 5", "SELECT id" + rows + " WHERE x > 6", "answer-empty"},
		{"SELECT id" + rows + " WHERE x > 8", "SELECT id" + rows + " WHERE x > 6", ""},
	} {
		got, err := perturb.Unfit(t.Context(), answered(test.before), answered(test.after), run)
		if err != nil || got != test.want {
			t.Errorf("%s: %q, %v, want %q", test.after, got, err, test.want)
		}
	}
}
