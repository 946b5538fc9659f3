package augment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

// grades maps the grades of the guide to the validity that each counts as: a judge is
// right nine times of ten.
var grades = map[string]float64{"valid": 0.9, "doubtful": 0.5, "invalid": 0.1}

// gradedValidity returns the validity of a graded name: a third of the predicted validity, two thirds of that of its grade,
// an element of grades. A judge has read the table; the prediction of a name that a model proposed knows no such names.
func gradedValidity(predicted, grade float64) float64 {
	return roundValidity((predicted + 2*grade) / 3)
}

// gradeTokens is about what an answer needs for a name.
const gradeTokens = 12

// grade asks a large model to grade the names for a table that have a bucket, and sets their Validity and
// Grade. It shows them in one request, without sources and scores, and leaves out those that would stay
// below the minimum validity even as "valid".
func (a *Augmenter) grade(ctx context.Context, u *dataset.Unit, table int, names []Judged) error {
	var asked []*Judged
	for i := range names {
		if j := &names[i]; j.Decision.Side != "" && gradedValidity(j.Validity, grades["valid"]) >= a.Validity.Min {
			asked = append(asked, j)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	slices.SortStableFunc(asked, func(x, y *Judged) int {
		return cmp.Or(cmp.Compare(x.Column, y.Column), cmp.Compare(y.Decision.Side, x.Decision.Side), cmp.Compare(x.Name, y.Name))
	})
	prompt := newPrompt(u, table)
	for n, j := range asked {
		prompt.Names = append(prompt.Names, promptName{n + 1, string(j.Decision.Side), prompt.Columns[j.Column].Name, j.Name})
	}
	return ask(ctx, a.Judge, u, table, PurposeJudge, prompt, gradeTokens*len(asked), func(answer string) error {
		list, err := readGrades(answer, len(asked))
		for n, grade := range list {
			asked[n].Validity, asked[n].Grade = gradedValidity(asked[n].Validity, grades[grade]), grade
		}
		return err
	})
}

// readGrades parses an answer about n names, {"1": "valid", …}, and returns their grades.
func readGrades(answer string, n int) ([]string, error) {
	var answered map[string]string
	if err := readAnswer(answer, &answered); err != nil {
		return nil, err
	}
	out := make([]string, n)
	for i := range out {
		grade, ok := answered[strconv.Itoa(i+1)]
		if _, known := grades[grade]; !ok || !known {
			return nil, fmt.Errorf("the answer grades name %d as %q, expected valid, doubtful or invalid", i+1, chat.Bounded(chat.OneLine(grade), 40))
		}
		out[i] = grade
	}
	if len(answered) != n {
		return nil, fmt.Errorf("the answer has %d grades, expected %d", len(answered), n)
	}
	return out, nil
}
