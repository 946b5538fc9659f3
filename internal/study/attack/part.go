package attack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
)

// PartKind is the kind of parts that a divided attack leaves. Its units are databases.
const PartKind = "attack"

// Assembly is what a merge of parts needs besides the results; equal in all parts.
type Assembly struct {
	Summary Summary `json:"summary"` // with all counts 0
	Split   string  `json:"split"`
	Seed    uint64  `json:"seed"`
	Inputs  string  `json:"inputs"` // hashes of the data directory and its databases
}

// PartOptions identifies a part and its work.
type PartOptions struct {
	Out         string // the output of the whole work, next to which the part lies
	Share       outdir.Share
	Assembly    Assembly
	Fingerprint string // identifies names and victims
	Resume      bool   // go on where an interrupted share stopped
	Note        func(error)
	Unchanged   func() error // reports an input that was changed meanwhile
}

// MakePart attacks the questions of one share of the units and writes the results to a part next to o.Out.
func MakePart(ctx context.Context, c *Campaign, o PartOptions) (*outdir.Part, error) {
	failed := 0 // questions without an answer
	work := outdir.Division{
		Kind: PartKind, Fingerprint: fmt.Sprint(o.Assembly.Inputs, c.Moves, c.MaxEdits, c.MinValidity, c.Worst, o.Fingerprint),
		Assembly: o.Assembly, Resume: o.Resume, Note: o.Note, Unchanged: o.Unchanged, Failed: func() int { return failed },
	}
	work.Sizes = lists.Map(c.Units, func(u *dataset.Unit) int64 { return int64(len(u.Examples)) })
	return work.Part(o.Out, o.Share, func(_ *outdir.Dir, shards *outdir.Shards, mine []int) error {
		err := outdir.Run(ctx, c.Workers, mine, func(ctx context.Context, _, i int) error { return c.shard(ctx, shards, i) })
		if err != nil {
			return err
		}
		for _, i := range mine {
			n, err := countUnanswered(shards, i)
			if err != nil {
				return err
			}
			failed += n
		}
		return nil
	})
}

// shard attacks a unit and writes its results as a shard, unless it has a shard in which every question was answered.
func (c *Campaign) shard(ctx context.Context, shards *outdir.Shards, unit int) error {
	if shards.Has(PartKind, unit) {
		if n, err := countUnanswered(shards, unit); err != nil || n == 0 {
			return err
		}
	}
	found, err := c.unit(ctx, c.Units[unit])
	if err != nil {
		return err
	}
	data, err := found.encode()
	if err != nil {
		return err
	}
	return shards.Write(PartKind, unit, data)
}

// Merged returns the assembly that the parts of an attack have in common, and the results of each unit.
// open reads the units that the assembly describes. Errors name the output, out.
func Merged(parts []*outdir.Part, out string, open func(*Assembly) ([]*dataset.Unit, error)) (*Assembly, []*UnitResult, error) {
	var all Assembly
	if err := json.Unmarshal(parts[0].Assembly, &all); err != nil {
		return nil, nil, fmt.Errorf("%s: %w, expected the parts of an attack", out, err)
	}
	units, err := open(&all)
	if err != nil {
		return nil, nil, err
	}
	found := make([]*UnitResult, len(units))
	for i, u := range units {
		data, err := outdir.ShardsOf(parts).Read(PartKind, i)
		if err != nil {
			return nil, nil, err
		}
		if found[i], err = decode(data, u, len(all.Summary.Transfers)); err != nil {
			return nil, nil, fmt.Errorf("%s: a part %w", out, err)
		}
	}
	return &all, found, nil
}

// unitShard is a [UnitResult] as it is written.
type unitShard struct {
	Results   []resultShard
	Transfers [][2]int // asked, fooled
}

// resultShard is a [Result] as it is written.
type resultShard struct {
	Index int
	Course
	Edits      json.RawMessage `json:",omitempty"`
	Failed     string          `json:",omitempty"`
	Unanswered bool            `json:",omitempty"` // it failed for want of an answer
}

// encode returns the results of a unit as the JSON of its shard, which [decode] parses. Of an error it keeps the message, and whether the
// victim gave no answer.
func (u *UnitResult) encode() ([]byte, error) {
	var s unitShard
	for _, r := range u.Results {
		one := resultShard{Index: r.Example.Index, Course: r.Course}
		if r.Failed != nil {
			one.Failed = r.Failed.Error()
			_, one.Unanswered = errors.AsType[*NoAnswer](r.Failed)
		}
		if len(r.Edits) > 0 {
			var err error
			if one.Edits, err = perturb.MarshalEdits(r.Edits); err != nil {
				return nil, err
			}
		}
		s.Results = append(s.Results, one)
	}
	s.Transfers = lists.Map(u.Transfers, func(t Transfer) [2]int { return [2]int{t.Asked, t.Fooled} }) // by other victim
	return json.Marshal(s)
}

// countUnanswered returns the number of questions in the shard of a unit to which a victim gave no answer.
func countUnanswered(shards *outdir.Shards, unit int) (n int, err error) {
	data, err := shards.Read(PartKind, unit)
	if err != nil {
		return 0, err
	}
	var s unitShard
	if err := json.Unmarshal(data, &s); err != nil {
		return 0, err
	}
	return lists.Count(s.Results, func(r resultShard) bool { return r.Unanswered }), nil
}

// decode parses the shard of a unit. It returns an error unless the shard has a result for each example, in their order, and
// the given number of transfers. The error continues a sentence that begins with "a part".
func decode(data []byte, u *dataset.Unit, transfers int) (*UnitResult, error) {
	var s unitShard
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	if len(s.Results) != len(u.Examples) || len(s.Transfers) != transfers {
		return nil, fmt.Errorf("has %d questions of %s, expected %d", len(s.Results), u.DB.ID, len(u.Examples))
	}
	found := &UnitResult{}
	for i, one := range s.Results {
		ex := u.Examples[i]
		if one.Index != ex.Index {
			return nil, fmt.Errorf("has example %d of %s, expected %d", one.Index+1, u.DB.ID, ex.Index+1)
		}
		r := &Result{Example: ex, Course: one.Course}
		if one.Failed != "" {
			r.Failed = errors.New(one.Failed)
		}
		if len(one.Edits) > 0 {
			var err error
			if r.Edits, err = perturb.UnmarshalEdits(one.Edits); err != nil {
				return nil, err
			}
		}
		found.Results = append(found.Results, r)
	}
	found.Transfers = lists.Map(s.Transfers, func(t [2]int) Transfer { return Transfer{Asked: t[0], Fooled: t[1]} })
	return found, nil
}
