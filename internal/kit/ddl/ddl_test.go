package ddl

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// read renders the tables of a script: "NAME column:type* …" with * for a key, or "LINE: error".
func read(in io.Reader, columns int) ([]string, error) {
	var lines []string
	r := &Reader{Columns: columns, Each: func(t *Table) error {
		line := t.Name
		for _, c := range t.Columns {
			line += fmt.Sprintf(" %s:%s%s", c.Name, strings.ReplaceAll(c.Type, " ", "_"), map[bool]string{true: "*"}[c.Key])
		}
		lines = append(lines, line)
		return nil
	}, Report: func(line int, err error) error {
		lines = append(lines, fmt.Sprintf("%d: %v", line, err))
		return nil
	}}
	err := r.Read(in)
	return lines, err
}

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		want         []string
	}{
		{"nothing", "", nil},
		{"no semicolon", "create table t (a int)", []string{"t a:int"}},
		{"without types", "\ufeffCREATE TABLE t(a, b PRIMARY KEY, 'c d' TEXT UNIQUE);", []string{"t a: b:* c d:TEXT*"}},
		{"SQLite", `PRAGMA foreign_keys=OFF; BEGIN TRANSACTION;
			CREATE TABLE IF NOT EXISTS "order items" ([Order ID] INTEGER NOT NULL, "item""no" INT DEFAULT (1 + 2), note TEXT COLLATE NOCASE CHECK (note <> ';)'),
				PRIMARY KEY ("Order ID", "item""no"), FOREIGN KEY ([Order ID]) REFERENCES orders (id) ON DELETE CASCADE);
			INSERT INTO "order items" VALUES(1,'CREATE TABLE x (a int);','it''s');
			CREATE TEMP TABLE u (id INTEGER PRIMARY KEY AUTOINCREMENT) WITHOUT ROWID;
			CREATE VIRTUAL TABLE f USING fts5(body); CREATE TABLE copied AS SELECT 1;`,
			[]string{`order items Order ID:INTEGER item"no:INT note:TEXT`, "u id:INTEGER*"}},
		{"PostgreSQL", `\connect shop
			CREATE FUNCTION f() RETURNS trigger AS $body$ BEGIN -- don't
				CREATE TABLE inner_one (a int); RETURN NEW; END $body$ LANGUAGE plpgsql;
			CREATE TABLE public.client (id bigint NOT NULL, e_mail character varying(80), tags text[] DEFAULT ARRAY['a]'::text, 'b'], path text DEFAULT 'C:\',
				at timestamp without time zone DEFAULT now(), note text DEFAULT E'it\'s', key text, period daterange);
			CREATE TABLE part PARTITION OF public.client DEFAULT;
			COPY public.client (id, e_mail) FROM stdin;
1	CREATE TABLE y (a int); it's
\.
			ALTER TABLE ONLY public.client
				ADD CONSTRAINT client_pkey PRIMARY KEY (id), ADD COLUMN IF NOT EXISTS age smallint;
			CREATE UNIQUE INDEX mail ON public.client USING btree (e_mail);
			CREATE UNIQUE INDEX part ON public.client (age) WHERE age > 1;
			CREATE UNIQUE INDEX lowered ON public.client (lower(key));
			ALTER TABLE public.client ALTER COLUMN age SET NOT NULL; ALTER TABLE absent ADD PRIMARY KEY (id);`,
			[]string{"client id:bigint* e_mail:character_varying_(_80_)* tags:text_[_] path:text at:timestamp_without_time_zone note:text key:text period:daterange age:smallint"}},
		{"MySQL", "/*!40101 SET NAMES utf8 */;\n# don't\nDROP TABLE IF EXISTS `film`;\nCREATE TABLE `shop`.`film` (\n" +
			"`film_id` int(10) unsigned NOT NULL AUTO_INCREMENT COMMENT 'not unique; the film\\'s',\n`rating` enum('G','PG') DEFAULT 'G', -- one of two\n" +
			"`key` varchar(9), `title` varchar(99) CHARACTER SET utf8 NOT NULL /* of a film */, year year(4),\n" +
			"PRIMARY KEY (`film_id`) USING BTREE, UNIQUE KEY `t` (`title`(20)), KEY `r` (`rating`), INDEX (year), FULLTEXT KEY f (title), CONSTRAINT c FOREIGN KEY (`key`) REFERENCES k (`key`)\n) ENGINE=InnoDB;\n" +
			"INSERT INTO `film` VALUES (1,'it\\'s; CREATE TABLE z (a int);');\nDELIMITER $$\nCREATE TRIGGER x BEGIN SELECT 1; END$$\nDELIMITER ;\n" +
			"CREATE TABLE v (a int);\nALTER TABLE `v` ADD PRIMARY KEY (`a`), ADD KEY `b` (`a`), MODIFY `a` int;",
			[]string{"film film_id:int_(_10_)_unsigned* rating:enum_(_'G'_,_'PG'_) key:varchar_(_9_) title:varchar_(_99_)_CHARACTER_SET_utf8* year:year_(_4_)", "v a:int*"}},
		{"columns named as indexes", "CREATE TABLE t (key varchar(9), index enum('a'), period int, KEY x (a), KEY (a), INDEX x USING HASH (a))",
			[]string{"t key:varchar_(_9_) index:enum_(_'a'_) period:int"}},
		{"the same name", "CREATE TABLE t (a int); DROP TABLE t; CREATE TABLE t (a int, b int UNIQUE);", []string{"t a:int", "t a:int b:int*"}},
		{"cut off", "CREATE TABLE a (x int);\nCREATE TABLE b (x int, y;\nCREATE TABLE c (x int);\nCREATE TABLE d (x 'never closed", []string{
			`2: table "b" is cut off, expected a closing parenthesis after its columns`,
			`4: table "d" is cut off, expected a closing parenthesis after its columns`, "a x:int", "c x:int"}},
		{"oddities", "CREATE TABLE; CREATE TABLE (; CREATE TABLE t (,a int,,(b), 5 int,); ALTER TABLE; ALTER TABLE t ADD; ALTER TABLE t ADD PRIMARY KEY; ALTER TABLE t ADD UNIQUE ();" +
			"CREATE UNIQUE INDEX i ON; COPY; \\.\n $ $1 [", []string{`1: table "" is cut off, expected a closing parenthesis after its columns`, "t a:int"}},
		{"too many columns", "CREATE TABLE t (" + strings.Repeat("a int, ", 9) + "b int, UNIQUE (b))", []string{"t" + strings.Repeat(" a:int", 8)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := read(strings.NewReader(tc.script), 8)
			if tc.name == "PostgreSQL" { // its columns are nine
				got, err = read(strings.NewReader(tc.script), 9)
			}
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("tables (-want +got), error %v:\n%s", err, diff)
			}
		})
	}
}

// TestReadError checks that a script that cannot be read to its end is an error.
func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	if _, err := read(io.MultiReader(strings.NewReader("CREATE TABLE t (a int); INSERT"), iotest.ErrReader(broken)), 9); !errors.Is(err, broken) {
		t.Errorf("error %v, expected %v", err, broken)
	}
}

// TestManyTables checks that tables do not wait without bound.
func TestManyTables(t *testing.T) {
	got, err := read(strings.NewReader(strings.Repeat("CREATE TABLE t (a int);", maxTables+1)+"ALTER TABLE t ADD UNIQUE (a)"), 1)
	if err != nil || len(got) != maxTables+1 || got[maxTables-1] != "t a:int" || got[maxTables] != "t a:int*" {
		t.Errorf("%d tables, error %v, the last ones %q", len(got), err, got[maxTables-1:])
	}
}

func FuzzRead(f *testing.F) {
	f.Add("CREATE TABLE a.`b` (c int PRIMARY KEY, \"d\"\"\" text, UNIQUE (d(3)), KEY k USING x (c)); ALTER TABLE a.b ADD CONSTRAINT x UNIQUE (d), ADD COLUMN e int;")
	f.Add("-- x\n# y\n/*! z */ COPY t FROM stdin;\n1\n\\.\nCREATE UNIQUE INDEX i ON t (a); DELIMITER $$\n$tag$ ' $tag$ E'\\'' [a[ 'x''y' \\c\n.d")
	f.Fuzz(func(t *testing.T, script string) {
		const columns = 3
		r := &Reader{Columns: columns, Report: func(int, error) error { return nil }}
		r.Each = func(table *Table) error {
			if len(table.Columns) > columns || table.Line > 1+strings.Count(script, "\n")+1 {
				t.Errorf("table %q of %d columns at line %d", table.Name, len(table.Columns), table.Line)
			}
			return nil
		}
		if err := r.Read(strings.NewReader(script)); err != nil {
			t.Error(err)
		}
	})
}
