package perturb_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
)

// races is a table of Squall's kind: two columns with derived ones, one of them
// derived at second hand and one under a name of its own.
func races() *dataset.Database {
	column := func(original, name, base string) dataset.Column {
		return dataset.Column{Original: original, Name: name, Base: base, Type: dataset.Text, Header: strings.ToUpper(name)}
	}
	return &dataset.Database{ID: "races", Tables: []dataset.Table{{Name: "table", Original: "w", Columns: []dataset.Column{
		column("id", "id", ""), column("c1", "year", ""), column("c1_list", "year list", "c1"), column("C1_list_first", "first of years", "c1_list"),
		column("decade", "decade", "c1"), column("c2", "driver", ""), column("c2_first", "driver first", "C2"),
	}}}}
}

func renameW(column, name string) perturb.RenameColumn {
	return perturb.RenameColumn{Table: "w", Column: column, Name: name, Natural: strings.ReplaceAll(name, "_", " ")}
}

func TestFollowDerived(t *testing.T) {
	for name, test := range map[string]struct{ edits, want string }{
		"rename":     {`rename c1 season`, `rename c1 season; rename c1_list season_list; rename C1_list_first season_list_first`},
		"other case": {`rename C2 pilot`, `rename C2 pilot; rename c2_first pilot_first`},
		"recorded":   {`rename c2_first pilot_first; rename c2 pilot`, `rename c2_first pilot_first; rename c2 pilot`},
		"derived":    {`rename decade era`, `rename decade era`},
		"drop":       {`drop c1`, `drop C1_list_first; drop decade; drop c1_list; drop c1`},
		"both":       {`rename c1 season; rename c1_list terms`, `rename c1 season; rename C1_list_first season_list_first; rename c1_list terms`},
		"none":       {`rename id key`, `rename id key`},
		"unknown":    {`rename c9 x`, `rename c9 x`},
	} {
		var edits []perturb.Edit
		for line := range strings.SplitSeq(test.edits, "; ") {
			if f := strings.Fields(line); f[0] == "drop" {
				edits = append(edits, perturb.DropColumn{Table: "W", Column: f[1]})
			} else {
				edits = append(edits, renameW(f[1], f[2]))
			}
		}
		var got []string
		for _, e := range perturb.FollowDerived(races(), edits) {
			switch e := e.(type) {
			case perturb.RenameColumn:
				got = append(got, "rename "+e.Column+" "+e.Name)
			case perturb.DropColumn:
				got = append(got, "drop "+e.Column)
			}
		}
		if diff := cmp.Diff(test.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// columnsOf lists a table's columns as "SQL name / natural name / base / header".
func columnsOf(t dataset.Table) (list []string) {
	for _, c := range t.Columns {
		list = append(list, c.Original+" / "+c.Name+" / "+c.Base+" / "+c.Header)
	}
	return list
}

func TestDerivedSchema(t *testing.T) {
	db := races()
	label := perturb.Relabel{Table: "w", Column: "c2", Natural: "pilot"}
	after, err := perturb.ApplySchema(db, perturb.FollowDerived(db, []perturb.Edit{renameW("c1", "season"), label}))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"id / id /  / ID", "season / season /  / ", "season_list / season list / season / ", "season_list_first / season list first / season_list / ",
		"decade / decade / season / DECADE", "c2 / pilot /  / ", "c2_first / pilot first / C2 / ",
	}
	if diff := cmp.Diff(want, columnsOf(after.Tables[0])); diff != "" {
		t.Errorf("renamed and relabelled (-want +got):\n%s", diff)
	}
	if after, err = perturb.ApplySchema(db, perturb.FollowDerived(db, []perturb.Edit{perturb.DropColumn{Table: "w", Column: "c1"}})); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"id / id /  / ID", "c2 / driver /  / DRIVER", "c2_first / driver first / C2 / DRIVER FIRST"}, columnsOf(after.Tables[0])); diff != "" {
		t.Errorf("dropped (-want +got):\n%s", diff)
	}
	taken := races()
	taken.Tables[0].Columns = append(taken.Tables[0].Columns, dataset.Column{Original: "pilot_FIRST", Name: "x"})
	for want, edits := range map[string][]perturb.Edit{
		"is derived from c1":                       {perturb.DropColumn{Table: "w", Column: "c1"}},
		"is derived from c2":                       {perturb.SplitTable{Table: "w", Column: "c2", NewTable: "drivers", Natural: "drivers", Key: "driver_id", KeyNatural: "driver id"}},
		"table w has a column pilot_first already": perturb.FollowDerived(taken, []perturb.Edit{renameW("c2", "pilot")}),
	} {
		if _, err := perturb.ApplySchema(taken, edits); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestDerivedMoved merges a table with derived columns into another, and splits one off.
func TestDerivedMoved(t *testing.T) {
	db := kennel()
	owner := &db.Tables[1]
	owner.Columns = append(owner.Columns, dataset.Column{Original: "name_first", Name: "name first", Base: "NAME"})
	merge := mergeOwner
	merge.Columns = append(slices.Clone(merge.Columns), perturb.MergedColumn{Column: "name_first", Name: "owner_name_first", Natural: "owner name first"})
	after, err := perturb.ApplySchema(db, []perturb.Edit{merge})
	if err != nil {
		t.Fatal(err)
	}
	if ref, ok := after.Lookup("dog", "owner_name_first"); !ok || after.Column(ref).Base != "owner_name" {
		t.Errorf("merged: %v, want a column derived from owner_name", columnsOf(after.Tables[0]))
	}
	split := perturb.SplitTable{Table: "owner", Column: "name_first", NewTable: "firsts", Natural: "firsts", Key: "first_id", KeyNatural: "first id"}
	if after, err = perturb.ApplySchema(db, []perturb.Edit{split}); err != nil {
		t.Fatal(err)
	}
	if ref, ok := after.Lookup("firsts", "name_first"); !ok || after.Column(ref).Base != "" {
		t.Error("a column that left the table of its base is still derived from it")
	}
}

// TestDerivedGold runs gold SQL over derived columns before and after a renaming of
// their base.
func TestDerivedGold(t *testing.T) {
	db := races()
	dir := t.TempDir()
	text := func(s ...string) (row []sqldata.Value) {
		for _, v := range s {
			row = append(row, sqldata.NewText(v))
		}
		return row
	}
	rows := [][][]sqldata.Value{{text("1", "1999 2000", "1999,2000", "1999", "90s", "Ann Lee", "Ann"), text("2", "2001", "2001", "2001", "00s", "Bo Ek", "Bo")}}
	src, dst := filepath.Join(dir, "before.sqlite"), filepath.Join(dir, "after.sqlite")
	if err := sqlite.Create(t.Context(), src, dataset.SQLiteTables(db), rows); err != nil {
		t.Fatal(err)
	}
	ex, err := perturb.NewExample(db, &dataset.Example{Query: "SELECT c2_first, c2 FROM w WHERE C1_LIST_FIRST < '2000' AND decade LIKE '9%'"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]dataset.ColumnRef{{Column: 5}, {Column: 1}}, ex.Columns); diff != "" {
		t.Errorf("mentioned columns (-want +got):\n%s", diff)
	}
	edits := perturb.FollowDerived(db, []perturb.Edit{renameW("c1", "season"), renameW("c2", "pilot")})
	after, err := perturb.ApplySchema(db, edits)
	if err != nil {
		t.Fatal(err)
	}
	query, err := perturb.RewriteGold(ex, edits, after)
	if want := "SELECT pilot_first, pilot FROM w WHERE season_list_first < '2000' AND decade LIKE '9%'"; err != nil || query != want {
		t.Errorf("gold SQL %q, %v, want %q", query, err, want)
	}
	if err := perturb.ApplyContent(t.Context(), src, dst, edits); err != nil {
		t.Fatal(err)
	}
	if before, now := answer(t, src, ex.Query), answer(t, dst, query); len(now.Rows) != 1 || !perturb.Holds(ex.Gold, before, now) {
		t.Errorf("answers %v before, %v after, want the same row", before.Rows, now.Rows)
	}
}

func answer(t *testing.T, path, query string) *sqldata.Result {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	res, err := db.Query(t.Context(), query, sqldata.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestDerivedCircle follows bases that lead in a circle, and to nowhere.
func TestDerivedCircle(t *testing.T) {
	db := &dataset.Database{ID: "d", Tables: []dataset.Table{{Original: "w", Columns: []dataset.Column{
		{Original: "a", Name: "a", Base: "a_b"}, {Original: "a_b", Name: "a b", Base: "A"}, {Original: "c", Name: "c", Base: "gone"},
	}}}}
	if edits := perturb.FollowDerived(db, []perturb.Edit{renameW("a", "x")}); len(edits) != 2 {
		t.Errorf("edits %v, want two", edits)
	}
	ex, err := perturb.NewExample(db, &dataset.Example{Query: "SELECT a, c FROM w"})
	if err != nil || len(ex.Columns) != 2 {
		t.Errorf("mentioned columns %v, %v, want two", ex.Columns, err)
	}
}

func TestJoinTurns(t *testing.T) {
	db := races()
	var examples []*perturb.Example
	for i, query := range []string{"SELECT c2 FROM w", "SELECT c2 FROM w WHERE c1 = '1999'", "SELECT id FROM w WHERE c1 = '1999'", "SELECT id FROM w"} {
		ex, err := perturb.NewExample(db, &dataset.Example{Index: i, Query: query})
		if err != nil {
			t.Fatal(err)
		}
		examples = append(examples, ex)
	}
	alone := examples[3]
	perturb.JoinTurns(examples[:2], examples[2])
	union := []dataset.ColumnRef{{Column: 5}, {Column: 1}, {Column: 0}}
	for i, ex := range examples[:3] {
		if diff := cmp.Diff(union, ex.Columns); diff != "" {
			t.Errorf("turn %d: columns (-want +got):\n%s", i, diff)
		}
		if len(ex.Turns()) != 3 || ex.Turns()[i] != ex {
			t.Errorf("turn %d: turns %v, want all three in order", i, ex.Turns())
		}
	}
	if diff := cmp.Diff(union[:1], examples[0].Own); diff != "" {
		t.Errorf("own columns (-want +got):\n%s", diff)
	}
	if examples[0].FinalExample != nil || examples[1].FinalExample != examples[2] {
		t.Error("the final question does not stand with the last turn alone")
	}
	if len(alone.Turns()) != 1 || alone.Turns()[0] != alone || len(alone.Columns) != 1 {
		t.Error("an example that stands alone is not by itself")
	}
}
