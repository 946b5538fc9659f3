package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/linking"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
)

// namedScorer is a linker with its name.
type namedScorer struct {
	name string
	linker.Scorer
}

// scorers returns the linkers that the flags name.
func (a *app) scorers(ctx context.Context, f *evalLinkFlags) ([]namedScorer, error) {
	methods, err := a.linkers(ctx, &f.knowledge)
	if err != nil {
		return nil, err
	}
	names := f.linker
	if f.linkers {
		for _, m := range methods {
			names = append(names, m.Name)
		}
		names = append(names, trainedLinker)
	}
	var list []namedScorer
	for _, name := range names {
		if i := slices.IndexFunc(methods, func(m link.Method) bool { return m.Name == name }); i >= 0 {
			list = append(list, namedScorer{name, linker.Mentions{Method: methods[i]}})
			continue
		}
		m, err := openLinker(name)
		if err != nil {
			return nil, err
		}
		list = append(list, namedScorer{name, m})
	}
	return list, nil
}

// evalItems compares the items that linkers found with those that gold SQL uses.
func (a *app) evalItems(ctx context.Context, f *evalLinkFlags) ([]linker.Row, error) {
	if f.build == "" && len(f.perturb) > 0 {
		return nil, errors.New("--perturb is given, expected --build with it")
	}
	list, err := a.scorers(ctx, f)
	if err != nil {
		return nil, err
	}
	if f.pred != "" {
		return a.evalItemFile(ctx, f)
	}
	data, err := a.readUnits(f.data, f.split)
	if err != nil {
		return nil, err
	}
	tallies, err := a.tallyItems(ctx, data, nil, list)
	if err != nil {
		return nil, err
	}
	var rows []linker.Row
	for i, t := range tallies {
		rows = append(rows, t.Row(list[i].name, f.split, nil))
	}
	if f.build == "" {
		return rows, nil
	}
	split, built, err := readBuild(f.build, f.perturb)
	if err != nil {
		return nil, err
	}
	for _, r := range built {
		dir := filepath.Join(f.build, filepath.FromSlash(r.Name))
		more, err := a.compareSides(ctx, dir, split, r.Name, list)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// compareSides scores linkers on both sides of a perturbation of a build.
func (a *app) compareSides(ctx context.Context, dir, split, name string, list []namedScorer) ([]linker.Row, error) {
	pre, err := a.readUnits(filepath.Join(dir, "pre"), split)
	if err != nil {
		return nil, err
	}
	post, err := a.readUnits(filepath.Join(dir, "post"), split)
	if err != nil {
		return nil, err
	}
	origin := map[int]string{}
	for _, u := range pre {
		for _, ex := range u.Examples {
			origin[ex.Index] = u.DB.ID
		}
	}
	before, err := a.tallyItems(ctx, pre, origin, list)
	if err != nil {
		return nil, err
	}
	after, err := a.tallyItems(ctx, post, origin, list)
	if err != nil {
		return nil, err
	}
	var rows []linker.Row
	for i, l := range list {
		rows = append(rows, after[i].Row(l.name, name, before[i]))
	}
	return rows, nil
}

// tallyItems scores linkers on units, of which origin names the original database of each
// example; nil where they are the originals.
func (a *app) tallyItems(ctx context.Context, units []*dataset.Unit, origin map[int]string, list []namedScorer) ([]*linker.Tally, error) {
	lexicon, err := linkLexicon()
	if err != nil {
		return nil, err
	}
	step, done := a.start("eval link", len(units))
	defer done()
	parts := make([][]*linker.Tally, len(units))
	problems := make([][]error, len(units))
	err = outdir.Run(ctx, a.workers, units, func(ctx context.Context, i int, u *dataset.Unit) (err error) {
		defer step()
		var examples []*linker.Example
		if examples, problems[i], err = linker.PrepareUnit(ctx, u, lexicon); err != nil {
			return err
		}
		for _, l := range list {
			t := &linker.Tally{}
			for _, ex := range examples {
				db := u.DB.ID
				if origin != nil {
					db = origin[ex.Source.Index]
				}
				t.Add(db, ex, l.Score(ex), linking.Score{})
			}
			parts[i] = append(parts[i], t)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sums := make([]*linker.Tally, len(list))
	for k := range sums {
		sums[k] = &linker.Tally{}
		for i := range parts {
			sums[k].Merge(parts[i][k])
		}
	}
	for _, list := range problems {
		for _, p := range list {
			a.report(p)
		}
	}
	return sums, nil
}

// evalItemFile scores a file of items, or of links.
func (a *app) evalItemFile(ctx context.Context, f *evalLinkFlags) (rows []linker.Row, err error) {
	if f.build != "" {
		return nil, errors.New("--pred: is of one data directory, expected no --build with it, but OUT/NAME/post as --data")
	}
	units, err := a.readUnits(f.data, f.split)
	if err != nil {
		return nil, err
	}
	in, err := dataset.OpenInput(f.pred, a.stdin)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	lines, err := linker.ReadLines(in, a.skip)
	if err != nil {
		return nil, err
	}
	lexicon, err := linkLexicon()
	if err != nil {
		return nil, err
	}
	var tally linker.Tally
	missing, used := 0, 0
	for _, u := range units {
		examples, problems, err := linker.PrepareUnit(ctx, u, lexicon)
		if err != nil {
			return nil, err
		}
		for _, p := range problems {
			a.report(p)
		}
		for _, ex := range examples {
			line, ok := lines[ex.Source.Index]
			if !ok || line.DB != u.DB.ID {
				missing++
				line.Items = nil
			} else {
				used++
			}
			p, wrong := ex.Schema.Find(line.Items)
			tally.Add(u.DB.ID, ex, p, wrong)
		}
	}
	if used == 0 {
		return nil, fmt.Errorf("%s: has no prediction for any of the %d questions of %s, expected index and db_id as there", in.Name, missing, f.split)
	}
	if missing > 0 {
		a.warn(fmt.Errorf("%s: %d of %d questions have no prediction; they count as ones without items", in.Name, missing, missing+used))
	}
	return []linker.Row{tally.Row("", f.split, nil)}, nil
}
