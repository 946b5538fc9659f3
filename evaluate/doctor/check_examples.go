package doctor

import (
	"context"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// repeated calls f for each example whose question, without case and blanks, an earlier example
// has; first is the first such example. Examples of gold files have no question; they and examples
// without gold SQL are left out.
func (u *unit) repeated(f func(first, again *dataset.Example) error) error {
	known := map[string]*dataset.Example{}
	for _, ex := range u.Examples {
		key := strings.ToLower(strings.Join(strings.Fields(ex.Question), " "))
		if key == "" || ex.Query == "" {
			continue
		}
		first := known[key]
		if first == nil {
			known[key] = ex
		} else if err := f(first, ex); err != nil {
			return err
		}
	}
	return nil
}

// same reports whether two examples have the same gold SQL, apart from its spelling.
func (u *unit) same(a, b *dataset.Example) bool {
	return u.bySQL[a.Query].normal() == u.bySQL[b.Query].normal()
}

// normal returns the gold SQL in a uniform spelling, if it parses.
func (g *gold) normal() string {
	if g.query == nil {
		return g.sql
	}
	return strings.ToLower(g.query.String())
}

// repeatedExamples reports examples with the question and the gold SQL of an earlier one.
func repeatedExamples(_ context.Context, u *unit, r *reporter) error {
	return u.repeated(func(first, again *dataset.Example) error {
		if u.same(first, again) {
			r.example(again, "example %d asks the same: %s", first.Index, again.Question)
		}
		return nil
	})
}

// otherGolds reports examples with the question of an earlier one and other gold SQL.
func otherGolds(_ context.Context, u *unit, r *reporter) error {
	return u.repeated(func(first, again *dataset.Example) error {
		if !u.same(first, again) {
			r.example(again, "example %d asks the same, with the gold SQL %s", first.Index, first.Query)
		}
		return nil
	})
}

// notAudited reports what checks could not examine.
func notAudited(_ context.Context, u *unit, r *reporter) error {
	for _, what := range u.unaudited {
		r.schema("", "", "%s", what)
	}
	return nil
}
