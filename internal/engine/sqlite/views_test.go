package sqlite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

const shop = `CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, city TEXT, photo BLOB);
	CREATE TABLE "Order Details" (OrderID INT, id INT REFERENCES customer(id), "Unit Price" REAL, total AS ("Unit Price" * 2));
	INSERT INTO customer VALUES (1, 'Ann', 'Bern', x'00ff'), (2, 'bo', 'Oslo', NULL), (3, 'Cy', 'Bern', x'');
	INSERT INTO "Order Details" (OrderID, id, "Unit Price") VALUES (10, 1, 2.5), (10, 2, 4), (11, 1, 8);
	`

// Views have the columns and the rows that they had, in copies and in drafts.
func TestViewsStay(t *testing.T) {
	writes := []sqldata.Write{
		sqldata.RenameColumn{Table: "customer", Column: "city", Name: "home town"}, sqldata.RenameColumn{Table: "CUSTOMER", Column: "id", Name: "client no"},
		sqldata.RenameColumn{Table: "Order Details", Column: "Unit Price", Name: "cost"}, sqldata.RenameColumn{Table: "Order Details", Column: "id", Name: "buyer"},
		sqldata.AddColumn{Table: "customer", Name: "age", Type: "INT", Cells: []sqldata.Value{sqldata.NewInt(3)}}, sqldata.AddColumn{Table: "Order Details", Name: "city", Type: "TEXT", Cells: nil},
		sqldata.RenameTable{Table: "customer", Name: "client"},
	}
	for _, test := range []struct {
		name, views string
		kept        []sqldata.KeptColumn
	}{
		{"column", "CREATE VIEW v AS SELECT city, id FROM customer", nil},
		{"star", "CREATE VIEW v AS SELECT * FROM customer", nil},
		{"star of a table with a generated column", `CREATE VIEW v AS SELECT d.*, c.name FROM "Order Details" d JOIN customer c ON c.id = d.id`, nil},
		{"columns of its own", "CREATE VIEW v(a, b) AS SELECT city, id FROM customer WHERE name = 'BO'", nil},
		{"expression", `CREATE VIEW v AS SELECT sum("Unit Price"), max(total), OrderID FROM "Order Details" GROUP BY OrderID`, nil},
		{"sub-query", "CREATE VIEW v AS SELECT x.city FROM (SELECT * FROM customer) AS x WHERE x.id IN (SELECT id FROM [Order Details])", nil},
		{"USING", `CREATE VIEW v AS SELECT id, city FROM customer JOIN "Order Details" USING (id)`, nil},
		{"NATURAL", `CREATE VIEW v AS SELECT * FROM customer NATURAL LEFT JOIN "Order Details"`, nil},
		{"table twice", "CREATE VIEW v AS SELECT a.city, b.city FROM customer a JOIN customer b ON a.id < b.id", nil},
		{"UNION", `CREATE VIEW v AS SELECT id FROM customer UNION ALL SELECT id FROM "Order Details" ORDER BY id`, nil},
		{"WITH", "CREATE VIEW v AS WITH far AS (SELECT * FROM customer WHERE city <> 'Bern') SELECT city FROM far", nil},
		{"WITH RECURSIVE", "CREATE VIEW v AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3) SELECT city FROM customer, n WHERE id = x", nil},
		{"nested", "CREATE VIEW w AS SELECT city, count(*) AS n FROM v GROUP BY city; CREATE VIEW v AS SELECT * FROM customer; CREATE VIEW u AS SELECT city FROM w", nil},
		{"quoted name", "CREATE VIEW \"as (SELECT\" (\"a\") AS SELECT city FROM customer", nil},
		{"triggers", "CREATE VIEW v AS SELECT * FROM customer; CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN INSERT INTO customer(city) VALUES (new.city); END", nil},
		{"outer column that an added one would hide", `CREATE VIEW v AS SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM "Order Details" d WHERE d.OrderID > 10 AND city = 'Bern')`, nil},
		{"join in parentheses", `CREATE VIEW v AS SELECT d.OrderID, x.city FROM customer JOIN ("Order Details" AS d JOIN customer AS x ON d.id = x.id) ON customer.id = d.id`, nil},
		{"beside one of a table that is gone", "CREATE VIEW lost AS SELECT x FROM gone; CREATE VIEW v AS SELECT city FROM customer", nil},
		{"of no table", "CREATE VIEW v AS VALUES (1, 'customer')", nil},
		{"main", "CREATE VIEW v AS SELECT * FROM main.customer", []sqldata.KeptColumn{{Table: "customer", Column: "id", By: sqldata.ByView}, {Table: "customer", Column: "name", By: sqldata.ByView}, {Table: "customer", Column: "city", By: sqldata.ByView}, {Table: "customer", Column: "photo", By: sqldata.ByView}}},
		{"row ids", "CREATE VIEW v AS SELECT rowid, city FROM customer", []sqldata.KeptColumn{{Table: "customer", Column: "id", By: sqldata.ByView}, {Table: "customer", Column: "city", By: sqldata.ByView}}},
		{
			"a trigger's star", "CREATE TABLE log (a, b, c); CREATE TRIGGER t AFTER DELETE ON customer BEGIN INSERT INTO log SELECT city, x.id, 1 FROM (SELECT * FROM customer) AS x; END",
			[]sqldata.KeptColumn{{Table: "customer", Column: "id", By: sqldata.ByTrigger}, {Table: "customer", Column: "city", By: sqldata.ByTrigger}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := scriptFile(t, shop+test.views)
			before := openDB(t, path)
			kept, err := before.Kept(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.kept, kept.Columns); diff != "" {
				t.Fatalf("kept (-want +got):\n%s", diff)
			}
			if len(kept.Columns) > 0 {
				return
			}
			if len(kept.Tables) > 0 {
				t.Errorf("tables %q get no column, expected that all can", kept.Tables)
			}
			views, err := before.Views(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			draft, err := Draft(t.Context(), path, writes...)
			if err != nil {
				t.Fatal(err)
			}
			defer draft.Close()
			copied := openDB(t, copyDB(t, path, writes...))
			for _, view := range views {
				if view == "lost" {
					continue
				}
				sql := "SELECT * FROM " + sqldata.QuoteName(view)
				want := query(t, before, sql)
				for name, db := range map[string]*DB{"copy": copied, "draft": draft} {
					if diff := cmp.Diff(want, query(t, db, sql), allowValue); diff != "" {
						t.Errorf("%s of view %s (-want +got):\n%s", name, view, diff)
					}
				}
			}
			query(t, copied, `SELECT "home town", "client no", age FROM client`)
			query(t, draft, `SELECT cost, buyer, city FROM "Order Details"`)
		})
	}
}

// A view that stays as it is keeps its statement but for names.
func TestViewsWithoutNeed(t *testing.T) {
	path := scriptFile(t, shop+"CREATE VIEW v AS SELECT count(city) AS n FROM customer")
	sql := query(t, openDB(t, copyDB(t, path, sqldata.RenameColumn{Table: "customer", Column: "city", Name: "town"})), "SELECT sql FROM sqlite_schema WHERE type = 'view'").Rows[0][0].Bytes()
	if strings.Contains(sql, "WITH") || !strings.Contains(sql, `"town"`) {
		t.Errorf("view %s, expected it with the other name alone", sql)
	}
}
