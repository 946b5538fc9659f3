package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/study/attack"
	"github.com/tabperturb/tabperturb/perturb"
)

// attackKind is the kind of parts that a divided attack leaves.
const attackKind = "attack"

// attackAssembly is what a merge needs beside what the questions came to.
type attackAssembly struct {
	Victim    string            `json:"victim"`
	Goal      string            `json:"goal"`
	Search    string            `json:"search"`
	Budget    int               `json:"budget"`
	Transfers []string          `json:"transfers"`
	Split     string            `json:"split"`
	Seed      uint64            `json:"seed"`
	Inputs    []benchmark.Input `json:"inputs"` // the data directory, and its databases
}

// fallenShard is [fallen] as it is written.
type fallenShard struct {
	Results   []resultShard
	Transfers [][2]int // asked, fooled
}

type resultShard struct {
	Index   int
	Right   bool            `json:",omitempty"`
	Sites   int             `json:",omitempty"`
	Fooled  bool            `json:",omitempty"`
	Queries int             `json:",omitempty"`
	At      int             `json:",omitempty"`
	Edits   json.RawMessage `json:",omitempty"`
	Failed  string          `json:",omitempty"`
	Silent  bool            `json:",omitempty"` // failed for want of an answer
}

func encodeFallen(found *fallen) ([]byte, error) {
	var s fallenShard
	for _, r := range found.results {
		one := resultShard{Index: r.Example.Index, Right: r.Right, Sites: r.Sites, Fooled: r.Fooled, Queries: r.Queries, At: r.At}
		if r.Failed != nil {
			one.Failed = r.Failed.Error()
			_, one.Silent = errors.AsType[*attack.NoAnswer](r.Failed)
		}
		if r.Fooled {
			var err error
			if one.Edits, err = perturb.MarshalEdits(r.Edits); err != nil {
				return nil, err
			}
		}
		s.Results = append(s.Results, one)
	}
	for _, t := range found.transfers {
		s.Transfers = append(s.Transfers, [2]int{t.Asked, t.Fooled})
	}
	return json.Marshal(s)
}

// silent counts the questions of a shard that a victim gave no answer to.
func silent(shards *outdir.Shards, i int) (n int, err error) {
	data, err := shards.Read(attackKind, i)
	if err != nil {
		return 0, err
	}
	var s fallenShard
	if err := json.Unmarshal(data, &s); err != nil {
		return 0, err
	}
	for _, one := range s.Results {
		if one.Silent {
			n++
		}
	}
	return n, nil
}

// decodeFallen reads what became of the questions of a unit.
func decodeFallen(data []byte, u *dataset.Unit, transfers int) (*fallen, error) {
	var s fallenShard
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	if len(s.Results) != len(u.Examples) || len(s.Transfers) != transfers {
		return nil, fmt.Errorf("has %d questions of %s, expected %d", len(s.Results), u.DB.ID, len(u.Examples))
	}
	found := &fallen{}
	for i, one := range s.Results {
		ex := u.Examples[i]
		if one.Index != ex.Index {
			return nil, fmt.Errorf("has example %d of %s, expected %d", one.Index+1, u.DB.ID, ex.Index+1)
		}
		r := &attack.Result{Example: ex, Right: one.Right, Sites: one.Sites, Fooled: one.Fooled, Queries: one.Queries, At: one.At}
		if one.Failed != "" {
			r.Failed = errors.New(one.Failed)
		}
		if one.Fooled {
			var err error
			if r.Edits, err = perturb.UnmarshalEdits(one.Edits); err != nil {
				return nil, err
			}
		}
		found.results = append(found.results, r)
	}
	for _, t := range s.Transfers {
		found.transfers = append(found.transfers, attack.Transfer{Asked: t[0], Fooled: t[1]})
	}
	return found, nil
}

func (f *attackFlags) checkPart() error {
	switch {
	case f.out == "":
		return errors.New("--shard: leaves a part beside the output, expected --out")
	case f.limit > 0:
		return errors.New("--shard: a share attacks all of its questions, expected no --limit")
	case f.record != "":
		return errors.New("--shard: each share records beside its part, expected no --record")
	}
	return nil
}

// attackPart attacks the questions of one share of the databases.
func (a *app) attackPart(ctx context.Context, f *attackFlags, c attack.Config, share outdir.Share) (err error) {
	if err := f.checkPart(); err != nil {
		return err
	}
	t, err := a.openAttack(f, c, share.Path(f.out))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	s := f.summary()
	all := attackAssembly{Victim: s.Victim, Goal: s.Goal, Search: s.Search, Budget: s.Budget, Transfers: f.transfer, Split: f.split, Seed: a.seed}
	if all.Inputs, err = attackInputs(f.data, f.split, t.units); err != nil {
		return err
	}
	fingerprint, err := f.fingerprint()
	if err != nil {
		return err
	}
	work := outdir.Division{
		Kind: attackKind, Fingerprint: fmt.Sprint(all.Inputs, c.Moves, c.MaxEdits, c.MinValidity, fingerprint),
		Sizes: make([]int64, len(t.units)), Assembly: all, Resume: f.resume, Note: a.warn, Unchanged: stampsOf(databaseFiles(t.units)...).check,
	}
	for i, u := range t.units {
		work.Sizes[i] = int64(len(u.Examples))
	}
	step, done := a.start("attack", -1)
	defer done()
	failed := 0
	work.Failed = func() int { return failed }
	part, err := work.Part(f.out, share, func(_ *outdir.Dir, shards *outdir.Shards, mine []int) error {
		err := outdir.Run(ctx, a.workers, mine, func(ctx context.Context, _, i int) error {
			if shards.Has(attackKind, i) {
				if n, err := silent(shards, i); err != nil || n == 0 {
					return err
				}
			}
			found, err := t.unit(ctx, t.units[i], step)
			if err != nil {
				return err
			}
			data, err := encodeFallen(found)
			if err != nil {
				return err
			}
			return shards.Write(attackKind, i, data)
		})
		for _, i := range mine {
			if err == nil {
				var n int
				n, err = silent(shards, i)
				failed += n
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return a.printPart(part, f.out, "database")
}

// attackInputs are the inputs that an attack and what is built of it depend on.
func attackInputs(data, split string, units []*dataset.Unit) ([]benchmark.Input, error) {
	inputs, err := dataInputs(data, split)
	if err != nil {
		return nil, err
	}
	databases, err := benchmark.HashDatabases(units)
	return append(inputs, databases), err
}

// fingerprint identifies the names and the victims. A command line is not in it: one may hold
// keys, and another may lead to the same model.
func (f *attackFlags) fingerprint() (string, error) {
	files := append([]string{}, f.buckets...)
	if f.template != "" {
		files = append(files, f.template)
	}
	for _, name := range append([]string{f.victim}, f.transfer...) {
		other := victimFlags{victim: name}
		if file := other.linkerName(); other.isLinker() && file != trainedLinker {
			files = append(files, file)
		}
	}
	hashed, err := hashFiles(files...)
	return fmt.Sprint(hashed, f.model, f.api, f.temperature, f.maxTokens), err
}

// mergeAttack tells of what all parts found, and builds it.
func (a *app) mergeAttack(ctx context.Context, m *merging, parts []*outdir.Part) error {
	var all attackAssembly
	if err := json.Unmarshal(parts[0].Assembly, &all); err != nil {
		return fmt.Errorf("%s: %w, expected the parts of an attack", m.out, err)
	}
	if m.data == "" {
		return errors.New("--data: what a victim fell for is built from its data directory, expected that of the attack")
	}
	units, err := a.readUnits(m.data, all.Split)
	if err != nil {
		return err
	}
	inputs, err := attackInputs(m.data, all.Split, units)
	if err != nil {
		return err
	}
	if fmt.Sprint(inputs) != fmt.Sprint(all.Inputs) || len(units) != parts[0].Units {
		return fmt.Errorf("--data %s: is not the data directory of the attack, expected that", m.data)
	}
	found := make([]*fallen, len(units))
	for i, u := range units {
		data, err := outdir.ShardsOf(parts).Read(attackKind, i)
		if err != nil {
			return err
		}
		if found[i], err = decodeFallen(data, u, len(all.Transfers)); err != nil {
			return fmt.Errorf("%s: a part %w", m.out, err)
		}
	}
	a.seed = all.Seed
	f := &attackFlags{data: m.data, split: all.Split, search: all.Search, out: m.out}
	s := &attack.Summary{Victim: all.Victim, Goal: all.Goal, Search: all.Search, Budget: all.Budget}
	for _, name := range all.Transfers {
		s.Transfers = append(s.Transfers, attack.Transfer{Victim: name})
	}
	return a.tellAttack(ctx, f, s, found)
}
