package sqlast

import (
	"fmt"
	"strings"
	"testing"
)

// written returns changes for comparison.
func written(changes []Change) string {
	all := make([]string, len(changes))
	for i, c := range changes {
		text := fmt.Sprintf("%s %s", c.Kind, c.Table)
		for _, s := range []string{c.Column, c.Name} {
			if s != "" {
				text += " " + s
			}
		}
		for _, column := range c.Columns {
			text += fmt.Sprintf(" [%s:%s:%s", column.Name, column.Type, column.Default)
			if column.Computed {
				text += " computed"
			}
			text += "]"
		}
		if c.Query != nil {
			text += " " + c.Query.String()
		}
		if c.Lenient {
			text += " lenient"
		}
		all[i] = text
	}
	return strings.Join(all, "; ")
}

var changeCases = []struct{ sql, want string }{
	{"ALTER TABLE a RENAME TO b", "RENAME TO a b"},
	{`alter table if exists only public."a b" * rename to "c d"`, "RENAME TO a b c d lenient"},
	{"ALTER TABLE a RENAME COLUMN b TO c", "RENAME COLUMN a b c"},
	{"ALTER TABLE a RENAME b TO [c d]", "RENAME COLUMN a b c d"},
	{"ALTER TABLE main.a ADD b", "ADD COLUMN a b [b::]"},
	{"ALTER TABLE a ADD COLUMN IF NOT EXISTS b character varying(20) DEFAULT 'x;y'::text NOT NULL, ADD c numeric(10, 2) NOT NULL DEFAULT -1.5 CHECK (c > (0)), DROP COLUMN d",
		"ADD COLUMN a b [b:character varying:x;y] lenient; ADD COLUMN a c [c:numeric:-1.5]; DROP COLUMN a d"},
	{"ALTER TABLE a ADD b timestamp with time zone DEFAULT now()", "ADD COLUMN a b [b:timestamp with time zone: computed]"},
	{"ALTER TABLE a ADD b int GENERATED ALWAYS AS (c + 1) VIRTUAL", "ADD COLUMN a b [b:int: computed]"},
	{"ALTER TABLE a ADD b boolean DEFAULT true REFERENCES c (d)", "ADD COLUMN a b [b:boolean:1]"},
	{"ALTER TABLE a ADD b text DEFAULT NULL", "ADD COLUMN a b [b:text:]"},
	{"ALTER TABLE a DROP COLUMN IF EXISTS b CASCADE", "DROP COLUMN a b lenient"},
	{"ALTER TABLE a DROP b", "DROP COLUMN a b"},
	{"ALTER TABLE a ALTER COLUMN b TYPE bigint USING b::bigint", "ALTER COLUMN … TYPE a b [b:bigint:]"},
	{"ALTER TABLE a ALTER b SET DATA TYPE numeric(3, 4), RENAME c TO d", "ALTER COLUMN … TYPE a b [b:numeric:]; RENAME COLUMN a c d"},
	{"ALTER TABLE a ALTER b TYPE text USING upper(b), ALTER c DROP NOT NULL, ALTER c SET DEFAULT (now()), ALTER d ADD GENERATED ALWAYS AS IDENTITY", "ALTER COLUMN … TYPE a b [b:text:]; a constraint, default or index a; a constraint, default or index a; a constraint, default or index a"},
	{"ALTER TABLE a ADD CONSTRAINT b FOREIGN KEY (c) REFERENCES d (e) ON DELETE CASCADE, DROP CONSTRAINT f, ADD g int", "a constraint, default or index a; a constraint, default or index a; ADD COLUMN a g [g:int:]"},
	{"ALTER TABLE a OWNER TO b", "a constraint, default or index a"},
	{"alter table a change `b` `c` decimal(15,9) NOT NULL, modify d int", "RENAME COLUMN a b c; ALTER COLUMN … TYPE a d [d:int:]"},
	{"CREATE UNIQUE INDEX CONCURRENTLY a ON b USING btree (c)", "a constraint, default or index "},
	{"DROP INDEX a", "a constraint, default or index "},
	{"CREATE VIEW a (b, c) AS SELECT d, e FROM f", "CREATE VIEW a [b::] [c::] SELECT d, e FROM f"},
	{"INSERT INTO a (b) VALUES (1), ('x')", "INSERT a [b::] VALUES (1), ('x')"},
	{"DROP TABLE IF EXISTS a, public.b RESTRICT", "DROP TABLE a lenient; DROP TABLE b lenient"},
	{"DROP VIEW a", "DROP VIEW a"},
	{"CREATE TABLE a AS SELECT b, c AS d FROM e", "CREATE TABLE a SELECT b, c AS d FROM e"},
	{"CREATE TEMP TABLE IF NOT EXISTS a (b INTEGER PRIMARY KEY AUTOINCREMENT, \"c d\" VARCHAR(20) DEFAULT 'x' NOT NULL, e, FOREIGN KEY (e) REFERENCES f (g), PRIMARY KEY (b)) WITHOUT ROWID",
		"CREATE TABLE a [b:INTEGER:] [c d:VARCHAR:x] [e::] lenient"},
	{"CREATE OR REPLACE VIEW a AS SELECT 1", "CREATE VIEW a SELECT 1"},
	{"INSERT INTO a (b, c) SELECT d, e FROM f", "INSERT a [b::] [c::] SELECT d, e FROM f"},
	{"INSERT INTO a SELECT * FROM f", "INSERT a SELECT * FROM f"},
}

func TestParseChange(t *testing.T) {
	for _, test := range changeCases {
		changes, err := ParseChange(test.sql)
		if got := written(changes); got != test.want || err != nil {
			t.Errorf("%s: %s, %v, want %s", test.sql, got, err, test.want)
		}
	}
	for sql, want := range map[string]string{
		"UPDATE a SET b = 1":            `1:1: near "UPDATE", expected ALTER TABLE, DROP TABLE`,
		"":                              "1:1: near end of query, expected ALTER TABLE",
		"ALTER TABLE a RENAME b TO c d": `near "d", expected end of statement`,
		"ALTER TABLE a ADD b CHECK (c":  `near end of query, expected ")"`,
		"CREATE TABLE a":                `near end of query, expected "("`,
		"DROP TABLE a; DROP TABLE b":    `near ";", expected end of statement`,
		"ALTER TABLE 'a":                "quote ' is not closed",
	} {
		if _, err := ParseChange(sql); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", sql, err, want)
		}
	}
}

// FuzzParseChange checks that a statement is read or refused by a syntax error.
func FuzzParseChange(f *testing.F) {
	for _, test := range changeCases {
		f.Add(test.sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if _, err := ParseChange(sql); err != nil {
			if _, ok := err.(*SyntaxError); !ok {
				t.Errorf("%q: %v, want a syntax error", sql, err)
			}
		}
	})
}
