package perturb_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/generate"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// kennel is a schema in which each kind of edit of the structure has something to
// change: dogs have an owner, who has an address.
func kennel() *dataset.Database {
	db := &dataset.Database{ID: "kennel", Tables: []dataset.Table{
		table("dog", "id", "id", "owner_id", "owner id", "name", "name", "weight", "weight"),
		table("owner", "owner_id", "owner id", "name", "name", "address_id", "address id"),
		table("address", "address_id", "address id", "city", "city"),
		table("visit", "dog_id", "dog id", "place", "place"),
	}}
	at := func(t, c int) dataset.ColumnRef { return dataset.ColumnRef{Table: t, Column: c} }
	db.PrimaryKeys = []dataset.ColumnRef{at(0, 0), at(1, 0), at(2, 0)}
	db.ForeignKeys = []dataset.ForeignKey{{Column: at(0, 1), Target: at(1, 0)}, {Column: at(1, 2), Target: at(2, 0)}, {Column: at(3, 0), Target: at(0, 0)}}
	return db
}

var (
	dropWeight   = perturb.DropColumn{Table: "Dog", Column: "Weight"}
	shuffleDog   = perturb.ShuffleColumns{Table: "dog", Order: []string{"weight", "id", "NAME", "owner_id"}}
	shuffleAll   = perturb.ShuffleTables{Order: []string{"visit", "owner", "Dog", "address"}}
	splitName    = perturb.SplitTable{Table: "dog", Column: "name", NewTable: "dog_name", Natural: "dog name", Key: "name_id", KeyNatural: "name id"}
	mergeOwner   = perturb.MergeTables{Table: "dog", Column: "owner_id", Reference: "owner", Target: "owner_id", Columns: ownerColumns}
	ownerColumns = []perturb.MergedColumn{{Column: "name", Name: "owner_name", Natural: "owner name"}, {Column: "address_id", Name: "address_id", Natural: "address id"}}
	splitWeight  = perturb.SplitColumn{Template: "%d%d", RecodeColumn: perturb.RecodeColumn{Recoding: recode.Recoding{
		Table: "dog", Column: "weight", Category: recode.TextToTexts,
		Into: []recode.Column{{Name: "tens", Natural: "tens", Type: dataset.Number}, {Name: "ones", Natural: "ones", Type: dataset.Number}},
		Map:  recode.Map{Cells: []recode.Cell{splitCell("05", 0, 5), splitCell("20", 2, 0)}},
	}}}
	mergeDog  = perturb.MergeColumns{Table: "dog", Columns: []string{"name", "weight"}, Template: "%s, %s", Name: "label", Natural: "label", Type: dataset.Text}
	divideDog = perturb.DivideTable{Table: "dog", Key: "id", Columns: []string{"weight"}, NewTable: "dog_size", Natural: "dog size"}
	addPrize  = perturb.AddTable{Name: "prize", Natural: "prize", Columns: []perturb.NewColumn{
		{Name: "prize_id", Natural: "prize id", Type: dataset.Number, Cells: []string{"1", "2"}},
		{Name: "dog_id", Natural: "dog id", Type: dataset.Number, Cells: []string{"2", "1"}, Reference: "dog", Target: "id"},
		{Name: "title", Natural: "title", Type: dataset.Text, Cells: []string{"best in show", ""}},
	}}
	hidePrimary = perturb.DropPrimaryKey{Table: "Owner"}
	hideForeign = perturb.DropForeignKey{Table: "dog", Column: "owner_id", Reference: "owner", Target: "owner_id"}
)

// splitCell returns a cell of two digits that comes apart.
func splitCell(old string, tens, ones int64) recode.Cell {
	return recode.Cell{Old: sqldata.NewText(old), New: []sqldata.Value{sqldata.NewInt(tens), sqldata.NewInt(ones)}}
}

func structure(edits ...perturb.Edit) []perturb.Edit { return edits }

// layout writes a schema: tables with their columns, primary keys with a star, and
// foreign keys.
func layout(db *dataset.Database) string {
	var out []string
	for t, table := range db.Tables {
		var columns []string
		for c, col := range table.Columns {
			name := col.Original
			if slices.Contains(db.PrimaryKeys, dataset.ColumnRef{Table: t, Column: c}) {
				name += "*"
			}
			columns = append(columns, name)
		}
		out = append(out, table.Original+"("+strings.Join(columns, " ")+")")
	}
	for _, k := range db.ForeignKeys {
		name := func(ref dataset.ColumnRef) string {
			return db.Tables[ref.Table].Original + "." + db.Column(ref).Original
		}
		out = append(out, name(k.Column)+">"+name(k.Target))
	}
	return strings.Join(out, "\n")
}

func TestStructureSchema(t *testing.T) {
	const dog, owner, address, visit = "dog(id* owner_id name weight)\n", "owner(owner_id* name address_id)\n", "address(address_id* city)\n", "visit(dog_id place)\n"
	const toOwner, toAddress, toDog = "dog.owner_id>owner.owner_id", "\nowner.address_id>address.address_id", "\nvisit.dog_id>dog.id"
	if diff := cmp.Diff(dog+owner+address+visit+toOwner+toAddress+toDog, layout(kennel())); diff != "" {
		t.Fatalf("before (-want +got):\n%s", diff)
	}
	for _, test := range []struct {
		name  string
		edits []perturb.Edit
		want  string
	}{
		{"drop", structure(dropWeight), "dog(id* owner_id name)\n" + owner + address + visit + toOwner + toAddress + toDog},
		{"columns", structure(shuffleDog), "dog(weight id* name owner_id)\n" + owner + address + visit + toOwner + toAddress + toDog},
		{"tables", structure(shuffleAll), visit + owner + dog + address + toOwner + toAddress + toDog},
		{
			"split", structure(splitName),
			"dog(id* owner_id weight name_id)\n" + owner + address + visit + "dog_name(name_id* name)\n" + toOwner + toAddress + toDog + "\ndog.name_id>dog_name.name_id",
		},
		{"merge", structure(mergeOwner), "dog(id* owner_id name weight owner_name address_id)\n" + address + visit + "dog.address_id>address.address_id" + toDog},
		{"primary key", structure(hidePrimary), dog + "owner(owner_id name address_id)\n" + address + visit + toOwner + toAddress + toDog},
		{"foreign key", structure(hideForeign), dog + owner + address + visit + toAddress[1:] + toDog},
		{
			"all at once", structure(shuffleAll, hideForeign, shuffleDog, splitName, dropWeight, add("dog", "note"), hidePrimary),
			visit + "owner(owner_id name address_id)\ndog(id* owner_id name_id note)\n" + address + "dog_name(name_id* name)\n" +
				toAddress[1:] + toDog + "\ndog.name_id>dog_name.name_id",
		},
	} {
		db := kennel()
		after, err := perturb.ApplySchema(db, test.edits)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(test.want, layout(after)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if diff := cmp.Diff(kennel(), db); diff != "" {
			t.Errorf("%s: the schema before changed:\n%s", test.name, diff)
		}
		data, err := perturb.MarshalEdits(test.edits)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := perturb.UnmarshalEdits(data); err != nil || cmp.Diff(test.edits, again) != "" {
			t.Errorf("%s: reads back as %+v, %v", data, again, err)
		}
	}
}

func TestStructureSchemaErrors(t *testing.T) {
	merge := func(change func(*perturb.MergeTables)) []perturb.Edit {
		e := mergeOwner
		e.Columns = slices.Clone(e.Columns)
		change(&e)
		return structure(e)
	}
	split := func(change func(*perturb.SplitTable)) []perturb.Edit {
		e := splitName
		change(&e)
		return structure(e)
	}
	for _, test := range []struct {
		edits []perturb.Edit
		want  string
	}{
		{structure(perturb.DropColumn{Table: "dog", Column: "x"}), "no column dog.x, expected one that can be dropped"},
		{structure(perturb.DropColumn{Table: "dog", Column: "owner_id"}), "part of a key"},
		{structure(dropWeight, dropWeight), "edited twice"},
		{structure(dropWeight, rename("dog", "weight", "x")), "renamed twice"},
		{structure(perturb.DropColumn{Table: "visit", Column: "place"}, perturb.DropColumn{Table: "visit", Column: "dog_id"}), "part of a key"},
		{structure(perturb.ShuffleColumns{Table: "x"}), "no table x to shuffle"},
		{structure(perturb.ShuffleColumns{Table: "visit", Order: []string{"place", "place"}}), "expected the 2 columns of table visit"},
		{structure(perturb.ShuffleColumns{Table: "visit", Order: []string{"place"}}), "expected the 2 columns of table visit"},
		{structure(perturb.ShuffleTables{Order: []string{"dog", "owner", "address", "x"}}), "expected the 4 tables"},
		{split(func(e *perturb.SplitTable) { e.Column = "id" }), "part of a key, expected one that can be moved"},
		{split(func(e *perturb.SplitTable) { e.NewTable = "OWNER" }), "there is a table OWNER already"},
		{split(func(e *perturb.SplitTable) { e.NewTable = "select" }), "no SQL keyword"},
		{split(func(e *perturb.SplitTable) { e.Key = "Weight" }), "has a column Weight already"},
		{split(func(e *perturb.SplitTable) { e.Key = "name" }), "has a column name already"},
		{split(func(e *perturb.SplitTable) { e.KeyNatural = "" }), "natural name"},
		{structure(splitName, dropWeight, splitName), "edited twice"},
		{merge(func(e *perturb.MergeTables) { e.Column = "name" }), "no foreign key from dog.name to owner.owner_id"},
		{merge(func(e *perturb.MergeTables) { e.Columns = e.Columns[1:] }), "the columns do not go on with name"},
		{merge(func(e *perturb.MergeTables) { e.Columns[0].Name = "Weight" }), "a column Weight already"},
		{merge(func(e *perturb.MergeTables) { e.Columns[0].Name = "address_id" }), "a column address_id already"},
		{merge(func(e *perturb.MergeTables) { e.Columns[0].Name = "a;b" }), "expected a letter"},
		{merge(func(e *perturb.MergeTables) { e.Columns = append(e.Columns, e.Columns[0]) }), "no further column name"},
		{structure(rename("owner", "name", "x"), mergeOwner), "edited besides"},
		{structure(mergeOwner, mergeOwner), "a column owner_name already"},
		{structure(perturb.DropPrimaryKey{Table: "visit"}), "no primary key of a table visit"},
		{structure(perturb.DropPrimaryKey{Table: "x"}), "no primary key of a table x"},
		{structure(hideForeign, hideForeign), "no foreign key from dog.owner_id"},
	} {
		if _, err := perturb.ApplySchema(kennel(), test.edits); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q", test.edits, err, test.want)
		}
	}
	twice := kennel()
	twice.ForeignKeys = append(twice.ForeignKeys, dataset.ForeignKey{Column: dataset.ColumnRef{Table: 3, Column: 1}, Target: dataset.ColumnRef{Table: 1}})
	if _, err := perturb.ApplySchema(twice, structure(mergeOwner)); err == nil || !strings.Contains(err.Error(), "more than one foreign key refers") {
		t.Errorf("error %v", err)
	}
}

func TestStructureGold(t *testing.T) {
	for _, test := range []struct {
		query   string
		edit    perturb.Edit
		want    string // empty for a refusal
		refused string
	}{
		{"SELECT name FROM dog", dropWeight, "SELECT name FROM dog", ""},
		{"SELECT weight FROM dog", dropWeight, "", "dog.weight"},
		{"SELECT * FROM dog", dropWeight, "", "would show other columns"},
		{"SELECT * FROM owner", dropWeight, "SELECT * FROM owner", ""},
		{"SELECT count(*) FROM dog", dropWeight, "SELECT count(*) FROM dog", ""},
		{"SELECT * FROM dog", shuffleDog, "", "other columns, or in another order"},
		{"SELECT name FROM dog WHERE weight > 3", shuffleDog, "SELECT name FROM dog WHERE weight > 3", ""},
		{"SELECT * FROM dog", shuffleAll, "SELECT * FROM dog", ""},
		{"SELECT weight FROM dog", splitName, "SELECT weight FROM dog", ""},
		{"SELECT name FROM dog", splitName, "", "dog.name"},
		{"SELECT T1.name FROM owner AS T1 EXCEPT SELECT T1.place FROM dog AS T2 JOIN visit AS T1 ON T2.id = T1.dog_id", dropWeight,
			"SELECT T1.name FROM owner AS T1 EXCEPT SELECT T1.place FROM dog AS T2 JOIN visit AS T1 ON T2.id = T1.dog_id", ""},
		{"SELECT T1.name FROM owner AS T1 EXCEPT SELECT place FROM dog AS T1 JOIN visit AS T2 ON T1.id = T2.dog_id", splitName, "", "an alias stands for two tables"},
		{"SELECT dog_name.weight FROM dog AS dog_name", splitName, "", "is an alias of the query"},
		{"SELECT weight FROM dog", mergeOwner, "SELECT weight FROM dog", ""},
		{"SELECT name FROM owner", mergeOwner, "", "owner"},
		{
			"SELECT address_id, weight FROM dog JOIN address ON owner_id = address_id", mergeOwner,
			"SELECT address.address_id, weight FROM dog JOIN address ON owner_id = address.address_id", "",
		},
		{"SELECT * FROM dog AS d JOIN owner AS o ON d.owner_id = o.owner_id", hideForeign, "SELECT * FROM dog AS d JOIN owner AS o ON d.owner_id = o.owner_id", ""},
		{"SELECT * FROM owner", hidePrimary, "SELECT * FROM owner", ""},
	} {
		after, err := perturb.ApplySchema(kennel(), structure(test.edit))
		if err != nil {
			t.Fatal(err)
		}
		got, err := perturb.RewriteGold(example(t, kennel(), test.query), structure(test.edit), after)
		if r, ok := errors.AsType[*perturb.Refusal](err); test.want == "" && (!ok || !strings.Contains(r.Error(), test.refused)) {
			t.Errorf("%s under %T: %q, %v, want a refusal for %q", test.query, test.edit, got, err, test.refused)
		} else if test.want != "" && (err != nil || got != test.want) {
			t.Errorf("%s under %T: %q, %v, want %q", test.query, test.edit, got, err, test.want)
		}
	}
}

// kennelQueries are queries of which each edit leaves some alone.
var kennelQueries = []string{
	"SELECT * FROM dog", "SELECT * FROM owner", "SELECT * FROM address", "SELECT name FROM dog WHERE owner_id > 3", "SELECT weight FROM dog",
	"SELECT avg(weight), max(owner_id) FROM dog", "SELECT id FROM dog ORDER BY weight, id LIMIT 3", "SELECT count(*) FROM owner",
	"SELECT T1.weight, T2.name FROM dog AS T1 JOIN owner AS T2 ON T1.owner_id = T2.owner_id", "SELECT place, count(*) FROM visit GROUP BY place",
	"SELECT name FROM dog WHERE id IN (SELECT dog_id FROM visit)", "SELECT owner_id FROM dog EXCEPT SELECT owner_id FROM owner WHERE name LIKE '%1%'",
	"SELECT T1.id FROM dog AS T1 JOIN visit AS T2 ON T1.id = T2.dog_id WHERE T2.place > 'p'", "SELECT city FROM address WHERE address_id NOT IN (SELECT owner_id FROM dog)",
	"SELECT address_id FROM owner WHERE owner_id = (SELECT max(owner_id) FROM dog)",
	"SELECT dog.weight, city FROM dog JOIN address ON dog.id = address.address_id ORDER BY dog.weight, city, dog.id",
}

// TestStructureRandom makes each edit on random rows: each query that the edit
// does not refuse has the same answer.
func TestStructureRandom(t *testing.T) {
	const seeds = 3
	compared := map[string]int{}
	for seed := range uint64(seeds) {
		dir := t.TempDir()
		src := filepath.Join(dir, "before.sqlite")
		tables := dataset.SQLiteTables(kennel())
		if err := sqlite.Create(t.Context(), src, tables, generate.Rows(tables, generate.Options{Seed: seed, Rows: 12})); err != nil {
			t.Fatal(err)
		}
		for i, edits := range [][]perturb.Edit{
			{dropWeight}, {shuffleDog}, {shuffleAll}, {splitName}, {mergeOwner}, {hidePrimary}, {hideForeign},
			{shuffleAll, splitName, dropWeight, add("visit", "note")}, {mergeOwner, dropWeight, shuffleDog},
		} {
			after, err := perturb.ApplySchema(kennel(), edits)
			if err != nil {
				t.Fatal(err)
			}
			dst := filepath.Join(dir, fmt.Sprint(i))
			if err := perturb.ApplyContent(t.Context(), src, dst, edits); err != nil {
				t.Fatal(err)
			}
			for _, query := range kennelQueries {
				ex := example(t, kennel(), query)
				now, err := perturb.RewriteGold(ex, edits, after)
				if _, ok := errors.AsType[*perturb.Refusal](err); ok {
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", query, err)
				}
				if !perturb.Holds(ex.Gold, perturbtest.Query(t, src, query), perturbtest.Query(t, dst, now)) {
					t.Errorf("%+v: the answer of %s changed under %s", edits, query, now)
				}
				compared[fmt.Sprintf("%T", edits[0])]++
			}
		}
	}
	for _, e := range []perturb.Edit{dropWeight, shuffleDog, shuffleAll, splitName, mergeOwner, hidePrimary, hideForeign} {
		if n := compared[fmt.Sprintf("%T", e)]; n < 5*seeds {
			t.Errorf("%T: %d answers were compared, expected more", e, n)
		}
	}
}

// TestStructureContent has the rows that a split and a merge lead to: both can be
// joined back.
func TestStructureContent(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "before.sqlite")
	tables := dataset.SQLiteTables(kennel())
	if err := sqlite.Create(t.Context(), src, tables, generate.Rows(tables, generate.Options{Seed: 1})); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		edit          perturb.Edit
		before, after string
	}{
		{splitName, "SELECT id, name FROM dog", "SELECT id, dog_name.name FROM dog LEFT JOIN dog_name ON dog.name_id = dog_name.name_id"},
		{
			mergeOwner, "SELECT dog.id, owner.name, owner.address_id FROM dog LEFT JOIN owner ON dog.owner_id = owner.owner_id",
			"SELECT id, owner_name, address_id FROM dog",
		},
	} {
		dst := filepath.Join(dir, fmt.Sprintf("%T", test.edit))
		if err := perturb.ApplyContent(t.Context(), src, dst, structure(test.edit)); err != nil {
			t.Fatal(err)
		}
		if before := perturbtest.Query(t, src, test.before); len(before.Rows) == 0 || !sqldata.EqualBag(before, perturbtest.Query(t, dst, test.after)) {
			t.Errorf("%T: rows differ", test.edit)
		}
	}
}

// TestContentFixed reads keys of which the schema knows one column only.
func TestContentFixed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kennel.sqlite")
	tables := dataset.SQLiteTables(kennel())
	tables[3].PrimaryKey = []string{"dog_id", "place"}
	if err := sqlite.Create(t.Context(), path, tables, nil); err != nil {
		t.Fatal(err)
	}
	content, err := perturb.OpenContent(t.Context(), kennel(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	keys, err := content.Fixed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for t, table := range kennel().Tables {
		for c, column := range table.Columns {
			if keys[dataset.ColumnRef{Table: t, Column: c}] {
				got = append(got, table.Original+"."+column.Original)
			}
		}
	}
	if diff := cmp.Diff([]string{"dog.id", "dog.owner_id", "owner.owner_id", "owner.address_id", "address.address_id", "visit.dog_id", "visit.place"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
