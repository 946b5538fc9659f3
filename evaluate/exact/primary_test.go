package exact

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// TestKeysHaveNoNull queries Spider's databases for what strict mode takes for granted: no column of a primary key
// in tables.json holds NULL, although the files allow it in many.
func TestKeysHaveNoNull(t *testing.T) {
	keys, allowed := 0, 0
	dirs := []string{shared.Untar(t, "data", "spider", "databases_dev.tar.gz"), shared.Untar(t, "data", "spider", "databases_train.tar.gz")}
	err := dataset.ReadTables(shared.File(t, "data", "spider", "tables.json"), func(err error) { t.Log(err) }, func(d *dataset.Database) error {
		for _, dir := range dirs {
			path := filepath.Join(dir, "database", d.ID, d.ID+".sqlite")
			if !dataset.IsFile(path) {
				continue
			}
			db, err := sqlite.Open(t.Context(), path)
			if err != nil {
				return err
			}
			defer db.Close()
			layout, err := sqlite.ReadLayout(t.Context(), path)
			if err != nil {
				return err
			}
			for _, key := range d.PrimaryKeys {
				table, column := d.Tables[key.Table].Original, d.Column(key).Original
				res, err := db.Query(t.Context(), fmt.Sprintf("SELECT count(*) FROM %s WHERE %s IS NULL", sqldata.QuoteName(table), sqldata.QuoteName(column)), sqldata.Limits{})
				if err != nil {
					t.Logf("%s: %v", d.ID, err)
					continue
				}
				keys++
				if n := res.Rows[0][0].Int(); n > 0 {
					t.Errorf("%s: %s.%s holds %d NULL", d.ID, table, column, n)
				}
				allowed += allowsNull(layout, table, column)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if keys != 774 || allowed != 358 {
		t.Errorf("%d columns of primary keys, of which %d may hold NULL, expected 774 and 358", keys, allowed)
	}
}

// allowsNull returns 1 if the CREATE TABLE of a table with row ids lets a column hold NULL, else 0.
func allowsNull(l sqlite.Layout, table, column string) int {
	for _, t := range l.Tables {
		for i, c := range t.Columns {
			isRowID := len(t.PrimaryKey) == 1 && strings.EqualFold(c.Type, "INTEGER")
			if strings.EqualFold(t.Name, table) && strings.EqualFold(c.Name, column) && !t.NotNull[i] && !isRowID {
				return 1
			}
		}
	}
	return 0
}

// TestKeysWithNull judges pairs that match because a key has no NULL, and runs them where it has none and where it has.
func TestKeysWithNull(t *testing.T) {
	db := school()
	db.Tables[1].Columns[0].Type = dataset.Text // SQLite gives an INTEGER PRIMARY KEY a number for NULL
	pairs := [][2]string{
		{"SELECT count(code) FROM course", "SELECT count(*) FROM course"},
		{"SELECT name FROM student LEFT JOIN course ON grade = credits WHERE code IS NULL", "SELECT name FROM student WHERE NOT EXISTS (SELECT 1 FROM course WHERE grade = credits)"},
	}
	s, contents := NewSchema(db), newContents(t, db)
	for _, p := range pairs {
		if !s.Gold(p[0]).Judge(p[1], true).Match {
			t.Errorf("no match:\n%s\n%s", p[0], p[1])
		}
		if n := contents.differ(t, p); n > 0 {
			t.Errorf("%d databases without NULL in a key tell apart\n%s\n%s", n, p[0], p[1])
		}
	}
	for _, rows := range contents.rows {
		rows[1][0][0] = sqldata.Value{}
	}
	for _, p := range pairs {
		if n := contents.differ(t, p); n == 0 {
			t.Errorf("no database with NULL in a key tells apart\n%s\n%s", p[0], p[1])
		}
	}
}

// TestDeclare judges pairs that match because a table declares NOT NULL columns and a key, and runs them where the
// rows fulfil that and where they do not.
func TestDeclare(t *testing.T) {
	db := school()
	pairs := [][2]string{
		{"SELECT name FROM student WHERE id NOT IN (SELECT student_id FROM enrol)", "SELECT name FROM student WHERE NOT EXISTS (SELECT 1 FROM enrol WHERE student_id = id)"},
		{"SELECT student_id, course_code FROM enrol WHERE mark = 1 OR mark = 2", "SELECT student_id, course_code FROM enrol WHERE mark = 1 UNION SELECT student_id, course_code FROM enrol WHERE mark = 2"},
		{"SELECT mark, count(course_code) FROM enrol GROUP BY mark", "SELECT mark, count(*) FROM enrol GROUP BY mark"},
		{"SELECT student_id FROM enrol WHERE mark = 1 INTERSECT SELECT student_id FROM enrol WHERE mark = 2", "SELECT DISTINCT a.student_id FROM enrol AS a JOIN enrol AS b ON a.student_id = b.student_id WHERE a.mark = 1 AND b.mark = 2"},
	}
	plain, s, contents := NewSchema(db), NewSchema(db), newContents(t, db)
	s.Declare("Enrol", []string{"Student_ID", "course_code"}, [][]string{{"student_id", "course_code"}, {"mark"}})
	for _, p := range pairs {
		if n := contents.differ(t, p); n == 0 || plain.Gold(p[0]).Judge(p[1], true).Match {
			t.Errorf("match without constraints, or %d databases tell apart\n%s\n%s", n, p[0], p[1])
		}
	}
	for _, rows := range contents.rows {
		seen := map[string]bool{}
		rows[2] = slices.DeleteFunc(rows[2], func(row []sqldata.Value) bool {
			key := fmt.Sprint(row[0], row[1])
			again := seen[key]
			seen[key] = true
			return again || row[0].IsNull() || row[1].IsNull()
		})
	}
	for _, p := range pairs {
		if n := contents.differ(t, p); n > 0 || !s.Gold(p[0]).Judge(p[1], true).Match {
			t.Errorf("no match with constraints, or %d databases tell apart\n%s\n%s", n, p[0], p[1])
		}
	}
}
