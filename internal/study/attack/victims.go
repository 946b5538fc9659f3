package attack

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"text/template"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/internal/remote/victim"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// Linker is a linker under attack. It is right if it links every item that the gold SQL
// uses; its margin is the lowest of their probabilities.
type Linker struct {
	Model  *linker.Model
	Schema *linker.Schema // of the database
}

// Ask implements [Victim]. It links the draft's question in the perturbed schema, which it makes in memory; no database is
// written. A gold SQL that cannot be bound to that schema is a [NoAnswer].
func (v *Linker) Ask(_ context.Context, d *verify.Draft) (Outcome, error) {
	s := v.Schema
	if slices.ContainsFunc(d.Edits, perturb.Edit.ChangesSchema) {
		var err error
		if s, err = s.Edited(d.Edits); err != nil {
			return Outcome{}, err
		}
	}
	ex := linker.NewExample(s, d.After)
	used, err := s.Used(d.After.Query)
	if err != nil {
		return Outcome{}, &NoAnswer{err}
	}
	least := math.Inf(1)
	for i, p := range v.Model.Score(ex) {
		if used[i] {
			least = min(least, float64(p))
		}
	}
	return Outcome{Right: least >= linker.Threshold, Margin: least}, nil // right if the linker finds every item of the gold SQL
}

// Writer is a model that writes SQL, under attack. It is right if its SQL gives the same answer as the
// gold SQL on the perturbed database; its margin is 1, or 0 for a wrong answer.
type Writer struct {
	Asking   *victim.Asking
	Template *template.Template
	DB       *dataset.Database // before
	Scratch  string            // folder for databases
}

// Ask implements [Victim]. It asks the model for SQL and compares its answer with that of the gold SQL. If the draft changes the schema,
// a perturbed copy of the database exists during the call.
func (v *Writer) Ask(ctx context.Context, d *verify.Draft) (Outcome, error) {
	schema := *d.Schema
	if schema.SQLite = v.DB.SQLite; schema.SQLite == "" {
		return Outcome{}, &NoAnswer{errors.New("has no content, on which answers could be compared")}
	}
	if slices.ContainsFunc(d.Edits, perturb.Edit.ChangesSchema) {
		dir, err := os.MkdirTemp(v.Scratch, "attack-")
		if err != nil {
			return Outcome{}, err
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "after"+engine.Ext(v.DB.SQLite))
		if err := perturb.ApplyContent(ctx, v.DB.SQLite, path, d.Edits); err != nil {
			return Outcome{}, cmp.Or(ctx.Err(), error(&NoAnswer{err}))
		}
		schema.SQLite = path
	}
	prompts, err := victim.Prompts(ctx, &dataset.Unit{DB: &schema, Examples: []*dataset.Example{d.After}}, v.Template)
	if err != nil {
		return Outcome{}, err
	}
	answer, err := v.Asking.Ask(ctx, prompts[0])
	switch {
	case chat.NoAnswer(err):
		return Outcome{}, &NoAnswer{err}
	case err != nil:
		return Outcome{}, err
	}
	return v.judge(ctx, d.After.Query, victim.SQL(answer), schema.SQLite)
}

// judge compares the answers of sql and the gold SQL on the database at path. Unless they are found equal, the outcome is wrong, with
// margin 0.
func (v *Writer) judge(ctx context.Context, gold, sql, path string) (Outcome, error) {
	db, err := execution.Open(ctx, path)
	if err != nil {
		return Outcome{}, err
	}
	defer db.Close()
	out, err := execution.NewGold(gold, execution.Options{}).Judge(ctx, sql, db)
	if err != nil {
		return Outcome{}, err
	}
	if out.Verdict == verdict.Right {
		return Outcome{Right: true, Margin: 1}, nil
	}
	return Outcome{}, nil
}
