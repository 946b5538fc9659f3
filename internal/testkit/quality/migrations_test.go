//go:build quality

package quality

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/benchmark/given"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// TestMigrations builds migrations of five databases of Spider dev with rows: one of each statement, and one of twenty in a row.
// Every question is verified or rejected for a name that is gone, and every database works afterwards.
func TestMigrations(t *testing.T) {
	data, tabperturb := spiderData(t), command(t)
	schemas, err := dataset.DirSchemas(data, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	var report bytes.Buffer
	for _, id := range []string{"car_1", "concert_singer", "dog_kennels", "student_transcripts_tracking", "world_1"} {
		dir := t.TempDir()
		var files []string
		fmt.Fprintf(&report, "# %s\n", id)
		refused := map[string][]string{}
		for _, s := range migrationsOf(schemas[id]) {
			path := filepath.Join(dir, s.name+".sql")
			writeText(t, path, strings.Join(s.statements, ";\n"))
			_, err := given.Migration(path, schemas[id], func(err error) {
				_, what, _ := strings.Cut(err.Error(), ".sql:")
				refused["given/"+s.name] = append(refused["given/"+s.name], what)
			})
			if err != nil {
				fmt.Fprintf(&report, "%s: no edit: %s\n", s.name, strings.Join(refused["given/"+s.name], "; "))
				continue
			}
			files = append(files, path)
		}
		out := filepath.Join(dir, "out")
		m := built(t, tabperturb, "--data", data, "--only", id, "--migration", strings.Join(files, ","), "--databases", "full", "--out", out)
		for _, r := range m.Perturbations {
			if r.Verified+r.RejectedTotal() != r.Examples || r.RejectedTotal() != r.Rejected["uses-dropped"]+r.Rejected["star-shows-other-columns"]+r.Rejected["star-shows-added-column"] {
				t.Errorf("%s, %s: %d questions, %d verified, rejected %v", id, r.Name, r.Examples, r.Verified, r.Rejected)
			}
			fmt.Fprintf(&report, "%s: %d of %d verified, rejected %v, statements refused %q\n", r.Name, r.Verified, r.Examples, r.Rejected, refused[r.Name])
			works(t, filepath.Join(out, r.Name, "post", "database", "*", "*.sqlite"))
		}
	}
	golden(t, "migrations", report.String())
}

// migration is a script with a name.
type migration struct {
	name       string
	statements []string
}

// migrationsOf returns a script of each statement for the two tables of a schema with most columns outside keys, and one of twenty
// statements.
func migrationsOf(db *dataset.Database) []migration {
	quote := sqldata.QuoteName
	free := map[int][]string{} // columns that are in no key
	tables := []int{}
	for ref := range db.AllColumns() {
		if perturb.IsReserved(db.Tables[ref.Table].Original) {
			continue
		}
		if len(tables) == 0 || tables[len(tables)-1] != ref.Table {
			tables = append(tables, ref.Table)
		}
		if !perturb.IsKey(db, ref) {
			free[ref.Table] = append(free[ref.Table], quote(db.Column(ref).Original))
		}
	}
	slices.SortStableFunc(tables, func(x, y int) int { return len(free[y]) - len(free[x]) })
	a, b, last := quote(db.Tables[tables[0]].Original), quote(db.Tables[tables[1]].Original), quote(db.Tables[tables[len(tables)-1]].Original)
	c := free[tables[0]]
	columns := lists.Map(db.Tables[tables[1]].Columns, func(c dataset.Column) string { return quote(c.Original) })
	copied := slices.Clone(columns)
	copied[len(copied)-1] += " AS renamed_column"
	rename := []string{"ALTER TABLE " + a + " RENAME COLUMN " + c[0] + " TO first_name_given", "ALTER TABLE IF EXISTS ONLY public." + a + " RENAME first_name_given TO first_given"}
	swap := []string{"ALTER TABLE " + a + " RENAME " + c[1] + " TO t", "ALTER TABLE " + a + " RENAME " + c[2] + " TO " + c[1], "ALTER TABLE " + a + " RENAME t TO " + c[2]}
	add := []string{"ALTER TABLE " + a + " ADD COLUMN IF NOT EXISTS note character varying(20) DEFAULT 'a;b'::text NOT NULL, ADD COLUMN number_of integer", "ALTER TABLE " + a + " ADD k INTEGER DEFAULT 7"}
	drop, dropTable := []string{"ALTER TABLE " + a + " DROP COLUMN " + c[3]}, []string{"DROP TABLE IF EXISTS " + last + " CASCADE"}
	rebuild := []string{"BEGIN", "CREATE TABLE new_table AS SELECT " + strings.Join(copied, ", ") + " FROM " + b, "DROP TABLE " + b, "ALTER TABLE new_table RENAME TO " + b, "COMMIT"}
	tableName := []string{"ALTER TABLE " + a + " RENAME TO a_table_of_v2", "ALTER TABLE " + b + " RENAME TO " + a, "ALTER TABLE a_table_of_v2 RENAME TO " + b}
	more := []string{"ALTER TABLE " + a + " ADD COLUMN created timestamp", "ALTER TABLE " + a + " RENAME COLUMN created TO created_at", "ALTER TABLE " + a + " ADD gone int", "ALTER TABLE " + a + " DROP gone",
		"ALTER TABLE " + a + " RENAME COLUMN created_at TO made_at", "ALTER TABLE " + b + " ADD COLUMN made_at timestamp"}
	return []migration{
		{"rename_table", tableName}, {"rename_column", rename}, {"swap_columns", swap}, {"add_column", add}, {"drop_column", drop}, {"drop_table", dropTable}, {"rebuild", rebuild},
		{"column_type", []string{"ALTER TABLE " + a + " ALTER COLUMN " + c[0] + " TYPE text"}},
		{"create_table", []string{"CREATE TABLE copy_of AS SELECT * FROM " + a}}, {"create_view", []string{"CREATE VIEW view_of AS SELECT * FROM " + a}},
		{"insert_select", []string{"INSERT INTO " + a + " SELECT * FROM " + a}},
		{"twenty", slices.Concat(rename, swap, add, drop, rebuild[1:4], dropTable, tableName, more)},
	}
}

// works checks that the databases of a pattern are sound and that every table and view can be read.
func works(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no database (%v)", pattern, err)
	}
	for _, file := range files {
		if problems, err := sqlite.Integrity(t.Context(), file, time.Minute); err != nil || len(problems) > 0 {
			t.Errorf("%s: %q, %v", file, problems, err)
		}
		db, err := sqlite.Open(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := db.Query(context.Background(), "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')", sqldata.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range objects.Rows {
			if _, err := db.Query(context.Background(), "SELECT * FROM "+sqldata.QuoteName(row[0].Bytes())+" LIMIT 1", sqldata.Limits{}); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		db.Close()
	}
}
