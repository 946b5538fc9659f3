package augment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/nli"
)

// grades are those of the guide, with the validity that each stands for: a judge is
// right nine times of ten.
var grades = map[string]float64{"valid": 0.9, "doubtful": 0.5, "invalid": 0.1}

// graded is the validity of a name that a judge graded: the mean of the predicted one
// and of what the grade stands for.
func graded(predicted, grade float64) float64 { return rounded((predicted + grade) / 2) }

// gradeTokens is about what an answer needs for a name.
const gradeTokens = 12

// judge has a model grade the proposals for a table that have a bucket: one request a
// table, which tells nothing of sources and scores. Not asked about are names that no
// grade would bring up to the least validity.
func (a *Augmenter) judge(ctx context.Context, u *dataset.Unit, table int, proposals [][]Proposal, decisions [][]nli.Decision) error {
	var names []judged
	for i, list := range proposals {
		for j := range list {
			if side := decisions[i][j].Side; side != "" && graded(list[j].Validity, grades["valid"]) >= a.Validity.Min {
				names = append(names, judged{i, side, &list[j]})
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.SortStableFunc(names, func(x, y judged) int {
		return cmp.Or(cmp.Compare(x.column, y.column), cmp.Compare(y.side, x.side), cmp.Compare(x.Name, y.Name))
	})
	s := sheetOf(u, table)
	for n, name := range names {
		s.Names = append(s.Names, sheetName{n + 1, string(name.side), s.Columns[name.column].Name, name.Name})
	}
	return ask(ctx, a.Judge, u, table, PurposeJudge, s, gradeTokens*len(names), func(answer string) error {
		list, err := readGrades(answer, len(names))
		for n, grade := range list {
			names[n].Validity, names[n].Grade = graded(names[n].Validity, grades[grade]), grade
		}
		return err
	})
}

// judged is a name that is to be graded.
type judged struct {
	column int
	side   dataset.Side
	*Proposal
}

// readGrades reads an answer about n names.
func readGrades(answer string, n int) ([]string, error) {
	var said map[string]string
	if err := readAnswer(answer, &said); err != nil {
		return nil, err
	}
	out := make([]string, n)
	for i := range out {
		grade, ok := said[strconv.Itoa(i+1)]
		if _, known := grades[grade]; !ok || !known {
			return nil, fmt.Errorf("the answer grades name %d as %q, expected valid, doubtful or invalid", i+1, chat.Bounded(chat.OneLine(grade), 40))
		}
		out[i] = grade
	}
	if len(said) != n {
		return nil, fmt.Errorf("the answer has %d grades, expected %d", len(said), n)
	}
	return out, nil
}
