//go:build quality

package quality

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/postgres"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/perturb"
)

// leastShared is the share of the records of either dialect that both must have, and mostAlone how many a perturbation of few records may have
// on one side: wordings, numbers and operators are drawn by the text of the gold SQL, which differs (ILIKE, LIKE). The report says what became of them.
const (
	leastShared = 0.95
	mostAlone   = 5
)

// proofs are the starts of the reasons of records that fail in the proof, by SQL, rather than in the search for a perturbation.
var proofs = []string{"database-", "gold-", "rewritten-", "key-not-carried", "schema-named", "answer-changed", "more-than-names"}

// A pgQuestion is a question in two dialects.
type pgQuestion struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Evidence string `json:"evidence,omitempty"`
	SQL      string `json:"sql"`
	sqlite   string
}

// transpiled matches what a transpiler made of ILIKE: SQLite's LIKE ignores case too.
var transpiled = regexp.MustCompile(`LOWER\((\w[\w.]*|LOWER\([\w.]+\))\) LIKE LOWER\(('(?:[^']|'')*')\)`)

// pgQuestions returns the questions of defog's databases and of BIRD's superhero, by database, with the first of several golds.
func pgQuestions(t *testing.T) map[string][]pgQuestion {
	all := map[string][]pgQuestion{}
	other := defogGolds(t)
	type line struct {
		ID, DB, Question, Evidence, Gold, SQL string
		DBID                                  string `json:"db_id"`
		Index                                 int
	}
	read := func(name string, each func(i int, r line)) {
		lines := bufio.NewScanner(text(t, name))
		lines.Buffer(nil, 1<<20)
		for i := 0; lines.Scan(); i++ {
			var r line
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			each(i, r)
		}
	}
	read("postgres/defog/questions_postgres.jsonl.gz", func(i int, r line) {
		first, _, _ := strings.Cut(r.Gold, ";")
		if chosen := anyOf.FindStringSubmatch(first); chosen != nil {
			first = anyOf.ReplaceAllString(strings.ReplaceAll(first, "{}", chosen[1]), "$1")
		}
		all[r.DBID] = append(all[r.DBID], pgQuestion{r.ID, r.Question, "", first, transpiled.ReplaceAllString(other[i].Query, "$1 LIKE $2")})
	})
	var bird []struct{ SQL string }
	if err := json.NewDecoder(text(t, "bird/mini_dev.json.gz")).Decode(&bird); err != nil {
		t.Fatal(err)
	}
	read("postgres/bird/mini_dev_postgres.jsonl.gz", func(_ int, r line) {
		if r.DBID == "superhero" {
			all[r.DBID] = append(all[r.DBID], pgQuestion{strconv.Itoa(r.Index), r.Question, r.Evidence, r.SQL, bird[r.Index].SQL})
		}
	})
	return all
}

// TestPostgreSQL builds five families on defog's databases and BIRD's superhero on a server, by a role that reads alone, and on SQLite files
// with the same rows and the same questions in SQLite's dialect. A renamed gold must be what the server makes of it, and BIRD's
// comparison of three models' answers that of its script.
func TestPostgreSQL(t *testing.T) {
	dsn, tabperturb := postgres.Start(t), command(t)
	execute := func(dsn, sql string) {
		if _, err := postgres.Connect(t, dsn).Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	execute(dsn, "CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = on; GRANT pg_read_all_data TO reader")
	questions := pgQuestions(t)
	total, ofSQLite := map[string]*pgCount{}, map[string]map[string]int{}
	var report, models bytes.Buffer
	renamed := 0
	for _, db := range slices.Sorted(maps.Keys(questions)) {
		dir := t.TempDir()
		family := "defog"
		if db == "superhero" {
			family = "bird"
		}
		own := postgres.CreateDatabase(t, dsn, db)
		postgres.Load(t, own, shared.File(t, "data", "postgres", family, db+".sql"))
		s := &pgSides{T: t, dsn: own, dir: dir, db: db, questions: questions[db], tabperturb: tabperturb}
		s.build()
		s.count(total, ofSQLite)
		renamed += s.renames()
		if db == "superhero" {
			s.models(&models)
		}
	}
	fmt.Fprintf(&report, "%-30s %8s %9s %9s %9s %10s %10s %10s\n", "perturbation", "verified", "in proof", "elsewhere", "of SQLite", "both sides", "other gold", "shared")
	var all pgCount
	for _, p := range slices.Sorted(maps.Keys(total)) {
		c := total[p]
		fmt.Fprintf(&report, "%-30s %8d %9d %9d %9d %10d %10d %9.1f%%\n", p, c.verified, c.refused, c.elsewhere, c.sqlite, c.both, c.otherGold, 100*c.shared())
		all.add(c)
	}
	fmt.Fprintf(&report, "%-30s %8d %9d %9d %9d %10d %10d %9.1f%%\n", "all", all.verified, all.refused, all.elsewhere, all.sqlite, all.both, all.otherGold, 100*all.shared())
	if float64(all.refused) >= maxRejected*float64(all.refused+all.verified) {
		t.Errorf("%d records fail in the proof, %d verified, want under %.0f%%", all.refused, all.verified, 100*maxRejected)
	}
	if all.shared() < leastShared {
		t.Errorf("%.1f%% of the records are those of SQLite, want at least %.0f%%", 100*all.shared(), 100*leastShared)
	}
	for _, p := range slices.Sorted(maps.Keys(total)) {
		if total[p].shared() >= leastShared {
			continue
		}
		fmt.Fprintf(&report, "%s: %v\n", p, ofSQLite[p])
		if total[p].alone > mostAlone {
			t.Errorf("%s: %d records are of one side alone", p, total[p].alone)
		}
	}
	fmt.Fprintf(&report, "records of renames whose gold is what the server makes of it: %d of %d\n%s", renamed, renamed, &models)
	golden(t, "postgresql", report.String())
}

// TestStandby builds families on the server and on a physical standby of it, by a role that may SELECT alone. A record of the server is one of the standby
// too, but for those that need a key, which the standby rejects by that name.
func TestStandby(t *testing.T) {
	primary, tabperturb := postgres.New(t), command(t)
	if _, err := postgres.Connect(t, primary.DSN).Exec(t.Context(), "CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader", pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	questions := pgQuestions(t)
	for db := range questions {
		family := "defog"
		if db == "superhero" {
			family = "bird"
		}
		postgres.Load(t, postgres.CreateDatabase(t, primary.DSN, db), shared.File(t, "data", "postgres", family, db+".sql"))
	}
	standby := primary.Standby(t)
	var verified, keys int
	for _, db := range slices.Sorted(maps.Keys(questions)) {
		s := &pgSides{T: t, dir: t.TempDir(), db: db, questions: questions[db]}
		s.writeQuestions("own.jsonl", func(q pgQuestion) string { return q.SQL })
		for name, server := range map[string]*postgres.Server{"primary": primary, "standby": standby} {
			address := fmt.Sprintf("postgres://reader@/%s?host=%s", db, url.QueryEscape(server.Dir))
			tabperturb(io.Discard, "init", address, s.path("own.jsonl"), "--perturb", "adveta,evolve,mtteql/column-renaming,mtteql/normalization", "--samples", "1", "--out", s.path(name))
		}
		there := s.outcomes(s.path("standby", "benchmark"))
		for p, records := range s.outcomes(s.path("primary", "benchmark")) {
			for key, reason := range records {
				switch at := there[p][key]; {
				case at == reason:
				case reason == "" && at == "key-not-carried":
					keys++
				default:
					t.Errorf("%s %s %v: %q on the server, %q on the standby", p, db, key, reason, at)
				}
				if reason == "" {
					verified++
				}
			}
		}
	}
	golden(t, "standby", fmt.Sprintf("records verified on the server %d, on a standby %d, rejected there as key-not-carried %d\n", verified, verified-keys, keys))
}

// pgCount counts the records of a perturbation: of either side, of both, and of one alone, where the golds of a question have the same
// answer, or another.
type pgCount struct{ verified, refused, elsewhere, sqlite, both, alone, otherGold int }

func (c *pgCount) add(o *pgCount) {
	c.verified, c.refused, c.elsewhere, c.sqlite = c.verified+o.verified, c.refused+o.refused, c.elsewhere+o.elsewhere, c.sqlite+o.sqlite
	c.both, c.alone, c.otherGold = c.both+o.both, c.alone+o.alone, c.otherGold+o.otherGold
}

// shared returns the share of the records of either side that both have, of questions whose golds have the same answer.
func (c *pgCount) shared() float64 {
	if c.both+c.alone == 0 {
		return 1
	}
	return float64(c.both) / float64(c.both+c.alone)
}

// pgSides are the builds of a database on a server and on a SQLite file.
type pgSides struct {
	*testing.T
	dsn, dir, db string
	questions    []pgQuestion
	tabperturb   func(io.Writer, ...string)
}

func (s *pgSides) path(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

// build makes both sides' data directories and builds, with the names and the types of the columns of the server's.
func (s *pgSides) build() {
	u, err := url.Parse(s.dsn)
	if err != nil {
		s.Fatal(err)
	}
	u.User = url.User("reader")
	s.writeQuestions("own.jsonl", func(q pgQuestion) string { return q.SQL })
	s.writeQuestions("other.jsonl", func(q pgQuestion) string { return q.sqlite })
	families := "adveta,drspider,mtteql,spidersyn,evolve"
	s.tabperturb(io.Discard, "init", u.String(), s.path("own.jsonl"), "--perturb", families, "--samples", "2", "--out", s.path("postgresql"))
	s.copyRows(s.path(s.db + ".sqlite"))
	s.tabperturb(io.Discard, "init", s.path(s.db+".sqlite"), s.path("other.jsonl"), "--perturb", "mtteql/column-removal", "--samples", "1", "--out", s.path("sqlite"))
	tables := strings.Replace(whole(s.T, s.path("postgresql", "data", "tables.json")), `"dialect": "postgresql"`, `"dialect": "sqlite"`, 1)
	writeText(s.T, s.path("sqlite", "data", "tables.json"), tables)
	s.tabperturb(io.Discard, "build", "--data", s.path("sqlite", "data"), "--buckets", s.path("postgresql", "buckets.json"), "--perturb", families, "--samples", "2", "--out", s.path("sqlite", "all"))
}

// writeQuestions writes the questions with gold SQL of a dialect.
func (s *pgSides) writeQuestions(name string, gold func(pgQuestion) string) {
	var lines bytes.Buffer
	for _, q := range s.questions {
		line, err := json.Marshal(pgQuestion{ID: q.ID, Question: q.Question, Evidence: q.Evidence, SQL: gold(q)})
		if err != nil {
			s.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	writeText(s.T, s.path(name), lines.String())
}

// copyRows writes the tables of the server to a SQLite file.
func (s *pgSides) copyRows(path string) {
	file, _, err := engine.WriteAddress(s.TempDir(), s.dsn)
	if err != nil {
		s.Fatal(err)
	}
	db, err := engine.Open(s.Context(), file)
	if err != nil {
		s.Fatal(err)
	}
	tables, err := db.Schema(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	var rows [][][]sqldata.Value
	for _, t := range tables {
		res, err := db.Query(s.Context(), "SELECT * FROM "+sqldata.QuoteName(t.Name), sqldata.Limits{})
		if err != nil {
			s.Fatal(err)
		}
		rows = append(rows, res.Rows)
	}
	if err := sqlite.Create(s.Context(), path, tables, rows); err != nil {
		s.Fatal(err)
	}
}

// sampled is an example in a sample.
type sampled struct{ example, sample int32 }

// outcome is what became of examples: no reason where a record is verified.
type outcome map[sampled]perturb.Reason

// outcomes returns what became of the examples of a build, by perturbation.
func (s *pgSides) outcomes(dir string) map[string]outcome {
	m, err := benchmark.ReadManifest(dir)
	if err != nil {
		s.Fatal(err)
	}
	all := map[string]outcome{}
	for _, r := range m.Perturbations {
		all[r.Name] = outcome{}
		for line := range strings.Lines(whole(s.T, filepath.Join(dir, r.Name, "rejected.jsonl"))) {
			var no struct {
				Example int32
				Sample  *int32
				Reason  perturb.Reason
			}
			if err := json.Unmarshal([]byte(line), &no); err != nil {
				s.Fatal(err)
			}
			if no.Sample != nil {
				all[r.Name][sampled{no.Example, *no.Sample}] = no.Reason
				continue
			}
			for sample := range int32(r.Samples) {
				all[r.Name][sampled{no.Example, sample}] = no.Reason
			}
		}
	}
	if err := recordfile.Read(filepath.Join(dir, benchmark.RecordsFile), func(r dataset.Record) error {
		all[r.Perturbation][sampled{r.Example, r.Sample}] = ""
		return nil
	}); err != nil {
		s.Fatal(err)
	}
	return all
}

// alike reports for each question whether its two golds have the same answer.
func (s *pgSides) alike() (alike []bool) {
	answer := func(path, sql string) *sqldata.Result {
		db, err := engine.Open(s.Context(), path)
		if err != nil {
			s.Fatal(err)
		}
		defer db.Close()
		res, err := db.Query(s.Context(), sql, sqldata.Limits{})
		if err != nil {
			s.Logf("%s: %v", sql, err)
			return &sqldata.Result{}
		}
		return res
	}
	for _, q := range s.questions {
		own, other := answer(dataset.FindContent(s.path("postgresql", "data"), s.db), q.SQL), answer(s.path(s.db+".sqlite"), q.sqlite)
		alike = append(alike, sqldata.EqualBag(own, other))
	}
	return alike
}

// count counts both sides' records, and those that one side lacks by perturbation and what became of them there.
func (s *pgSides) count(total map[string]*pgCount, why map[string]map[string]int) {
	alike := s.alike()
	own, other := s.outcomes(s.path("postgresql", "benchmark")), s.outcomes(s.path("sqlite", "all"))
	for p, records := range own {
		if total[p] == nil {
			total[p], why[p] = &pgCount{}, map[string]int{}
		}
		c := total[p]
		for key, reason := range records {
			isProof := slices.ContainsFunc(proofs, func(start string) bool { return strings.HasPrefix(string(reason), start) })
			switch {
			case reason == "":
				c.verified++
			case isProof:
				c.refused++
				s.Logf("%s %s %v: %s", p, s.db, key, reason)
			default:
				c.elsewhere++
			}
		}
		union := maps.Clone(records)
		maps.Copy(union, other[p])
		for key := range union {
			s.compare(c, why[p], p, key, alike[key.example], records, other[p])
		}
		for _, reason := range other[p] {
			if reason == "" {
				c.sqlite++
			}
		}
	}
}

// compare counts what became of an example on both sides.
func (s *pgSides) compare(c *pgCount, why map[string]int, p string, key sampled, alike bool, own, other outcome) {
	is := func(o outcome) (verified bool, reason string) {
		r, drawn := o[key]
		return drawn && r == "", cmp.Or(string(r), "not drawn")
	}
	here, reason := is(own)
	there, theirs := is(other)
	switch {
	case here && there:
		c.both++
	case !here && !there:
	case !alike:
		c.otherGold++
	default:
		c.alone++
		text := "in SQLite " + theirs
		if there {
			text = "on the server " + reason
		}
		s.Logf("%s %s %v: %s", p, s.db, key, text)
		why[text]++
	}
}

// renames has the server rename the tables and columns of records that do nothing else, and compares what it makes of the gold SQL before to
// the gold SQL after. It returns the number of these records.
func (s *pgSides) renames() (n int) {
	conn := postgres.Connect(s.T, s.dsn)
	if err := recordfile.Read(s.path("postgresql", "benchmark", benchmark.RecordsFile), func(r dataset.Record) error {
		edits, err := perturb.UnmarshalEdits([]byte(r.Edits))
		if err != nil {
			return err
		}
		var columns, tables []string
		old := map[string]string{}
		for _, e := range edits {
			switch e := e.(type) {
			case perturb.RenameColumn:
				columns = append(columns, fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO %s", sqldata.QuoteName(e.Table), sqldata.QuoteName(e.Column), sqldata.QuoteName(e.Name)))
				old[e.Name] = e.Column
			case perturb.RenameTable:
				tables = append(tables, fmt.Sprintf("ALTER TABLE %s RENAME TO %s", sqldata.QuoteName(e.Table), sqldata.QuoteName(e.Name)))
			default:
				return nil
			}
		}
		if len(columns)+len(tables) == 0 {
			return nil
		}
		n++
		tx, err := conn.Begin(s.Context())
		if err != nil {
			return err
		}
		defer tx.Rollback(s.Context())
		rename := strings.Join(append(columns, tables...), ";")
		want := definition(s.T, tx, r.QueryPre, old, rename)
		if got := definition(s.T, tx, r.QueryPost, old, ""); got != want {
			s.Errorf("%s of %s: %s\nbecomes %s\nwhich is another view:\n%s\nwant\n%s", r.Perturbation, s.db, r.QueryPre, r.QueryPost, got, want)
		}
		return nil
	}); err != nil {
		s.Fatal(err)
	}
	return n
}

var (
	word  = regexp.MustCompile(`"[^"]+"|\w+`)
	label = regexp.MustCompile(`(\w+)(\)?(::\w+)?) AS (\w+)`)
)

// definition compiles a query as a view of which statements rename what it reads, and returns what the server makes of it, with the old
// names of columns and without labels that repeat a name: within a view the server keeps the old name of a column as its label.
func definition(t *testing.T, tx pgx.Tx, query string, old map[string]string, rename string) (text string) {
	prepared, err := tx.Prepare(t.Context(), "", query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var columns []string
	for i := range prepared.Fields {
		columns = append(columns, fmt.Sprintf("c%d", i))
	}
	if _, err := tx.Exec(t.Context(), fmt.Sprintf("DROP VIEW IF EXISTS v; CREATE TEMP VIEW v (%s) AS %s; %s", strings.Join(columns, ", "), query, rename)); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if err := tx.QueryRow(t.Context(), "SELECT pg_get_viewdef('v'::regclass)").Scan(&text); err != nil {
		t.Fatal(err)
	}
	text = word.ReplaceAllStringFunc(text, func(name string) string {
		if before, ok := old[strings.Trim(name, `"`)]; ok {
			return before
		}
		return name
	})
	return label.ReplaceAllStringFunc(text, func(text string) string {
		if m := label.FindStringSubmatch(text); m[1] == m[4] {
			return m[1] + m[2]
		}
		return text
	})
}

// models judges the answers of three models as BIRD's script does, and by exec-bird.
func (s *pgSides) models(w io.Writer) {
	conn := postgres.Connect(s.T, s.dsn)
	if _, err := conn.Exec(s.Context(), "SET statement_timeout = '30s'"); err != nil {
		s.Fatal(err)
	}
	golds := make([]map[string]bool, len(s.questions))
	for i, q := range s.questions {
		var err error
		if golds[i], err = scriptRows(s.T, conn, q.SQL); err != nil {
			s.Fatalf("%s: %v", q.SQL, err)
		}
	}
	for _, model := range []string{"gpt-35-turbo", "gpt-4", "meta-llama-3-70b-instruct-2"} {
		var answers, ours map[string]string
		if err := json.NewDecoder(text(s.T, "postgres/bird/predict_"+model+"_postgresql.json.gz")).Decode(&answers); err != nil {
			s.Fatal(err)
		}
		ours = map[string]string{}
		right := make([]bool, len(s.questions))
		script := 0
		for i, q := range s.questions {
			ours[strconv.Itoa(i)] = answers[q.ID]
			sql, _, _ := strings.Cut(answers[q.ID], "\t----- bird -----\t")
			rows, err := scriptRows(s.T, conn, sql)
			if right[i] = err == nil && maps.Equal(rows, golds[i]); right[i] {
				script++
			}
		}
		file, err := json.Marshal(ours)
		if err != nil {
			s.Fatal(err)
		}
		writeText(s.T, s.path(model+".json"), string(file))
		s.tabperturb(io.Discard, "eval", "--data", s.path("postgresql", "data"), "--pred", s.path(model+".json"), "--metric", "exec-bird,exec", "--verdicts", s.path(model+".tsv"))
		fmt.Fprintf(w, "superhero, %s: right by BIRD's script %d of %d; ", model, script, len(right))
		equal, exec := 0, 0
		var differ []string
		for line := range strings.Lines(strings.TrimPrefix(whole(s.T, s.path(model+".tsv")), verdictHead)) {
			f := strings.Split(strings.TrimRight(line, "\n"), "\t")
			i, err := strconv.Atoi(f[0])
			if err != nil || len(f) != 6 {
				s.Fatalf("%s: a line that is no verdict: %v", line, err)
			}
			if (f[4] == "1") == right[i] {
				equal++
			} else {
				s.Errorf("%s: %s: by the script %t, by exec-bird %s %s", model, s.questions[i].SQL, right[i], f[4], f[5])
			}
			if f[3] == "1" {
				exec++
			}
			if f[3] != f[4] {
				differ = append(differ, fmt.Sprintf("  question %s: exec %s, exec-bird %s %s\n", s.questions[i].ID, f[3], f[4], f[5]))
			}
		}
		fmt.Fprintf(w, "by exec-bird the same verdict for %d; by exec %d right\n%s", equal, exec, strings.Join(differ, ""))
	}
}

// verdictHead is the first line of a file of verdicts.
const verdictHead = "index\tdb_id\thardness\texec\texec-bird\treason\n"

// scriptRows returns the rows of a query as Python's set(rows) has them: numbers by value, true as 1, all else by type and text.
func scriptRows(t *testing.T, conn *pgx.Conn, sql string) (map[string]bool, error) {
	r := conn.PgConn().ExecParams(t.Context(), strings.TrimRight(strings.TrimSpace(sql), ";"), nil, nil, nil, nil)
	rows := map[string]bool{}
	for r.NextRow() {
		var cells []string
		for i, cell := range r.Values() {
			cells = append(cells, scriptCell(r.FieldDescriptions()[i].DataTypeOID, cell))
		}
		rows[strings.Join(cells, "\x00")] = true
	}
	_, err := r.Close()
	return rows, err
}

// scriptCell returns a text that is equal for what is equal in Python.
func scriptCell(oid uint32, cell []byte) string {
	text := string(cell)
	switch {
	case cell == nil:
		return "None"
	case oid == pgtype.BoolOID:
		text = map[string]string{"t": "1", "f": "0"}[text]
	case oid == pgtype.Float4OID, oid == pgtype.Float8OID:
		f, err := strconv.ParseFloat(text, 64)
		if exact := new(big.Rat).SetFloat64(f); err == nil && exact != nil {
			return "number " + exact.String()
		}
	case !slices.Contains([]uint32{pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.NumericOID}, oid):
		return fmt.Sprintf("%d %s", oid, text)
	}
	if n, ok := new(big.Rat).SetString(text); ok {
		return "number " + n.String()
	}
	return "number " + text
}
