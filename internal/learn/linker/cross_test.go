package linker

import (
	"fmt"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// TestCrossValidate: what was perturbed from a database is in its fold, and counts as it.
func TestCrossValidate(t *testing.T) {
	var all []*Example
	for _, id := range []string{"shop", "shop__0123456789", "shop__abcdef0123", "farm", "farm__0123456789", "old__shop"} {
		s := shop()
		s.DB.ID = id
		s = NewSchema(s.DB, s.cells, s.lexicon)
		ex := NewExample(s, &dataset.Example{DB: id, Question: "what is the age of each singer ?"})
		var err error
		if ex.Used, err = s.Used("SELECT age FROM singer"); err != nil {
			t.Fatal(err)
		}
		all = append(all, ex)
	}
	if n := Originals(all); n != 3 {
		t.Errorf("%d originals, expected shop, farm and old__shop", n)
	}
	o := DefaultOptions()
	o.Epochs, o.Networks = 1, 1
	rows, err := CrossValidate(t.Context(), all, o, 3, func() {})
	if err != nil {
		t.Fatal(err)
	}
	var held []int
	for _, r := range rows {
		held = append(held, r.Questions)
	}
	if got, want := fmt.Sprint(held), "[3 2 1 6]"; got != want {
		t.Errorf("folds of %s questions, expected %s", got, want)
	}
	if _, err := CrossValidate(t.Context(), all, o, 4, func() {}); err == nil {
		t.Error("4 folds of 3 databases, expected an error")
	}
}
