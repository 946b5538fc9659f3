package doctor

import (
	"context"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// asked returns the first example of the unit with each question, by question
// without case and blanks, and calls f for each later one. Examples of gold
// files have no question, and those without gold SQL are left out.
func (u *unit) asked(f func(first, again *dataset.Example) error) error {
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

// same tells whether two examples have the same gold SQL but for its spelling.
func (u *unit) same(a, b *dataset.Example) bool {
	return u.bySQL[a.Query].normal() == u.bySQL[b.Query].normal()
}

func (g *gold) normal() string {
	if g.query == nil {
		return g.sql
	}
	return strings.ToLower(g.query.String())
}

func repeatedExamples(_ context.Context, u *unit, r *reporter) error {
	return u.asked(func(first, again *dataset.Example) error {
		if u.same(first, again) {
			r.example(again, "example %d asks the same: %s", first.Index, again.Question)
		}
		return nil
	})
}

func otherGolds(_ context.Context, u *unit, r *reporter) error {
	return u.asked(func(first, again *dataset.Example) error {
		if !u.same(first, again) {
			r.example(again, "example %d asks the same, with the gold SQL %s", first.Index, first.Query)
		}
		return nil
	})
}

func notAudited(_ context.Context, u *unit, r *reporter) error {
	for _, what := range u.unaudited {
		r.schema("", "", "%s", what)
	}
	return nil
}
