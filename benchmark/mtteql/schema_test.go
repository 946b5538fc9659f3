package mtteql

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// TestSchema covers some examples of each unit: they share the databases, which are
// what there is to see.
func TestSchema(t *testing.T) {
	perturbtest.GoldenAll(t, Schema, func(pass *perturb.Pass) { pass.Examples = pass.Examples[:5] })
}

func TestSchemaValid(t *testing.T) {
	if err := perturb.Validate(Schema); err != nil {
		t.Error(err)
	}
}

// rentals is a schema of cars, their makers and owners.
func rentals() *dataset.Database {
	db := &dataset.Database{ID: "rentals"}
	for _, line := range []string{
		"car: car id number, maker id number, color text, order text, weight number", "maker: maker id number, name text, country text",
		"owner: owner id number, name text, car id number", "sqlite_sequence: name text, seq text",
	} {
		name, columns, _ := strings.Cut(line, ": ")
		table := dataset.Table{Name: name, Original: name}
		for c := range strings.SplitSeq(columns, ", ") {
			i := strings.LastIndex(c, " ")
			table.Columns = append(table.Columns, dataset.Column{Name: c[:i], Original: strings.ReplaceAll(c[:i], " ", "_"), Type: dataset.Type(c[i+1:])})
		}
		db.Tables = append(db.Tables, table)
	}
	at := func(t, c int) dataset.ColumnRef { return dataset.ColumnRef{Table: t, Column: c} }
	db.PrimaryKeys = []dataset.ColumnRef{at(0, 0), at(1, 0), at(2, 0)}
	db.ForeignKeys = []dataset.ForeignKey{{Column: at(0, 1), Target: at(1, 0)}, {Column: at(2, 2), Target: at(0, 0)}}
	return db
}

// schemaExample returns an example whose question is asked of its gold SQL.
func schemaExample(t *testing.T, db *dataset.Database, index int, question, query string) *perturb.Example {
	t.Helper()
	ex, err := perturb.NewExample(db, &dataset.Example{Index: index, DB: db.ID, Question: question, Query: query})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return ex
}

// told writes an edit in few words.
func told(e perturb.Edit) string {
	switch e := e.(type) {
	case perturb.SplitTable:
		return fmt.Sprintf("%s.%s to %s by %s", e.Table, e.Column, e.NewTable, e.Key)
	case perturb.MergeTables:
		names := ""
		for _, c := range e.Columns {
			names += " " + c.Name
		}
		return fmt.Sprintf("%s into %s:%s", e.Reference, e.Table, names)
	case perturb.DropPrimaryKey:
		return e.Table
	case perturb.DropForeignKey:
		return fmt.Sprintf("%s.%s>%s.%s", e.Table, e.Column, e.Reference, e.Target)
	case perturb.DropColumn:
		return e.Table + "." + e.Column
	case perturb.RenameColumn:
		return fmt.Sprintf("%s.%s to %s", e.Table, e.Column, e.Name)
	case perturb.AddColumn:
		return e.Table + "." + e.Name
	case perturb.ShuffleColumns:
		return e.Table
	}
	return fmt.Sprintf("%T", e)
}

func changesOf(variants []perturb.Variant) (out []string) {
	for _, v := range variants {
		out = append(out, told(v.Edits[0]))
	}
	return out
}

// smallResources has a word or two of each kind.
func smallResources(t *testing.T) perturb.Resources {
	t.Helper()
	d, err := lexicon.ReadThesaurus("test", strings.NewReader("color: hue, paint\nname: title, car\ncountry: nation\nweight: weight class"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	a, err := lexicon.ReadAttributes("test", strings.NewReader(
		"car\n- weight number: 1..3\n- hue text: x\n- country text: y\n- engine size number: 1..3\n- color code text: z\n- order text: o\n\nowner\n- debut text: x\n"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return perturb.Resources{Dictionary: d, Attributes: func() *lexicon.Attributes { return a }, Domains: lexicon.DefaultDomainWords(), Headings: heading.Default}
}

// TestPermits has what each relation changes for one example.
func TestPermits(t *testing.T) {
	const plain = "SELECT count(*) FROM car"
	for _, test := range []struct {
		p               *perturb.Perturbation
		question, query string
		want            []string
	}{
		{ColumnRemoval, "?", plain, []string{"car.color", "car.order", "car.weight", "maker.name", "maker.country", "owner.name"}},
		{ColumnRemoval, "?", "SELECT color FROM car WHERE \"order\" > 3", []string{"car.weight", "maker.name", "maker.country", "owner.name"}},
		{ColumnRemoval, "?", "SELECT 'color' FROM car", []string{"car.color", "car.order", "car.weight", "maker.name", "maker.country", "owner.name"}},
		{ColumnRemoval, "?", "SELECT * FROM car", []string{"maker.name", "maker.country", "owner.name"}},
		{ColumnRemoval, "?", "SELECT T1.*, T2.name FROM car AS T1 JOIN maker AS T2 ON T1.maker_id = T2.maker_id", []string{"maker.country", "owner.name"}},
		{ColumnRemoval, "?", "SELECT seq FROM car NATURAL JOIN maker JOIN sqlite_sequence", []string{"owner.name"}},
		{ColumnRemoval, "?", "SELECT color FROM car JOIN maker USING (maker_id)", []string{"owner.name"}},
		{Normalization, "?", "SELECT weight FROM car", []string{
			"car.color to color by color_id", "car.order to car_order by order_id", "maker.name to name by name_id", "maker.country to country by country_id", "owner.name to name by name_id",
		}},
		{Flattening, "?", plain, []string{"maker into car: maker_name maker_country"}},
		{Flattening, "?", "SELECT name FROM owner", []string{"maker into car: maker_name maker_country", "car into owner: car_maker_id car_color car_order car_weight"}},
		{Flattening, "?", "SELECT * FROM owner", []string{"maker into car: maker_name maker_country"}},
		{Flattening, "?", "SELECT count(*) FROM maker JOIN car", nil},
		{OpaqueKey, "?", "SELECT * FROM car JOIN maker ON car.maker_id = maker.maker_id", []string{"car", "maker", "owner", "car.maker_id>maker.maker_id", "owner.car_id>car.car_id"}},
		{TableShuffle, "?", "SELECT * FROM car", slices.Repeat([]string{"perturb.ShuffleTables"}, 9)},
		{ColumnShuffle, "?", "SELECT * FROM owner", []string{"car", "car", "car", "maker", "maker", "maker", "sqlite_sequence"}},
		// 10 fit and 9 are drawn, keys that are tied to one of the same name last.
		{ColumnRenaming, "?", plain, []string{
			"car.color to colour", "car.weight to car_weight", "maker.maker_id to manufacturer_id", "maker.name to maker_name", "maker.country to nation", "owner.owner_id to owner_no", "owner.owner_id to owner_identifier", "owner.name to owner_name", "owner.car_id to automobile_id",
		}},
		{ColumnRenaming, "What colours are there?", "SELECT country FROM maker", []string{
			"car.car_id to automobile_id", "car.maker_id to manufacturer_id", "car.weight to car_weight", "maker.maker_id to manufacturer_id", "maker.name to maker_name", "owner.owner_id to owner_no", "owner.owner_id to owner_identifier", "owner.name to owner_name", "owner.car_id to automobile_id",
		}},
		{ColumnRenaming, "?", "SELECT * FROM maker", []string{
			"car.car_id to automobile_id", "car.maker_id to manufacturer_id", "car.color to colour", "car.weight to car_weight", "owner.owner_id to owner_no", "owner.owner_id to owner_identifier", "owner.name to owner_name", "owner.car_id to automobile_id",
		}},
		{ColumnInsertion, "?", plain, []string{"car.engine_size"}},
		{ColumnInsertion, "What is the size of the engines?", plain, nil},
		{ColumnInsertion, "?", "SELECT * FROM car", nil},
	} {
		db := rentals()
		pass := perturbtest.NewPass(t, test.p, db, []*perturb.Example{schemaExample(t, db, 0, test.question, test.query)}, 9, 1)
		pass.Resources = smallResources(t)
		variants, rejected := perturbtest.RunPass(t, test.p, pass)
		if diff := cmp.Diff(test.want, changesOf(variants)); diff != "" {
			t.Errorf("%s: %s %s (-want +got):\n%s", test.p.Name, test.question, test.query, diff)
		}
		if (len(rejected) > 0) != (len(test.want) == 0) {
			t.Errorf("%s: %s: rejected %v", test.p.Name, test.query, rejected)
		}
	}
}

// TestDrawsLast checks that a column of the rows' own names is dropped only where nothing else can be.
func TestDrawsLast(t *testing.T) {
	db := rentals()
	pass := perturbtest.NewPass(t, ColumnRemoval, db, []*perturb.Example{schemaExample(t, db, 0, "?", "SELECT count(*) FROM car")}, 4, 1)
	variants, _ := perturbtest.RunPass(t, ColumnRemoval, pass)
	want := []string{"car.color", "car.order", "car.weight", "maker.country"}
	if diff := cmp.Diff(want, changesOf(variants)); diff != "" {
		t.Errorf("four columns that go first (-want +got):\n%s", diff)
	}
}

// TestDraws checks what the relations share: samples are counted from 0 for each
// example, an example takes no change twice and keeps its draws whatever other
// examples there are, and a cap leaves out at random.
func TestDraws(t *testing.T) {
	db := rentals()
	var all []*perturb.Example
	for i, query := range []string{"SELECT color FROM car", "SELECT * FROM maker", "SELECT weight FROM car", "SELECT count(*) FROM owner", "SELECT weight FROM car"} {
		all = append(all, schemaExample(t, db, i, fmt.Sprint("question ", i), query))
	}
	for _, p := range Schema {
		for _, samples := range []int{1, 3, 50} {
			variants, _ := perturbtest.Run(t, p, db, all, nil, samples, 1)
			alone, _ := perturbtest.Run(t, p, db, all[2:3], nil, samples, 1)
			drawn := map[int]map[int]string{} // by example and sample
			for _, v := range variants {
				data, err := perturb.MarshalEdits(v.Edits)
				if err != nil {
					t.Fatal(err)
				}
				for _, ex := range v.Examples {
					of := drawn[ex.Index]
					if of == nil {
						of = map[int]string{}
						drawn[ex.Index] = of
					}
					if of[v.Sample] != "" || v.Sample >= samples {
						t.Errorf("%s: sample %d of example %d is there twice, or more than %d", p.Name, v.Sample, ex.Index, samples)
					}
					for _, other := range of {
						if other == string(data) {
							t.Errorf("%s: example %d has %s twice", p.Name, ex.Index, data)
						}
					}
					of[v.Sample] = string(data)
				}
			}
			for index, of := range drawn {
				for sample := range len(of) {
					if of[sample] == "" {
						t.Errorf("%s: example %d has %d variants, and none of sample %d", p.Name, index, len(of), sample)
					}
				}
			}
			if len(alone) != len(drawn[2]) {
				t.Errorf("%s: %d variants of an example alone, %d beside others", p.Name, len(alone), len(drawn[2]))
			}
			for _, v := range alone {
				if data, _ := perturb.MarshalEdits(v.Edits); drawn[2][v.Sample] != string(data) {
					t.Errorf("%s: alone, sample %d is %s, beside others %s", p.Name, v.Sample, data, drawn[2][v.Sample])
				}
			}
		}
	}
}

func TestBacked(t *testing.T) {
	db := rentals()
	pass := perturbtest.NewPass(t, ColumnInsertion, db, []*perturb.Example{schemaExample(t, db, 0, "?", "SELECT count(*) FROM maker")}, 1, 1)
	a, err := lexicon.ReadAttributes("test", strings.NewReader("car\n- weight number: 1..3\n- doors number: 1..9\n- seats number: 1..3\n- engine text: z\n- top speed number: 1..9\n"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	pass.Attributes = func() *lexicon.Attributes { return a }
	pass.Buckets = dataset.Buckets{dataset.ColumnID{DB: db.ID, Table: "car", Column: "color"}: {Add: []dataset.Candidate{
		{Name: "seat", Source: "retrieval"}, {Name: "engine", Source: "dictionary"},
	}}}
	variants, _ := perturbtest.RunPass(t, ColumnInsertion, pass)
	if diff := cmp.Diff([]string{"car.seats"}, changesOf(variants)); diff != "" {
		t.Errorf("the one column that a similar table has (-want +got):\n%s", diff)
	}
}

// TestFlatteningKeepsRows draws the one flattening that loses no row: a car has each maker, but no owner has each car.
func TestFlatteningKeepsRows(t *testing.T) {
	db := rentals()
	db.Tables = db.Tables[:3]
	db.SQLite = filepath.Join(t.TempDir(), "rentals.sqlite")
	number, text := sqldata.NewInt, sqldata.NewText
	rows := [][][]sqldata.Value{
		{{number(1), number(1), text("red"), text("a"), number(9)}, {number(2), number(1), text("blue"), text("b"), number(8)}},
		{{number(1), text("Saab"), text("Sweden")}},
		{{number(1), text("Ann"), number(1)}},
	}
	if err := sqlite.CreateCompact(t.Context(), db.SQLite, sqlite.NewLayout(dataset.SQLiteTables(db)), rows); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		variants, _ := perturbtest.Run(t, Flattening, db, []*perturb.Example{schemaExample(t, db, 0, "?", "SELECT name FROM owner")}, nil, 1, seed)
		if diff := cmp.Diff([]string{"maker into car: maker_name maker_country"}, changesOf(variants)); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

// TestKeptByFile: a column in a CHECK of its table or in an index of expressions, which
// SQLite keeps, is neither removed nor moved; another one is.
func TestKeptByFile(t *testing.T) {
	db := &dataset.Database{ID: "shop", SQLite: filepath.Join(t.TempDir(), "shop.sqlite"), Tables: []dataset.Table{{Name: "item", Original: "item"}}}
	for _, name := range []string{"name", "low", "high", "note"} {
		db.Tables[0].Columns = append(db.Tables[0].Columns, dataset.Column{Name: name, Original: name})
	}
	layout := sqlite.NewLayout(dataset.SQLiteTables(db))
	layout.Tables[0].SQL = "CREATE TABLE item (name TEXT, low REAL, high REAL, note TEXT, CHECK (low < high))"
	if err := sqlite.CreateCompact(t.Context(), db.SQLite, layout, make([][][]sqldata.Value, 1)); err != nil {
		t.Fatal(err)
	}
	examples := []*perturb.Example{schemaExample(t, db, 0, "Which names are there?", "SELECT name FROM item")}
	for _, p := range []*perturb.Perturbation{ColumnRemoval, Normalization} {
		variants, _ := perturbtest.Run(t, p, db, examples, nil, 8, 1)
		var got []string
		for _, v := range variants {
			got = append(got, told(v.Edits[0]))
		}
		if len(got) != 1 || !strings.Contains(got[0], "note") {
			t.Errorf("%s: %q, expected the note alone", p.Name, got)
		}
	}
}

// TestLacks runs each relation without any resource.
func TestLacks(t *testing.T) {
	for _, p := range Schema {
		db := rentals()
		pass := perturbtest.NewPass(t, p, db, []*perturb.Example{schemaExample(t, db, 0, "?", "SELECT count(*) FROM car")}, 2, 1)
		pass.Resources = perturb.Resources{}
		variants, rejected := perturbtest.RunPass(t, p, pass)
		needs := map[*perturb.Perturbation]perturb.Reason{
			ColumnRenaming: "no-synonyms-or-buckets", ColumnInsertion: "no-attributes",
		}[p]
		if needs == "" && len(variants) == 0 || needs != "" && (len(rejected) != 1 || rejected[0].Reason != needs) {
			t.Errorf("%s: %d variants, rejected %v", p.Name, len(variants), rejected)
		}
	}
}

// TestMisfit has a schema whose natural names belong to other tables, as in one of
// Spider's: identifiers go by identifiers, and what cannot be had is left out.
func TestMisfit(t *testing.T) {
	db := rentals()
	db.Tables[1].Name, db.Tables[3].Name = "sqlite sequence", "maker"
	examples := []*perturb.Example{schemaExample(t, db, 0, "?", "SELECT name FROM owner")}
	variants, _ := perturbtest.Run(t, Flattening, db, examples, nil, 5, 1)
	if diff := cmp.Diff([]string{"maker into car: maker_name maker_country", "car into owner: car_maker_id car_color car_order car_weight"}, changesOf(variants)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, p := range Schema {
		variants, _ := perturbtest.Run(t, p, db, examples, nil, 20, 1)
		for _, v := range variants {
			if _, err := perturb.ApplySchema(db, v.Edits); err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
		}
	}
}
