package review

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/language/diff"
	"github.com/tabperturb/tabperturb/perturb"
)

// drafted is a perturbation of two samples that puts the drafts before each question.
func drafted(drafts ...string) *perturb.Perturbation {
	return &perturb.Perturbation{
		Name: "test/drafted", Doc: "Puts words before the question.", Paper: "none", Version: 1, Relation: perturb.Invariant,
		Run: func(p *perturb.Pass) error {
			for _, ex := range p.Examples {
				for i, draft := range drafts {
					p.Report(perturb.Variant{Sample: i, Examples: []*perturb.Example{ex}, Edits: []perturb.Edit{perturb.ReplaceSpan{With: draft}}})
				}
			}
			return nil
		},
	}
}

// renamed is one that renames the column home town.
var renamed = &perturb.Perturbation{
	Name: "test/renamed", Doc: "Renames a column.", Paper: "none", Version: 1, Relation: perturb.Renamed,
	Run: func(p *perturb.Pass) error {
		p.Report(perturb.Variant{Examples: p.Examples, Edits: []perturb.Edit{
			perturb.RenameColumn{Table: "Store", Column: "Home_Town", Name: "City", Natural: "city", From: dataset.Candidate{Source: "hidden source"}},
		}})
		return nil
	},
}

// added is one of two samples that adds a column, which no text says.
var added = &perturb.Perturbation{
	Name: "test/added", Doc: "Adds a column.", Paper: "none", Version: 1, Relation: perturb.Invariant,
	Run: func(p *perturb.Pass) error {
		for i, name := range []string{"colour", "height"} {
			p.Report(perturb.Variant{Sample: i, Examples: p.Examples, Edits: []perturb.Edit{
				perturb.AddColumn{Table: "Store", Name: name, Natural: name, Type: dataset.Text},
			}})
		}
		return nil
	},
}

// buildShop builds the shop under perturbations and returns the folder.
func buildShop(t *testing.T, accepted benchmark.Accepted, list ...*perturb.Perturbation) (string, *benchmark.Manifest) {
	t.Helper()
	dir, _ := shop(t)
	units, err := dataset.Units(dir, "dev", func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "build")
	m, err := benchmark.Build(t.Context(), units, out, benchmark.Config{
		Perturbations: list, Samples: 2, Seed: 1, Workers: 1, Split: "dev", Accepted: accepted, Report: func(err error) { t.Log(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, m
}

func all(string) bool { return true }

// openBuild serves the page of a build.
func openBuild(t *testing.T, build, out string) (*tab, *Server) {
	t.Helper()
	data, err := LoadRecords(build, all, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, data, out)
}

// spansOf writes spans with the changed ones in brackets.
func spansOf(c Change) (before, after string) {
	var sides [2]strings.Builder
	for i, spans := range [][]diff.Span{c.Before, c.After} {
		for _, p := range spans {
			if p.Changed {
				p.Text = "[" + p.Text + "]"
			}
			sides[i].WriteString(p.Text)
		}
	}
	return sides[0].String(), sides[1].String()
}

// What a person sees of a record: the differences, and the tables with what changed.
func TestRecordView(t *testing.T) {
	build, _ := buildShop(t, nil, drafted("Tell me: "), renamed)
	b, s := openBuild(t, build, filepath.Join(t.TempDir(), "ann.jsonl"))
	list := get[List](b, "/api/list?text=renamed+0,")
	if len(list.Items) != 1 || list.Items[0].Table != "test/renamed" || list.Items[0].Column != "example 0, sample 0" || list.Items[0].Names != 3 {
		t.Fatalf("%+v", list)
	}
	v := get[ColumnView](b, "/api/column?id=2")
	if v.Record == nil || v.Record.Definition != "Renames a column." || len(v.Criteria) != 3 || v.Open != 3 || v.Criteria[0].Name != "meaning" || v.Criteria[0].Evidence == "" {
		t.Fatalf("%+v", v)
	}
	before, after := spansOf(v.Record.Changes[1])
	if before != "SELECT [Home_Town] FROM Store" || after != "SELECT [City] FROM Store" {
		t.Errorf("%q and %q", before, after)
	}
	var seen []string
	for _, table := range v.Record.Tables {
		for i, c := range table.Columns {
			if c.This {
				seen = append(seen, table.When+" "+table.Table+" "+c.Column+" "+*table.Rows[0][i])
			}
		}
	}
	if diff := cmp.Diff([]string{"before Store Home_Town " + evil, "after Store City " + evil}, seen); diff != "" {
		t.Error(diff)
	}
	drafted := get[ColumnView](b, "/api/column?id=1").Record // counts rows, so that it mentions no column
	if _, after := spansOf(drafted.Changes[0]); after != "[Tell me:] How many stores are there?" {
		t.Errorf("%q", after)
	}
	if len(drafted.Tables) != 1 || drafted.Tables[0].When != "both" || drafted.Tables[0].Table != "Store" || len(drafted.Tables[0].Rows) != 3 {
		t.Errorf("%+v", drafted.Tables)
	}
	if p := s.Progress(); p.Things != "records" || p.Items != "criteria" || p.Columns != 4 || p.Names != 12 {
		t.Errorf("%+v", p)
	}
}

// A build keeps what a person accepted of an earlier one, by texts and not by number.
func TestAccepted(t *testing.T) {
	build, _ := buildShop(t, nil, drafted("Tell me: ", "Well, "), renamed)
	out := filepath.Join(t.TempDir(), "ann.jsonl")
	b, s := openBuild(t, build, out)
	answer := func(id int, answers ...Action) {
		for i, action := range answers {
			post[Saved](b, "/api/decide", Request{ID: id, Version: get[ColumnView](b, "/api/column?id="+string(rune('0'+id))).Version, Action: action, Side: Criterion, Name: criteria[i].Name}, http.StatusOK)
		}
	}
	answer(0, Accept, Accept, Accept)
	answer(1, Accept, Reject, Accept)
	answer(2, Accept, Accept)
	answer(4, Accept, Accept, Accept)
	for _, bad := range []Request{
		{ID: 3, Action: Move, Side: Criterion, Name: "meaning"}, {ID: 3, Action: Add, Side: Criterion, Name: "style"},
	} {
		post[Failure](b, "/api/decide", bad, http.StatusBadRequest)
	}
	post[Failure](b, "/api/decide", Request{ID: 3, Action: Accept, Side: dataset.Replace, Name: "meaning"}, http.StatusNotFound)
	if p := s.Progress(); p.Done != 3 || p.Decided != 11 || p.Rejected != 1 {
		t.Errorf("%+v", p)
	}
	s.Close()
	v := verdicts(t, out)
	if v.OnRecords() != 4 {
		t.Errorf("%d records decided on", v.OnRecords())
	}
	for _, test := range []struct {
		drafts              []string
		drafted, renamed    int
		rejected, rejected2 map[perturb.Reason]int
	}{
		{[]string{"Tell me: ", "Well, "}, 1, 1, map[perturb.Reason]int{"not-accepted": 1, "not-reviewed": 2, "gold-unresolved": 1}, map[perturb.Reason]int{"not-reviewed": 1, "gold-unresolved": 1}},
		{[]string{"Tell  me: ", "Well, "}, 0, 1, map[perturb.Reason]int{"not-accepted": 1, "not-reviewed": 3, "gold-unresolved": 1}, map[perturb.Reason]int{"not-reviewed": 1, "gold-unresolved": 1}},
	} {
		kept, m := buildShop(t, func(r *dataset.Record) perturb.Reason { return Refuses([]*Verdicts{v}, r) }, drafted(test.drafts...), renamed)
		got := []int{m.Perturbations[0].Verified, m.Perturbations[1].Verified}
		if diff := cmp.Diff([]int{test.drafted, test.renamed}, got); diff != "" {
			t.Errorf("%q: %s", test.drafts, diff)
		}
		if diff := cmp.Diff([]map[perturb.Reason]int{test.rejected, test.rejected2}, []map[perturb.Reason]int{m.Perturbations[0].Rejected, m.Perturbations[1].Rejected}); diff != "" {
			t.Errorf("%q: %s", test.drafts, diff)
		}
		if _, err := LoadRecords(kept, all, func(err error) { t.Error(err) }); err != nil {
			t.Error(err)
		}
	}

	// The page goes on where it was left, and tells of decisions on another build.
	b, s = openBuild(t, build, out)
	if v := get[ColumnView](b, "/api/column?id=1"); v.Criteria[1].Answer != Reject || v.Open != 0 {
		t.Errorf("%+v", v.Criteria)
	}
	s.Close()
	other, _ := buildShop(t, nil, renamed)
	data, err := LoadRecords(other, all, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	s, err = NewServer(data, Options{Annotator: "ann", Out: out, Report: func(err error) { notes = append(notes, err.Error()) }})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if len(notes) != 1 || !strings.Contains(notes[0], "8 criteria that were decided on are not in the build") {
		t.Errorf("%q", notes)
	}
}

// TestAllCriteria accepts all criteria of a record in one decision, which one undo takes back, and knows the records
// of the same texts.
func TestAllCriteria(t *testing.T) {
	build, _ := buildShop(t, nil, added)
	out := filepath.Join(t.TempDir(), "ann.jsonl")
	b, s := openBuild(t, build, out)
	view := func() ColumnView { return get[ColumnView](b, "/api/column?id=0") }
	v := view()
	if len(v.Alike) != 1 || len(get[ColumnView](b, "/api/column?id=1").Alike) != 1 {
		t.Fatalf("alike %v, expected one", v.Alike)
	}
	right := Request{Action: Accept, Side: Criterion}
	post[Failure](b, "/api/decide", Request{Action: Reject, Side: Criterion}, http.StatusNotFound)
	post[Saved](b, "/api/decide", Request{Action: Reject, Side: Criterion, Name: "natural"}, http.StatusOK)
	right.Version = view().Version
	saved := post[Saved](b, "/api/decide", right, http.StatusOK)
	if saved.Column.Open != 0 || saved.Progress.Accepted != 3 || saved.Progress.Rejected != 0 {
		t.Errorf("%+v", saved.Progress)
	}
	right.Version = view().Version
	if again := post[Saved](b, "/api/decide", right, http.StatusOK); again.N != 0 {
		t.Errorf("the same decision again is number %d, expected none", again.N)
	}
	if undone := post[Saved](b, "/api/undo", Request{Undo: view().Undo}, http.StatusOK); undone.Progress.Rejected != 1 || undone.Progress.Decided != 1 {
		t.Errorf("undone: %+v", undone.Progress)
	}
	right = Request{ID: v.Alike[0].ID, Version: v.Alike[0].Version, Action: Accept, Side: Criterion}
	post[Saved](b, "/api/decide", right, http.StatusOK)
	if now := view(); len(now.Alike) != 0 {
		t.Errorf("alike %v, expected none that is open", now.Alike)
	}
	s.Close()
	data, err := LoadRecords(build, all, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	if reason := Refuses([]*Verdicts{verdicts(t, out)}, &data.columns[v.Alike[0].ID].record.Record); reason != "" {
		t.Errorf("refused as %s, expected to be kept", reason)
	}
}

// Of several annotators those who decided on a criterion decide, by more than half.
func TestRefuses(t *testing.T) {
	r := &dataset.Record{Perturbation: "a/b", QuestionPost: "a"}
	id := IDOf(r)
	says := func(answers string) *Verdicts {
		v := newVerdicts()
		for i, a := range answers {
			if a != '-' {
				v.Items[Item{id.subject(), Criterion, criteria[i].Name}] = map[rune]Action{'y': Accept, 'n': Reject}[a]
			}
		}
		return v
	}
	for _, test := range []struct {
		answers []string
		want    perturb.Reason
	}{
		{[]string{"yyy"}, ""},
		{[]string{"yy-"}, "not-reviewed"},
		{[]string{"-n-"}, "not-accepted"},
		{[]string{"yy-", "--y"}, ""},
		{[]string{"yyy", "yny"}, "not-accepted"},
		{[]string{"yyy", "yny", "yyy"}, ""},
		{[]string{"yyy", "nnn", "---"}, "not-accepted"},
		{nil, "not-reviewed"},
	} {
		var all []*Verdicts
		for _, answers := range test.answers {
			all = append(all, says(answers))
		}
		if got := Refuses(all, r); got != test.want {
			t.Errorf("%q: %q, expected %q", test.answers, got, test.want)
		}
	}
}

// What a stranger's build may hold.
func TestLoadDamaged(t *testing.T) {
	build, _ := buildShop(t, nil, renamed)
	records := []dataset.Record{}
	path := filepath.Join(build, benchmark.RecordsFile)
	if err := recordfile.Read(path, func(r dataset.Record) error { records = append(records, r); return nil }); err != nil {
		t.Fatal(err)
	}
	good := records[0]
	for _, test := range []struct {
		change func(*dataset.Record)
		want   string
	}{
		{func(r *dataset.Record) { r.Perturbation = "../../etc" }, `records.parquet:2: perturbation is "../../etc", expected one of manifest.json`},
		{func(r *dataset.Record) { r.DBPost = "../shop" }, `records.parquet:2: databases are "shop" and "../shop", expected ids`},
		{func(r *dataset.Record) { r.Example = -1 }, `records.parquet:2: record is example -1, sample 0 of "test/renamed", expected numbers from 0`},
		{func(*dataset.Record) {}, `records.parquet:2: is of the same perturbation, example and sample as an earlier one`},
	} {
		bad := good
		test.change(&bad)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := recordfile.NewWriter(f)
		if err := w.Write(good, bad); err != nil {
			t.Fatal(err)
		}
		w.Close()
		f.Close()
		var told []string
		if _, err := LoadRecords(build, all, func(err error) { told = append(told, err.Error()) }); err != nil {
			t.Error(err)
		}
		if len(told) != 1 || !strings.Contains(told[0], test.want) {
			t.Errorf("told %q, expected %q", told, test.want)
		}
	}

	// A page shows what there is where schemas are missing.
	if err := os.WriteFile(filepath.Join(build, "test", "renamed", "post", "tables.json"), []byte("[]"), 0o666); err != nil {
		t.Fatal(err)
	}
	b, _ := openDamaged(t, build)
	if v := get[ColumnView](b, "/api/column?id=0"); v.Record == nil || !strings.Contains(v.Record.Problem, "no schema of shop and shop__") || len(v.Record.Changes) != 2 {
		t.Errorf("%+v", v.Record)
	}
	if err := os.WriteFile(path, []byte("PAR1"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadRecords(build, all, func(error) {}); err == nil || !strings.Contains(err.Error(), "records.parquet") {
		t.Error(err)
	}
}

// openDamaged serves a build of which some records cannot be used.
func openDamaged(t *testing.T, build string) (*tab, *Server) {
	t.Helper()
	data, err := LoadRecords(build, all, func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, data, filepath.Join(t.TempDir(), "ann.jsonl"))
}

// Decisions on records that are no such decisions.
func TestRecordDecision(t *testing.T) {
	good := Decision{Action: Accept, Record: &RecordID{"a/b", 1, 0, "0123456789abcdef"}, Side: Criterion, Name: "natural"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Decision){
		`action is "move"`:                        func(d *Decision) { d.Action = Move },
		`expected "criterion" and one of meaning`: func(d *Decision) { d.Name = "style" },
		`side and name are "replace"`:             func(d *Decision) { d.Side = dataset.Replace },
		"expected 16 hexadecimal digits":          func(d *Decision) { d.Record.After = "0123456789ABCDEF" },
		"expected numbers from 0":                 func(d *Decision) { d.Record.Sample = -1 },
	} {
		bad, id := good, *good.Record
		bad.Record = &id
		change(&bad)
		if err := bad.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	if every := (Decision{Action: Accept, Record: good.Record, Side: Criterion}); every.Check() != nil {
		t.Error(every.Check())
	}
	if remark := (Decision{Action: Comment, Record: good.Record, Comment: "hm"}); remark.Check() != nil {
		t.Error(remark.Check())
	}
	for i, change := range []func(*dataset.Record){
		func(r *dataset.Record) { r.QuestionPost = "b" }, func(r *dataset.Record) { r.QueryPost = "b" }, func(r *dataset.Record) { r.DBPost = "b" },
	} {
		r := dataset.Record{QuestionPost: "a", QueryPost: "a", DBPost: "a"}
		before := IDOf(&r)
		if change(&r); IDOf(&r) == before {
			t.Errorf("change %d leaves the id as it is", i)
		}
	}
}

// TestShuffledTable checks that a table whose columns are in another order is shown, although no query uses it.
func TestShuffledTable(t *testing.T) {
	schema := func(columns ...string) *dataset.Database {
		db := &dataset.Database{ID: "d", Tables: []dataset.Table{{Name: "singer", Original: "singer"}}}
		for _, c := range columns {
			db.Tables[0].Columns = append(db.Tables[0].Columns, dataset.Column{Name: c, Original: c})
		}
		return db
	}
	for _, tt := range []struct {
		other *dataset.Database
		want  bool
	}{
		{schema("name", "age"), false},
		{schema("age", "name"), true},
		{schema("age", "title"), false},
		{&dataset.Database{ID: "d"}, false},
	} {
		if got := isShuffled(&schema("name", "age").Tables[0], tt.other); got != tt.want {
			t.Errorf("in %v: shuffled %v, want %v", tt.other.Tables, got, tt.want)
		}
	}
}
