package attack

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// zoo is a database of one table, with names for its columns.
func zoo() (*dataset.Database, dataset.Buckets) {
	db := &dataset.Database{ID: "zoo", Tables: []dataset.Table{{Name: "animal", Original: "animal"}}}
	buckets := dataset.Buckets{}
	for _, column := range []string{"name", "age", "weight", "keeper"} {
		db.Tables[0].Columns = append(db.Tables[0].Columns, dataset.Column{Name: column, Original: column, Type: dataset.Text})
		var b dataset.Bucket
		for i := range 6 {
			b.Replace = append(b.Replace, dataset.Candidate{Name: fmt.Sprintf("%s other %c", column, 'a'+i), Validity: .9})
			b.Add = append(b.Add, dataset.Candidate{Name: fmt.Sprintf("%s beside %c", column, 'a'+i), Validity: .9})
		}
		b.Replace = append(b.Replace, dataset.Candidate{Name: "doubtful", Validity: .1}, dataset.Candidate{Name: "age", Validity: .9})
		buckets[dataset.ColumnID{DB: "zoo", Table: "animal", Column: column}.Key()] = b
	}
	return db, buckets
}

// question mentions three of the zoo's columns.
func question() *dataset.Example {
	return &dataset.Example{DB: "zoo", Question: "What are name and age of those with a weight?", Query: "SELECT name, age FROM animal WHERE weight = 1"}
}

// toy is a victim that each name costs some of its margin, and that is wrong from 0 on.
type toy struct {
	cost  map[string]float64 // by name
	asked []string
	fail  error
	fell  bool
	deaf  error // of all that follows its fall
	bad   func(d *verify.Draft) string
	t     *testing.T
}

func (v *toy) Ask(_ context.Context, d *verify.Draft) (Outcome, error) {
	if len(d.Edits) == 0 {
		return Outcome{Right: true, Margin: 1}, nil
	}
	if v.fail != nil {
		return Outcome{}, v.fail
	}
	if v.fell && v.deaf != nil {
		return Outcome{}, v.deaf
	}
	if v.bad != nil {
		if why := v.bad(d); why != "" {
			v.t.Error(why)
		}
	}
	margin := 1.0
	var names []string
	for _, e := range d.Edits {
		_, name := change{e}.named()
		names = append(names, name)
		margin -= v.cost[name]
	}
	v.asked = append(v.asked, strings.Join(names, ", "))
	right := margin > 1e-9
	v.fell = v.fell || !right
	return Outcome{Right: right, Margin: max(0, margin)}, nil
}

func searchNamed(t *testing.T, name string) Search {
	i := slices.IndexFunc(Searches(), func(s Search) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no search %q", name)
	}
	return Searches()[i]
}

func attackToy(t *testing.T, v *toy, c Config) *Result {
	t.Helper()
	db, buckets := zoo()
	c.Buckets = buckets
	r, err := (&Attacker{Config: c, DB: db, Victim: v}).Attack(t.Context(), question())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func namesOf(edits []perturb.Edit) (names []string) {
	for _, e := range edits {
		_, name := change{e}.named()
		names = append(names, name)
	}
	return names
}

// TestBest: only three of the names together mislead the toy; greedy and beam put them
// together within the budget.
func TestBest(t *testing.T) {
	for _, moves := range []Moves{Replace, Add} {
		best := []string{"name other d", "age other e", "weight other f"}
		if moves == Add {
			best = []string{"name beside d", "age beside e", "weight beside f"}
		}
		for _, search := range []string{"greedy", "beam"} {
			v := &toy{t: t, cost: map[string]float64{best[0]: .3, best[1]: .3, best[2]: .4}}
			r := attackToy(t, v, Config{Search: searchNamed(t, search), Budget: 60, Moves: moves, Seed: 1})
			if got := namesOf(r.Edits); !r.Fooled || len(got) != 3 || !slices.Contains(got, best[0]) || !slices.Contains(got, best[1]) || !slices.Contains(got, best[2]) {
				t.Errorf("%s, %s: %q of %d queries, expected %q", search, moves, got, r.Queries, best)
			}
		}
	}
}

// TestFewer: names that mislead by themselves alone are found where more may be made at once,
// and moves of either kind are made where both may be.
func TestFewer(t *testing.T) {
	v := &toy{t: t, cost: map[string]float64{"age other b": 1}}
	for _, other := range []string{"name", "weight"} {
		for _, c := range "abcdef" {
			v.cost[fmt.Sprintf("%s other %c", other, c)] = -1
		}
	}
	for _, s := range []string{"random", "greedy", "beam"} {
		if r := attackToy(t, v, Config{Search: searchNamed(t, s), Budget: 500, Moves: Replace, MinValidity: .5, Seed: 1}); !slices.Equal(namesOf(r.Edits), []string{"age other b"}) {
			t.Errorf("%s: %q, expected one name", s, namesOf(r.Edits))
		}
	}
	for _, want := range []string{"age other b", "name beside c"} {
		v = &toy{t: t, cost: map[string]float64{want: 1}}
		if r := attackToy(t, v, Config{Search: searchNamed(t, "greedy"), Budget: 100, Moves: Both, Seed: 1}); !slices.Equal(namesOf(r.Edits), []string{want}) {
			t.Errorf("both: %q, expected %s", namesOf(r.Edits), want)
		}
	}
}

// TestCut: what a success does not need is dropped, and the query of the success is kept.
func TestCut(t *testing.T) {
	v := &toy{t: t, cost: map[string]float64{"age other b": 1}}
	r := attackToy(t, v, Config{Search: searchNamed(t, "greedy"), Budget: 50, Moves: Replace, Seed: 1})
	if got := namesOf(r.Edits); !slices.Equal(got, []string{"age other b"}) || r.At == 0 || r.At >= r.Queries {
		t.Errorf("%q, fell at query %d of %d, expected one name, and queries behind it", got, r.At, r.Queries)
	}
	v = &toy{t: t, cost: v.cost, deaf: &NoAnswer{fmt.Errorf("busy")}}
	if r := attackToy(t, v, Config{Search: searchNamed(t, "greedy"), Budget: 50, Moves: Replace, Seed: 1}); !r.Fooled || r.Failed != nil {
		t.Errorf("fooled: %v, failed: %v; expected a success that stands when the victim answers no more", r.Fooled, r.Failed)
	}
}

// TestPromise: with words that are alike, the most promising names are asked first.
func TestPromise(t *testing.T) {
	alike := func(question, name string) float64 {
		if question == name {
			return 1
		}
		return map[string]float64{"a": .5, "b": .5, "c": .9, "d": .5, "e": .5}[name]
	}
	for moves, want := range map[Moves]string{Add: "name beside c", Replace: "name other f"} {
		v := &toy{t: t, cost: map[string]float64{want: 1}}
		r := attackToy(t, v, Config{Search: searchNamed(t, "greedy"), Budget: 50, Moves: moves, MinValidity: .5, Likeness: alike, Seed: 1})
		if !r.Fooled || r.At != 1 {
			t.Errorf("%s: fell at query %d, expected the first, with %q: %q", moves, r.At, want, v.asked)
		}
	}
}

// TestBudget: no search asks more than it may, nor anything twice, nor what is not proved, not
// valid enough or more than may be made at once; and the same seed asks the same.
func TestBudget(t *testing.T) {
	db, _ := zoo()
	for _, s := range Searches() {
		for _, moves := range []Moves{Replace, Add} {
			for _, budget := range []int{1, 7, 50} {
				c := Config{Search: s, Budget: budget, Moves: moves, MaxEdits: 2, MinValidity: .5, Seed: 3}
				bad := func(d *verify.Draft) string {
					parsed, err := perturb.NewExample(db, question())
					if err != nil {
						return err.Error()
					}
					again, err := verify.Prove(parsed, db, d.Edits)
					switch {
					case err != nil || again.After.Query != d.After.Query:
						return fmt.Sprintf("asked about %q, which is not proved: %v", d.After.Query, err)
					case len(d.Edits) > 2:
						return fmt.Sprintf("%d edits, expected two at most", len(d.Edits))
					case slices.Contains(namesOf(d.Edits), "doubtful"):
						return "asked about a name of little validity"
					}
					return ""
				}
				first, second := &toy{t: t, bad: bad}, &toy{t: t}
				r, again := attackToy(t, first, c), attackToy(t, second, c)
				if r.Queries > budget || r.Queries != len(first.asked) || r.Queries == 0 || r.Fooled {
					t.Errorf("%s, %s: %d queries, %d counted, expected %d at most and no success", s.Name, moves, len(first.asked), r.Queries, budget)
				}
				if distinct := slices.Compact(slices.Sorted(slices.Values(first.asked))); len(distinct) != len(first.asked) {
					t.Errorf("%s, %s: %d of %d queries are distinct", s.Name, moves, len(distinct), len(first.asked))
				}
				if !reflect.DeepEqual(r, again) || !slices.Equal(first.asked, second.asked) {
					t.Errorf("%s, %s: the same seed asks otherwise", s.Name, moves)
				}
			}
		}
	}
}

// TestSkipped: what is wrong before is not attacked, an answer that is missing fails the
// question alone, and another error ends all.
func TestSkipped(t *testing.T) {
	c := Config{Search: searchNamed(t, "random"), Budget: 5, Moves: Replace}
	r := attackToy(t, &toy{t: t, fail: &NoAnswer{fmt.Errorf("busy")}}, c)
	if r.Failed == nil || r.Failed.Error() != "busy" || r.Fooled {
		t.Errorf("%v, expected the question to fail with the victim's error", r.Failed)
	}
	db, buckets := zoo()
	c.Buckets = buckets
	if _, err := (&Attacker{Config: c, DB: db, Victim: &toy{t: t, fail: fmt.Errorf("no model")}}).Attack(t.Context(), question()); err == nil || err.Error() != "no model" {
		t.Errorf("%v, expected the victim's error", err)
	}
	bad := question()
	bad.Query = "SELECT FROM"
	if r, err := (&Attacker{Config: c, DB: db, Victim: &toy{t: t}}).Attack(t.Context(), bad); err != nil || r.Failed == nil {
		t.Errorf("%v, expected gold SQL that cannot be read to fail its question", err)
	}
}

// TestTransfer: a question to which another victim gives no answer does not count, and another error ends all.
func TestTransfer(t *testing.T) {
	cost := map[string]float64{"age other b": 1}
	r := attackToy(t, &toy{t: t, cost: cost}, Config{Search: searchNamed(t, "greedy"), Budget: 50, Moves: Replace, Seed: 1})
	db, _ := zoo()
	for _, test := range []struct {
		fail error
		want Transfer
		ok   bool
	}{
		{nil, Transfer{Asked: 1, Fooled: 1}, true},
		{&NoAnswer{fmt.Errorf("busy")}, Transfer{}, true},
		{fmt.Errorf("no model"), Transfer{}, false},
	} {
		var got Transfer
		err := transfer(t.Context(), db, []*Result{r}, &toy{t: t, cost: cost, fail: test.fail}, &got)
		if got != test.want || (err == nil) != test.ok {
			t.Errorf("%v: %+v, %v; expected %+v, success: %t", test.fail, got, err, test.want, test.ok)
		}
	}
}

// TestCancelled: a context that is done ends all work; it is no missing answer, and no failed attack.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	db, buckets := zoo()
	v := &toy{t: t, bad: func(*verify.Draft) string { cancel(); return "" }}
	a := &Attacker{Config: Config{Search: searchNamed(t, "greedy"), Budget: 50, Moves: Replace, Buckets: buckets}, DB: db, Victim: v}
	if r, err := a.Attack(ctx, question()); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v; expected the context's error", r, err)
	}
	db.SQLite = filepath.Join(t.TempDir(), "zoo.sqlite")
	d := &verify.Draft{Schema: db, After: question(), Edits: []perturb.Edit{perturb.RenameColumn{Table: "animal", Column: "age", Name: "years"}}}
	_, err := (&Writer{DB: db, Scratch: t.TempDir()}).Ask(ctx, d)
	if _, none := errors.AsType[*NoAnswer](err); none || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected the context's error", err)
	}
}

// TestSummary: shares are of those that were right before, and success is told by queries.
func TestSummary(t *testing.T) {
	s := &Summary{Search: "greedy", Budget: 20}
	for _, r := range []*Result{
		{Course: Course{Right: true, Sites: 2, Fooled: true, Queries: 3, At: 1}, Edits: make([]perturb.Edit, 1)},
		{Course: Course{Right: true, Sites: 2, Fooled: true, Queries: 9, At: 7}, Edits: make([]perturb.Edit, 2)},
		{Course: Course{Right: true, Sites: 2, Queries: 20}},
		{Course: Course{Right: true}},
		{},
		{Failed: fmt.Errorf("no answer")},
	} {
		s.Add(r)
	}
	s.Transfers = []Transfer{{Victim: "other", Asked: 2, Fooled: 1}}
	s.Close()
	var b strings.Builder
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{"successful attacks 2 failed attacks 2 of these without a place to perturb 1 skipped, wrong before 1 not asked 1", "accuracy before 80.0 ", "accuracy under attack 40.0 ", "success rate 50.0 ", "by query 1 25.0 ", "by query 5 25.0 ", "by query 10 50.0 ", "queries an example 10.7 edits of a success 1.5", "transfer to other 50.0 "} {
		if !strings.Contains(got, want) {
			t.Errorf("expected %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(got, "by query 20") {
		t.Errorf("expected nothing of the whole budget among the printed queries:\n%s", b.String())
	}
}

// TestDraw: a column whose name can be replaced is not lost among the many names to add.
func TestDraw(t *testing.T) {
	sites := []site{{change{perturb.RenameColumn{}}}}
	for range 99 {
		sites = append(sites, site{change{perturb.AddColumn{}}})
	}
	drawn := &target{sites: sites}
	rng := rand.New(rand.NewPCG(1, 2))
	replaced := 0
	for range 1000 {
		if drawn.draw(rng, 1)[0] == 0 {
			replaced++
		}
	}
	if replaced < 400 || replaced > 600 {
		t.Errorf("the one column is drawn %d times of 1000, expected about half", replaced)
	}
	all := drawn.draw(rng, len(sites))
	slices.Sort(all)
	if len(slices.Compact(all)) != len(sites) {
		t.Errorf("%d of %d sites are drawn", len(slices.Compact(all)), len(sites))
	}
}
