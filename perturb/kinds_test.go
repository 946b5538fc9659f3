package perturb_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// kindExamples has an edit of [kennel] or of questionOfKennel for every kind.
var kindExamples = []perturb.Edit{
	perturb.RenameColumn{Table: "dog", Column: "name", Name: "call_name", Natural: "call name"},
	perturb.RenameTable{Table: "dog", Name: "hound", Natural: "hound"},
	perturb.Relabel{Table: "dog", Column: "name", Natural: "call name"},
	perturb.AddColumn{Table: "owner", Beside: "name", Name: "weight", Natural: "weight", Type: dataset.Number, Cells: []string{"1", "2"}},
	perturb.RecodeColumn{Recoding: recode.Recoding{
		Table: "dog", Column: "weight", Category: recode.NumberToNumber, Map: recode.Map{Linear: &recode.Linear{Scale: 1000, Digits: 2}},
		Into: []recode.Column{{Name: "grams", Natural: "grams", Type: dataset.Number}},
	}},
	dropWeight, perturb.DropTable{Table: "owner"}, shuffleDog, shuffleAll, splitName, mergeOwner, splitWeight, mergeDog, divideDog, addPrize,
	hidePrimary, hideForeign,
	perturb.ReplaceSpan{Start: 0, End: 4, Was: "Name", With: "List"},
	perturb.SetQuestion{Question: "Which dogs weigh more than 10?"},
	perturb.RewriteSQL{Query: "SELECT id FROM dog", Was: "name", Now: "id"},
}

const questionOfKennel = "Name the dogs that weigh more than 10, with their owners."

// goldOfKennel use the columns that the edits change, in more and more of them.
var goldOfKennel = []string{
	"SELECT id FROM dog ORDER BY id",
	"SELECT name FROM dog ORDER BY id",
	"SELECT name FROM dog WHERE weight > 10 ORDER BY id",
	"SELECT T1.name, T2.name FROM dog AS T1 JOIN owner AS T2 ON T1.owner_id = T2.owner_id WHERE weight > 10 ORDER BY id",
}

// TestKinds checks that every kind of edit has a doc, a relation, an example in kindExamples and
// what the example does in testdata/kinds.golden.
func TestKinds(t *testing.T) {
	docs := typeDocs(t)
	file := kennelFile(t)
	var out bytes.Buffer
	for i, op := range perturb.Ops() {
		if op == "" || slices.Contains(perturb.Ops()[:i], op) {
			t.Errorf("kind %d is called %q in JSON, expected a name that no other kind has", i, op)
		}
		at := slices.IndexFunc(kindExamples, func(e perturb.Edit) bool { return perturb.Op(e) == op })
		if at < 0 {
			t.Errorf("%s has no edit in kindExamples, expected one", op)
			continue
		}
		e := kindExamples[at]
		name := strings.TrimPrefix(fmt.Sprintf("%T", e), "perturb.")
		if !strings.HasPrefix(docs[name], name+" ") {
			t.Errorf("type %s of %s has the comment %q, expected one that says what the edit does", name, op, docs[name])
		}
		fmt.Fprintln(&out, op)
		describeKind(t, &out, e, file)
	}
	if len(kindExamples) != len(perturb.Ops()) {
		t.Errorf("kindExamples has %d edits, expected one of each of %d kinds", len(kindExamples), len(perturb.Ops()))
	}
	perturbtest.Compare(t, filepath.Join("testdata", "kinds.golden"), out.Bytes())
}

// typeDocs returns the comments of the package's types.
func typeDocs(t *testing.T) map[string]string {
	docs := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE && len(g.Specs) == 1 {
				docs[g.Specs[0].(*ast.TypeSpec).Name.Name] = g.Doc.Text()
			}
		}
	}
	return docs
}

// kennelFile writes rows for [kennel] and returns the file.
func kennelFile(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "kennel.sqlite")
	n, s := sqldata.NewInt, sqldata.NewText
	rows := [][][]sqldata.Value{
		{{n(1), n(1), s("Rex"), s("20")}, {n(2), n(2), s("Bob"), s("05")}},
		{{n(1), s("Ann"), n(1)}, {n(2), s("Eve"), n(1)}},
		{{n(1), s("Oslo")}},
		{{n(1), s("park")}},
	}
	if err := sqlite.Create(t.Context(), file, dataset.SQLiteTables(kennel()), rows); err != nil {
		t.Fatal(err)
	}
	return file
}

// describeKind writes all that an edit does by itself.
func describeKind(t *testing.T, out *bytes.Buffer, e perturb.Edit, file string) {
	edits := []perturb.Edit{e}
	data, err := perturb.MarshalEdits(edits)
	if err != nil {
		t.Fatal(err)
	}
	var allowed []perturb.Relation
	for _, r := range perturb.Relations {
		if r.Allows(edits) == nil {
			allowed = append(allowed, r)
			checkReplay(t, r, edits, data)
		}
	}
	if len(allowed) == 0 {
		t.Errorf("%s goes with no relation, expected one", perturb.Op(e))
	}
	table, column := e.Touches()
	names := perturb.NamesAfter(edits)
	newTable, newColumn := names.After("dog", "name")
	fmt.Fprintf(out, "  json      %s\n  relations %s\n  touches   %q %q, removes it: %v\n  names     dog.name is %s.%s, links follow: %v\n",
		data, allowed, table, column, e.RemovesColumn(), newTable, newColumn, e.CarriesLinks())
	after := schemaAfter(t, e)
	fmt.Fprintf(out, "  schema    %s\n", strings.ReplaceAll(layout(after), "\n", " "))
	fmt.Fprintf(out, "  labels    %s\n", strings.Join(labels(after), ", "))
	question, err := perturb.ApplyQuestion(questionOfKennel, edits)
	if err != nil {
		t.Fatalf("%s: %v", perturb.Op(e), err)
	}
	fmt.Fprintf(out, "  question  %s\n", question)
	dst := filepath.Join(t.TempDir(), "after.sqlite")
	if err := perturb.ApplyContent(t.Context(), file, dst, edits); err != nil {
		t.Fatalf("%s: %v", perturb.Op(e), err)
	}
	draft, err := perturb.DraftContent(t.Context(), file, edits)
	if err != nil {
		t.Fatalf("%s: %v", perturb.Op(e), err)
	}
	defer draft.Close()
	fmt.Fprintf(out, "  content   changes: %v\n", perturb.ChangesContent(edits))
	for _, query := range goldOfKennel {
		describeGold(t, out, query, edits, after, dst)
	}
	fmt.Fprintln(out)
}

// schemaAfter returns [kennel] after an edit. It checks that the edit leaves the schema before it
// alone, that ChangesSchema reports what it does, and that an edit of an unknown table or column
// is an error.
func schemaAfter(t *testing.T, e perturb.Edit) *dataset.Database {
	op, edits, before := perturb.Op(e), []perturb.Edit{e}, kennel()
	after, err := perturb.ApplySchema(before, edits)
	if err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	if diff := cmp.Diff(kennel(), before); diff != "" {
		t.Errorf("%s changes the schema before it (-want +got):\n%s", op, diff)
	}
	if e.ChangesSchema() != (after.ID != before.ID) {
		t.Errorf("%s: ChangesSchema is %v, the id of the schema after it %s", op, e.ChangesSchema(), after.ID)
	}
	same := *after
	same.ID = before.ID
	if changed := !cmp.Equal(before, &same); e.ChangesSchema() != (changed || perturb.ChangesContent(edits)) {
		t.Errorf("%s: ChangesSchema is %v, schema changed: %v", op, e.ChangesSchema(), changed)
	}
	table, column := e.Touches()
	for _, lack := range []func(*dataset.Table){func(t *dataset.Table) { t.Original = "unknown" }, func(t *dataset.Table) {
		for i := range t.Columns {
			if t.Columns[i].Original == column {
				t.Columns[i].Original = "unknown"
			}
		}
	}} {
		other := kennel()
		i := slices.IndexFunc(other.Tables, func(t dataset.Table) bool { return t.Original == table })
		if i < 0 {
			return after // the edit is of the whole schema
		}
		if lack(&other.Tables[i]); cmp.Equal(other, before) {
			continue // it is of a whole table
		}
		if _, err := perturb.ApplySchema(other, edits); err == nil {
			t.Errorf("%s of %s.%s is made where the schema has it not, expected an error", op, table, column)
		}
	}
	return after
}

// labels returns the names of tables and columns as people read them.
func labels(db *dataset.Database) []string {
	var out []string
	for _, table := range db.Tables {
		out = append(out, table.Name)
		for _, c := range table.Columns {
			out = append(out, table.Name+"."+c.Name)
		}
	}
	return out
}

// describeGold writes a query and its answer after edits, and checks that the answer is the
// expected one unless the edits rewrite the query.
func describeGold(t *testing.T, out *bytes.Buffer, query string, edits []perturb.Edit, after *dataset.Database, file string) {
	ex := example(t, kennel(), query)
	gold, err := perturb.RewriteGold(ex, edits, after)
	if r, ok := errors.AsType[*perturb.Refusal](err); ok {
		fmt.Fprintf(out, "  gold SQL  %s → refused, %s\n", query, r.Reason)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := perturb.NewExample(after, &dataset.Example{DB: after.ID, Query: gold}); err != nil {
		fmt.Fprintf(out, "  gold SQL  %s → %v\n", query, err) // it uses a dropped column
		return
	}
	before := perturbtest.Query(t, kennelFile(t), query)
	want, err := perturb.Expected(ex, edits, before)
	if err != nil {
		t.Fatal(err)
	}
	got := perturbtest.Query(t, file, gold)
	if perturb.Retargeted.Allows(edits) != nil && !perturb.Holds(ex.Gold, want, got) {
		t.Errorf("%s answers %v, expected %v", gold, got.Rows, want.Rows)
	}
	fmt.Fprintf(out, "  gold SQL  %s → %s\n", query, gold)
}

// checkReplay reads a recorded edit and compares it with the one that was recorded.
func checkReplay(t *testing.T, r perturb.Relation, edits []perturb.Edit, data []byte) {
	head := fmt.Sprintf(`{"name":"a/b","doc":"d","paper":"p","relation":%q}`, r)
	line := fmt.Sprintf(`{"db_id":"kennel","example":0,"edits":%s}`, data)
	problems := func(err error) { t.Errorf("replay of %s: %v", data, err) }
	p, err := perturb.ReadReplay("edits.jsonl", strings.NewReader(head+"\n"+line+"\n"), problems)
	if err != nil {
		t.Fatal(err)
	}
	ex, err := perturb.NewExample(kennel(), &dataset.Example{DB: "kennel", Question: questionOfKennel, Query: goldOfKennel[0]})
	if err != nil {
		t.Fatal(err)
	}
	variants, _ := perturbtest.Run(t, p.Perturbation, kennel(), []*perturb.Example{ex}, nil, 1, 1)
	if len(variants) != 1 {
		t.Fatalf("replay of %s gives %d variants, expected 1", data, len(variants))
	}
	if diff := cmp.Diff(edits, variants[0].Edits); diff != "" {
		t.Errorf("replay (-want +got):\n%s", diff)
	}
}

// TestKindsListed checks that every type that embeds EditDefaults is in the list of kinds.
func TestKindsListed(t *testing.T) {
	ops := map[string]bool{}
	for _, e := range kindExamples {
		ops[fmt.Sprintf("%T", e)] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`type (\w+) struct \{\n\tEditDefaults\n`).FindAllSubmatch(data, -1) {
			if name := string(match[1]); !ops["perturb."+name] {
				t.Errorf("%s: %s is in no list, expected it in kinds and kindExamples", file, name)
			}
		}
	}
}
