package sqlite

import "testing"

// TestWithoutKeys: of a statement go the keys to a table, however they are declared.
func TestWithoutKeys(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{`CREATE TABLE a (x INTEGER REFERENCES "tabperturb merged" ("id"), y)`, `CREATE TABLE a (x INTEGER, y)`},
		{`CREATE TABLE a (x INT NOT NULL CONSTRAINT "to b" REFERENCES "tabperturb merged" ON DELETE SET NULL ON UPDATE CASCADE DEFAULT 3, y)`, `CREATE TABLE a (x INT NOT NULL DEFAULT 3, y)`},
		{`CREATE TABLE a (x INT, y, foreign key (x) references "tabperturb merged"(id) DEFERRABLE INITIALLY DEFERRED)`, `CREATE TABLE a (x INT, y)`},
		{"CREATE TABLE a (x INT,\n  CONSTRAINT k FOREIGN KEY (\"x)\") REFERENCES \"tabperturb merged\"(\"i)d\") MATCH FULL,\n  CHECK (x > 1))", "CREATE TABLE a (x INT,\n  CHECK (x > 1))"},
		{`CREATE TABLE a (x REFERENCES "tabperturb merged", y REFERENCES c, FOREIGN KEY (x, y) REFERENCES "tabperturb merged" (p, q), FOREIGN KEY (y) REFERENCES d)`, `CREATE TABLE a (x, y REFERENCES c, FOREIGN KEY (y) REFERENCES d)`},
		{`CREATE TABLE a (x REFERENCES /* b */ "tabperturb merged", y)`, `CREATE TABLE a (x REFERENCES /* b */ "b", y)`},
		{`CREATE TABLE a (x, y)`, `CREATE TABLE a (x, y)`},
	} {
		if got := withoutKeys(c.sql, "b"); got != c.want {
			t.Errorf("%s: got %s, want %s", c.sql, got, c.want)
		}
	}
}
