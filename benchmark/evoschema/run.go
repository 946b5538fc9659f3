package evoschema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Config configures [Run].
type Config struct {
	Files  []string // each of one type, by its name: rename_tables.jsonl.gz
	Out    string
	Split  string // names the file of examples
	Seed   uint64 // of generated rows
	Step   func()
	Report func(error) // receives records that cannot be read
}

// Gold is the origin of gold SQL after a change.
type Gold string

// The golds.
const (
	Kept     Gold = "kept"     // as the record has it
	Repaired Gold = "repaired" // made again from the gold SQL before
)

// Provenance is the member "evoschema" of a written example.
type Provenance struct {
	Type   string `json:"type"`
	Index  int    `json:"train_idx"`
	Gold   Gold   `json:"gold"`
	Before string `json:"query_before"`
	Theirs string `json:"new_gold_sql,omitempty"` // what was repaired
}

// leftOut is a line of left-out.jsonl.
type leftOut struct {
	Type   string `json:"type"`
	Index  int    `json:"train_idx"`
	DB     string `json:"db_id"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
}

// The reasons why a record is left out.
const (
	badSchema    = "its schema cannot be read"
	badGold      = "its gold SQL before does not compile"
	failingGold  = "its gold SQL before does not run on generated rows"
	noGold       = "it has no gold SQL after: what its gold SQL needs is gone"
	notNeeded    = "it has no gold SQL after, and what its gold SQL needs is there"
	notComputed  = "the tables after cannot be computed from those before"
	otherAnswer  = "its gold SQL after compiles and answers otherwise, and so does ours"
	notCompiling = "its gold SQL after does not compile, and neither does ours, or it answers otherwise"
)

// SummaryFile is the file of a [Summary] in the folder that [Run] writes.
const SummaryFile = "evoschema.json"

// run is the work on the files.
type run struct {
	Config
	dir      *outdir.Dir
	contents map[string]*content // by schema and gold SQL before
	summary  *Summary
	examples *dataset.SplitWriter
	left     *json.Encoder
	after    map[string]*dataset.Database // written schemas, by id
	order    []string
}

// content is a generated database for one gold SQL.
type content struct {
	path   string // of the SQLite file
	before *perturb.Example
	answer *sqldata.Result
	reason string // why it cannot be used
	detail string
}

// Run checks and repairs the records of the files. It writes the records whose gold SQL keeps the answer to SPLIT.json and
// tables.json, all others to left-out.jsonl, and the counts to [SummaryFile].
func Run(ctx context.Context, c Config) (s *Summary, err error) {
	dir, err := outdir.NewDir(c.Out, SummaryFile)
	if err != nil {
		return nil, err
	}
	r := &run{Config: c, dir: dir, contents: map[string]*content{}, summary: &Summary{Seed: c.Seed}, after: map[string]*dataset.Database{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, dir.Abort())
		}
	}()
	if err := dir.Restart(); err != nil {
		return nil, err
	}
	if err := r.files(ctx); err != nil {
		return nil, err
	}
	tables := func(w *dataset.TablesWriter) error {
		return lists.Each(r.order, func(id string) error { return w.Write(r.after[id]) })
	}
	if err := dataset.CreateTables(dir.Path("tables.json"), tables); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(r.summary, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(dir.Path(SummaryFile), append(data, '\n'), 0o666); err != nil {
		return nil, err
	}
	return r.summary, dir.Commit()
}

// files checks the records of all files one after the other, and writes the examples and the records that are left out. Generated
// databases are in a folder that it removes at the end.
func (r *run) files(ctx context.Context) (err error) {
	split, err := os.Create(r.dir.Path(r.Split + ".json"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, split.Close()) }()
	left, err := os.Create(r.dir.Path("left-out.jsonl"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, left.Close()) }()
	work := r.dir.Path("generated")
	if err := os.Mkdir(work, 0o777); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	r.examples, r.left = dataset.NewSplitWriter(split), json.NewEncoder(left)
	for _, file := range r.Files {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		counts := r.summary.add(name)
		err := dataset.ArrayOrLines(dataset.File(file), r.Report, func(raw dataset.Raw, _ bool) error {
			var rec record
			if err := dataset.Decode(raw.JSON, &rec); err != nil {
				r.Report(raw.Problem(err))
				return nil
			}
			r.Step()
			return r.record(ctx, work, counts, &rec)
		})
		if err != nil {
			return err
		}
	}
	return r.examples.Close()
}

// record checks and repairs one record, counts it, and writes it with its provenance or, if it is left out, the reason.
func (r *run) record(ctx context.Context, work string, counts *Counts, rec *record) error {
	counts.Records++
	out := &outcome{counts: counts}
	if err := r.judge(ctx, work, rec, out); err != nil {
		return err
	}
	if out.gold == "" {
		counts.leave(out.reason)
		return r.left.Encode(leftOut{counts.Type, rec.Index, rec.DB, out.reason, out.detail})
	}
	p := Provenance{Type: counts.Type, Index: rec.Index, Gold: out.gold, Before: rec.Query}
	if out.gold == Repaired {
		counts.Repaired++
		p.Theirs = *rec.NewGold
	}
	if counts.Written++; !perturb.Conclusive(out.answer) {
		counts.Weak++
	}
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if r.after[out.after.ID] == nil {
		r.after[out.after.ID] = out.after
		r.order = append(r.order, out.after.ID)
	}
	ex := &dataset.Example{DB: out.after.ID, Question: rec.Question, Query: out.query, Further: []dataset.Member{{Key: "evoschema", Value: data}}}
	return r.examples.Write(dataset.NewSpiderExample(out.after, ex))
}

// outcome is what comes of a record: gold SQL that keeps the answer, or a reason.
type outcome struct {
	counts         *Counts
	gold           Gold
	query          string
	after          *dataset.Database
	answer         *sqldata.Result
	reason, detail string
}

// leave sets the reason why a record is left out.
func (o *outcome) leave(reason string, err error) {
	o.reason = reason
	if err != nil {
		o.detail = err.Error()
	}
}

// judge sets out to gold SQL that keeps the answer of a record, or to the reason why there is none. Its error ends the run.
func (r *run) judge(ctx context.Context, work string, rec *record, out *outcome) error {
	before, after, err := rec.schemas()
	if err != nil {
		out.leave(badSchema, err)
		return nil
	}
	out.after = after
	theirs, hasGold := rec.gold(out.counts.Type)
	compileErr := compile(theirs, after)
	if hasGold {
		out.counts.Gold++
		if compileErr == nil {
			out.counts.Compiled++
		}
	}
	c, err := r.content(ctx, work, before, rec.Query)
	switch {
	case err != nil:
		return err
	case c.reason != "":
		out.reason, out.detail = c.reason, c.detail
		return nil
	case !hasGold && compileErr == nil:
		out.leave(notNeeded, nil)
		return nil
	case !hasGold:
		out.leave(noGold, compileErr)
		return nil
	}
	change, err := rec.change(before, after)
	if err != nil {
		out.leave(notComputed, err)
		return nil
	}
	return c.repair(ctx, rec, change, theirs, compileErr, out)
}

// repair sets out to theirs, the record's gold SQL after the change, if it gives the answer before; else to gold SQL
// rewritten from that before the change, or to the reason why neither gives that answer. compileErr is nil if theirs compiles.
func (c *content) repair(ctx context.Context, rec *record, change *change, theirs string, compileErr error, out *outcome) error {
	out.answer = c.answer
	if compileErr != nil {
		out.leave(notCompiling, compileErr)
	} else if err := c.holds(ctx, theirs, change.tables); err != nil {
		out.leave(otherAnswer, err)
	} else {
		out.counts.Same++
		out.gold, out.query = Kept, theirs
		return ctx.Err()
	}
	if rec.NewGold == nil { // theirs is the gold SQL before, so there is nothing to rewrite
		return ctx.Err()
	}
	ours, err := change.gold(c.before)
	if err == nil && compile(ours, out.after) == nil && c.holds(ctx, ours, change.tables) == nil {
		out.gold, out.query = Repaired, ours
	}
	return ctx.Err()
}

// removesUnused is the type of records whose gold SQL stays, as what it needs does.
const removesUnused = "remove_columns"

// gold returns the gold SQL after the change of a record of a type (kind). If the record has none, it returns the gold SQL before, and
// true only if that stays by the type.
func (r *record) gold(kind string) (string, bool) {
	if r.NewGold != nil {
		return *r.NewGold, true
	}
	return r.Query, kind == removesUnused
}

// compile returns an error unless gold SQL resolves in a schema.
func compile(query string, db *dataset.Database) error {
	_, b, err := sqlast.ParseResolved(query, db)
	if err == nil && len(b.Problems) > 0 {
		err = b.Problems[0]
	}
	return err
}

// content returns a database of generated rows for gold SQL before a change, with its answer there, or with the reason why there is none.
// Records with the same tables and gold SQL share one.
func (r *run) content(ctx context.Context, work string, db *dataset.Database, query string) (*content, error) {
	tables, err := json.Marshal(db.Tables)
	if err != nil {
		return nil, err
	}
	key := string(tables) + query
	if c := r.contents[key]; c != nil {
		return c, nil
	}
	c := &content{}
	r.contents[key] = c
	if c.before, err = perturb.NewExample(db, &dataset.Example{DB: db.ID, Query: query}); err != nil {
		c.reason, c.detail = badGold, err.Error()
		return c, nil
	}
	for try := range uint64(tries) {
		path := filepath.Join(work, fmt.Sprintf("%d-%d.sqlite", len(r.contents), try))
		if err := c.generate(ctx, path, db, r.Seed+try); err != nil {
			c.reason, c.detail = failingGold, err.Error()
			return c, ctx.Err()
		}
		if perturb.Conclusive(c.answer) {
			break
		}
	}
	return c, nil
}

// tries is how many databases are generated until gold SQL before a change has an answer that could show a difference.
const tries = 4

// generate makes rows in the file at path and runs the gold SQL on them.
func (c *content) generate(ctx context.Context, path string, db *dataset.Database, seed uint64) (err error) {
	if _, err := verify.Generate(ctx, path, db, []*perturb.Example{c.before}, seed); err != nil {
		return err
	}
	c.path = path
	c.answer, err = c.query(ctx, c.before.Query)
	return err
}

// query runs SQL on the generated rows.
func (c *content) query(ctx context.Context, query string) (_ *sqldata.Result, err error) {
	db, err := sqlite.Open(ctx, c.path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Query(ctx, sqlast.JoinOperators(query), sqldata.Limits{})
}

// holds returns an error unless gold SQL after the change, run on tables that are computed from those before, gives the answer of the
// gold SQL before.
func (c *content) holds(ctx context.Context, query string, tables map[string]string) error {
	with, err := withTables(query, tables)
	if err != nil {
		return err
	}
	answer, err := c.query(ctx, with)
	if err == nil && !perturb.Holds(c.before.Gold, c.answer, answer) {
		err = errors.New("the answer is another one")
	}
	return err
}
