package benchmark_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func renaming(table, column, name string) []perturb.Edit {
	return []perturb.Edit{perturb.RenameColumn{Table: table, Column: column, Name: name, Natural: name}}
}

// buildTurns builds questions about the library with one perturbation and returns
// where, what came of it and, by example, why it was rejected.
func buildTurns(t *testing.T, turns []turnRecord, p *perturb.Perturbation) (out string, r benchmark.Result, rejected map[int]perturb.Reason) {
	t.Helper()
	c := sampleConfig(t)
	c.Perturbations, c.Report = []*perturb.Perturbation{p}, func(error) {}
	out, m := mustBuild(t, writeTalks(t, turns), c)
	rejected = map[int]perturb.Reason{}
	for _, rej := range readRejected(t, filepath.Join(out, p.Name, "rejected.jsonl")) {
		if rejected[rej.Example] != "" {
			t.Errorf("example %d is rejected twice", rej.Example)
		}
		rejected[rej.Example] = rej.Reason
	}
	return out, m.Perturbations[0], rejected
}

// turnCase is a perturbation of [talks].
type turnCase struct {
	change    func([]turnRecord) // of the questions; may be nil
	relation  perturb.Relation
	edits     func(*perturb.Example) []perturb.Edit
	verified  int
	unchanged int
	want      map[int]perturb.Reason // reasons of rejections, by example
}

const (
	unusableTurn = "turn-unusable"
	missingTurn  = "turn-missing"
	rejectedTurn = "turn-rejected"
	otherSchema  = "turn-schemas-differ"
	laterTurn    = "later-turn"
)

func always(edits []perturb.Edit) func(*perturb.Example) []perturb.Edit {
	return func(*perturb.Example) []perturb.Edit { return edits }
}

func onlySecond(edits ...perturb.Edit) func(*perturb.Example) []perturb.Edit {
	return func(ex *perturb.Example) []perturb.Edit {
		if ex.Turn == 2 {
			return edits
		}
		return nil
	}
}

var renameFine = always(renaming("loans", "fine", "penalty"))

var turnCases = map[string]turnCase{
	"all hold":         {nil, perturb.Renamed, renameFine, 6, 0, map[int]perturb.Reason{}},
	"some are covered": {nil, perturb.Renamed, onlySecond(renaming("loans", "fine", "penalty")...), 5, 0, map[int]perturb.Reason{}},
	"a question":       {nil, perturb.Invariant, onlySecond(perturb.ReplaceSpan{With: "Now, "}), 2, 3, map[int]perturb.Reason{}},
	"a turn cannot be used": {
		func(turns []turnRecord) { turns[1].Query = "SELECT FROM" }, perturb.Renamed, renameFine, 3, 0,
		map[int]perturb.Reason{0: unusableTurn, 1: "gold-unresolved", 2: unusableTurn},
	},
	"a turn does not run": {
		func(turns []turnRecord) { turns[4].Query = "SELECT nope(1) FROM members" }, perturb.Renamed, renameFine, 4, 0,
		map[int]perturb.Reason{4: "gold-fails", 5: unusableTurn},
	},
	"the final question cannot be used": {
		func(turns []turnRecord) { turns[2].Final.Query = "SELECT nothing FROM books" }, perturb.Renamed, renameFine, 3, 0,
		map[int]perturb.Reason{0: unusableTurn, 1: unusableTurn, 2: unusableTurn},
	},
	"a turn is missing": {
		func(turns []turnRecord) { turns[1].Turn, turns[2].Turn = 3, 4 }, perturb.Renamed, renameFine, 3, 0,
		map[int]perturb.Reason{0: missingTurn, 1: missingTurn, 2: missingTurn},
	},
	"no gold SQL": {
		func(turns []turnRecord) { turns[3].Query, turns[3].Answer = "", []string{"40"} }, perturb.Renamed, renameFine, 5, 0,
		map[int]perturb.Reason{3: "no-gold-sql"},
	},
	"a turn fails": {
		nil, perturb.Invariant, always(renaming("books", "title", "heading")), 3, 0,
		map[int]perturb.Reason{0: "renamed-column-used", 1: "renamed-column-used", 2: rejectedTurn},
	},
	"the final question fails": {
		nil, perturb.Invariant, always(renaming("books", "genre", "kind")), 3, 0,
		map[int]perturb.Reason{0: rejectedTurn, 1: rejectedTurn, 2: "final-question"},
	},
	"two schemas": {nil, perturb.Renamed, func(ex *perturb.Example) []perturb.Edit {
		return renaming("loans", "fine", []string{"penalty", "charge", "fee", "sum"}[ex.Turn])
	}, 1, 0, map[int]perturb.Reason{
		0: otherSchema, 1: otherSchema, 2: otherSchema, 4: otherSchema, 5: otherSchema,
	}},
	"another gold SQL": {nil, perturb.Retargeted, func(ex *perturb.Example) []perturb.Edit {
		return []perturb.Edit{perturb.SetQuestion{Question: "How many branches are there?"}, perturb.RewriteSQL{Query: "SELECT count(*) FROM branches"}}
	}, 3, 3, map[int]perturb.Reason{0: laterTurn, 1: laterTurn, 4: laterTurn}},
}

// TestTurnsRejected checks that an interaction is written as a whole or not at all.
func TestTurnsRejected(t *testing.T) {
	for name, test := range turnCases {
		t.Run(name, func(t *testing.T) {
			turns := talks()
			if test.change != nil {
				test.change(turns)
			}
			_, r, got := buildTurns(t, turns, recorded("turns", test.relation, test.edits))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("rejected (-want +got):\n%s", diff)
			}
			if r.Verified != test.verified || r.Unchanged != test.unchanged {
				t.Errorf("%d verified, %d unchanged, want %d and %d", r.Verified, r.Unchanged, test.verified, test.unchanged)
			}
		})
	}
}

// TestFinalRewritten checks that the gold SQL of the final question follows.
// A turn that people do not accept takes its interaction with it. Of turns that stand as
// they were nobody is asked.
func TestTurnsAccepted(t *testing.T) {
	for name, test := range map[string]struct {
		p         *perturb.Perturbation
		verified  int
		unchanged int
	}{
		"all turns": {recorded("turns", perturb.Renamed, renameFine), 3, 0},
		"a turn":    {recorded("turns", perturb.Invariant, onlySecond(perturb.ReplaceSpan{With: "Now, "})), 1, 1},
	} {
		c := sampleConfig(t)
		c.Perturbations, c.Report = []*perturb.Perturbation{test.p}, func(error) {}
		c.Accepted = func(r *dataset.Record) perturb.Reason {
			if r.Unchanged() {
				t.Errorf("%s: asked of example %d, which stands as it was", name, r.Example)
			}
			if r.Example == 1 {
				return "not-accepted"
			}
			return ""
		}
		_, m := mustBuild(t, writeTalks(t, talks()), c)
		r := m.Perturbations[0]
		if r.Verified != test.verified || r.Unchanged != test.unchanged {
			t.Errorf("%s: %d verified, %d unchanged, expected %d and %d", name, r.Verified, r.Unchanged, test.verified, test.unchanged)
		}
		if diff := cmp.Diff(map[perturb.Reason]int{"not-accepted": 1, rejectedTurn: 2}, r.Rejected); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestFinalRewritten(t *testing.T) {
	out, _, _ := buildTurns(t, talks(), recorded("turns", perturb.Renamed, func(*perturb.Example) []perturb.Edit {
		return renaming("books", "pages", "length")
	}))
	post := readTurns(t, out, "test/turns", "post")
	want := &finalPart{talks()[2].Final.Question, "SELECT author, genre FROM books WHERE length > 600"}
	if diff := cmp.Diff(want, post[2].Final); diff != "" {
		t.Errorf("final question (-want +got):\n%s", diff)
	}
}

// TestEvidence checks that evidence follows what it names, and that an example is
// rejected of which it may speak of more.
func TestEvidence(t *testing.T) {
	question := turnRecord{Question: "List the long novels.", Query: "SELECT title FROM books WHERE pages > 600 AND genre = 'Novel'"}
	retarget := func(query string) []perturb.Edit {
		return []perturb.Edit{perturb.SetQuestion{Question: "List others."}, perturb.RewriteSQL{Query: query}}
	}
	for name, test := range map[string]struct {
		evidence string
		relation perturb.Relation
		edits    []perturb.Edit
		want     string // evidence after, or the reason of the rejection
	}{
		"renamed":   {"long refers to pages > 600", perturb.Renamed, renaming("books", "pages", "length"), "long refers to length > 600"},
		"no link":   {"novels are books of many sheets", perturb.Renamed, renaming("books", "pages", "length"), "novels are books of many sheets"},
		"question":  {"long refers to pages > 600", perturb.Invariant, []perturb.Edit{perturb.ReplaceSpan{With: "Please "}}, "long refers to pages > 600"},
		"constant":  {"long refers to pages > 600", perturb.Retargeted, retarget("SELECT title FROM books WHERE pages > 500 AND genre = 'Novel'"), "evidence-names-constant"},
		"other":     {"fiction refers to genre = 'Novel'", perturb.Retargeted, retarget("SELECT title FROM books WHERE pages > 500 AND genre = 'Novel'"), "fiction refers to genre = 'Novel'"},
		"operator":  {"long refers to pages > 600", perturb.Retargeted, retarget("SELECT title FROM books WHERE pages < 600 AND genre = 'Novel'"), "evidence-states-condition"},
		"dropped":   {"new refers to publication_year > 2000", perturb.Invariant, []perturb.Edit{perturb.DropColumn{Table: "books", Column: "publication_year"}}, "evidence-names-lost-column"},
		"unrelated": {"new refers to publication_year > 2000", perturb.Invariant, []perturb.Edit{perturb.DropColumn{Table: "books", Column: "author"}}, "new refers to publication_year > 2000"},
	} {
		t.Run(name, func(t *testing.T) {
			question.Evidence = test.evidence
			out, _, rejected := buildTurns(t, []turnRecord{question}, recorded("evidence", test.relation, func(*perturb.Example) []perturb.Edit { return test.edits }))
			got := string(rejected[0])
			if post := readTurns(t, out, "test/evidence", "post"); len(post) == 1 {
				got = post[0].Evidence
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// squallUnit is a table with derived columns and questions about them.
func squallUnit(t *testing.T) *dataset.Unit {
	t.Helper()
	column := func(name, base string, typ dataset.Type) dataset.Column {
		return dataset.Column{Original: name, Name: strings.ReplaceAll(name, "_", " "), Base: base, Type: typ}
	}
	db := &dataset.Database{ID: "w", SQLite: filepath.Join(t.TempDir(), "w.sqlite"), Tables: []dataset.Table{{Name: "singers", Original: "w", Columns: []dataset.Column{
		column("id", "", dataset.Number), column("name", "", dataset.Text), column("name_first", "name", dataset.Text),
		column("age", "", dataset.Text), column("age_number", "age", dataset.Number), column("country", "", dataset.Text),
	}}}}
	var rows [][]sqldata.Value
	for i, name := range strings.Fields("Ann Bo Cy Dee Eve Fay") {
		rows = append(rows, []sqldata.Value{
			sqldata.NewInt(int64(i)), sqldata.NewText(name + " Lee"), sqldata.NewText(name), sqldata.NewText(string('4'+rune(i%3)) + "2 years"),
			sqldata.NewInt(int64(42 + 10*(i%3))), sqldata.NewText([]string{"France", "Peru"}[i%2]),
		})
	}
	if err := sqlite.Create(t.Context(), db.SQLite, dataset.SQLiteTables(db), [][][]sqldata.Value{rows}); err != nil {
		t.Fatal(err)
	}
	u := &dataset.Unit{DB: db}
	for i, q := range [][2]string{
		{"What is the first name of the oldest singer?", "SELECT name_first FROM w ORDER BY age_number DESC LIMIT 1"},
		{"Which names have singers with an age of more than 50?", "SELECT name FROM w WHERE age_number > 50"},
		{"How many singers are from Peru?", "SELECT count(*) FROM w WHERE country = 'Peru'"},
	} {
		u.Examples = append(u.Examples, &dataset.Example{Index: i, DB: "w", Question: q[0], Query: q[1]})
	}
	return u
}

// TestDerivedColumns builds with all perturbations over derived columns: none is
// chosen by itself, and each carries the name of its base afterwards.
func TestDerivedColumns(t *testing.T) {
	u := squallUnit(t)
	names := func(names ...string) (list []dataset.Candidate) {
		for _, n := range names {
			list = append(list, dataset.Candidate{Name: n, Source: "written", Similarity: 1, Forward: 1, Backward: 1})
		}
		return list
	}
	buckets := dataset.Buckets{
		{DB: "w", Table: "w", Column: "age"}:        {Replace: names("years of life")},
		{DB: "w", Table: "w", Column: "name"}:       {Replace: names("full name")},
		{DB: "w", Table: "w", Column: "age_number"}: {Replace: names("never")},
	}
	out := filepath.Join(t.TempDir(), "out")
	m, err := benchmark.Build(t.Context(), []*dataset.Unit{u}, out, catalogConfig(t, buckets))
	if err != nil {
		t.Fatal(err)
	}
	verified := map[string]int{}
	for _, r := range m.Perturbations {
		verified[r.Name] = r.Verified
	}
	for _, name := range []string{"adveta/replace", "drspider/schema-synonym", "mtteql/column-renaming", "mtteql/column-removal"} {
		if verified[name] == 0 {
			t.Errorf("%s: no records", name)
		}
	}
	followed := followedBases(t, u.DB, readRecords(t, out))
	if followed == 0 {
		t.Error("no derived column followed its base")
	}
	post := perturbtest.Units(t, filepath.Join(out, "adveta", "replace", "post"))
	if got, want := post[0].Examples[0].Query, "SELECT full_name_first FROM w ORDER BY years_of_life_number DESC LIMIT 1"; got != want {
		t.Errorf("gold SQL %q, want %q", got, want)
	}
}

// followedBases checks that derived columns carry the name of their base after the
// edits of records, and counts those whose base has another name than before.
func followedBases(t *testing.T, db *dataset.Database, records []dataset.Record) (followed int) {
	t.Helper()
	for _, rec := range records {
		edits, err := perturb.UnmarshalEdits([]byte(rec.Edits))
		if err != nil {
			t.Fatal(err)
		}
		after, err := perturb.ApplySchema(db, edits)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range after.Tables[0].Columns {
			if c.Base == "" {
				continue
			}
			if _, ok := after.Lookup(after.Tables[0].Original, c.Base); !ok || !strings.HasPrefix(c.Original, c.Base+"_") {
				t.Errorf("%s: column %s is derived from %s after %s", rec.Perturbation, c.Original, c.Base, rec.Edits)
			}
			if _, ok := db.Lookup("w", c.Base); !ok {
				followed++
			}
		}
	}
	return followed
}

// TestDerivedTaken builds a renaming that a derived column cannot follow.
func TestDerivedTaken(t *testing.T) {
	u := squallUnit(t)
	u.DB.Tables[0].Columns[5].Original = "stage_first"
	u.DB.SQLite = ""
	u.Examples = u.Examples[:1]
	c := sampleConfig(t)
	c.Report = func(error) {}
	c.Perturbations = []*perturb.Perturbation{recorded("taken", perturb.Renamed, func(*perturb.Example) []perturb.Edit { return renaming("w", "name", "stage") })}
	m, err := benchmark.Build(t.Context(), []*dataset.Unit{u}, filepath.Join(t.TempDir(), "out"), c)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[perturb.Reason]int{"derived-column": 1}, m.Perturbations[0].Rejected); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
}
