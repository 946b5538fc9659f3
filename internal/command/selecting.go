package command

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/dataset"
)

// selecting says which examples of a split are worked on.
type selecting struct {
	most           int      // the first so many
	only           []string // databases
	chosenExamples string   // file
}

func (s *selecting) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.IntVar(&s.most, "limit", 0, "perturb the first so many examples, of those that --only and --examples leave (default: all)")
	fl.StringSliceVar(&s.only, "only", nil, "perturb the examples of these databases, by db_id; repeatable or comma-separated")
	fl.StringVar(&s.chosenExamples, "examples", "", "perturb the examples of this file, one a line: the id of a question, or where the data set has none, and after #, its position in the split from 0, as rejected.jsonl and show have it")
}

func (s *selecting) all() bool { return s.most == 0 && len(s.only) == 0 && s.chosenExamples == "" }

// pick returns the units with the examples that are selected, and a word for these, which
// is empty for all. The turns of an interaction stay together.
func (s *selecting) pick(units []*dataset.Unit) ([]*dataset.Unit, string, error) {
	if s.all() {
		return units, "", nil
	}
	if s.most < 0 {
		return nil, "", fmt.Errorf("--limit %d: expected 1 or more", s.most)
	}
	list := inOrder(units)
	n := len(list)
	list, err := s.ofDatabases(list)
	if err == nil && s.chosenExamples != "" {
		list, err = s.ofFile(list)
	}
	if err != nil {
		return nil, "", err
	}
	if list = s.first(list); len(list) == 0 {
		return nil, "", fmt.Errorf("--limit %d: the first interaction has more turns, expected as many or more", s.most)
	}
	return restricted(units, list), described(list, n), nil
}

// inOrder returns the examples of units in the order of the split.
func inOrder(units []*dataset.Unit) (list []*dataset.Example) {
	for _, u := range units {
		list = append(list, u.Examples...)
	}
	slices.SortFunc(list, func(a, b *dataset.Example) int { return a.Index - b.Index })
	return list
}

func (s *selecting) ofDatabases(list []*dataset.Example) ([]*dataset.Example, error) {
	if len(s.only) == 0 {
		return list, nil
	}
	for _, db := range s.only {
		if !slices.ContainsFunc(list, func(ex *dataset.Example) bool { return ex.DB == db }) {
			return nil, fmt.Errorf("--only %q: no question of the split is about it, expected the db_id of one", dataset.Clip(db))
		}
	}
	return slices.DeleteFunc(list, func(ex *dataset.Example) bool { return !slices.Contains(s.only, ex.DB) }), nil
}

// ofFile returns the examples that the file names, and the other turns of their interactions.
func (s *selecting) ofFile(list []*dataset.Example) (out []*dataset.Example, err error) {
	file, err := os.Open(s.chosenExamples)
	if err != nil {
		return nil, fmt.Errorf("--examples: %w", err)
	}
	defer file.Close()
	named := newExampleNames(list)
	lines := bufio.NewScanner(file)
	chosen := map[*dataset.Example]bool{}
	interactions := map[int]bool{}
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		found := named.find(text)
		if len(found) == 0 {
			return nil, fmt.Errorf("--examples: %s:%d: %q is no question that is selected, expected its %s", s.chosenExamples, n, dataset.Clip(text), named.want())
		}
		for _, ex := range found {
			chosen[ex], interactions[ex.Interaction] = true, ex.Interaction > 0
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("--examples: %s: %w", s.chosenExamples, err)
	}
	for _, ex := range list {
		if chosen[ex] || interactions[ex.Interaction] {
			out = append(out, ex)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("--examples: %s: names no question, expected one a line", s.chosenExamples)
	}
	return out, nil
}

// exampleNames are what examples go by in a file: ids of the data set, and positions.
type exampleNames struct {
	ids map[string][]*dataset.Example
	at  map[int]*dataset.Example
}

func newExampleNames(list []*dataset.Example) *exampleNames {
	n := &exampleNames{map[string][]*dataset.Example{}, map[int]*dataset.Example{}}
	for _, ex := range list {
		n.at[ex.Index] = ex
		if ex.ID != "" {
			n.ids[ex.ID] = append(n.ids[ex.ID], ex)
		}
	}
	return n
}

func (n *exampleNames) want() string {
	if len(n.ids) == 0 {
		return "position in the split from 0"
	}
	return "id, or # and its position in the split from 0"
}

// find returns the examples that a line names: several where an id is not unique.
func (n *exampleNames) find(text string) []*dataset.Example {
	position, marked := strings.CutPrefix(text, "#")
	if !marked && len(n.ids) > 0 {
		return n.ids[text]
	}
	i, err := strconv.Atoi(position)
	if ex := n.at[i]; err == nil && ex != nil {
		return []*dataset.Example{ex}
	}
	return nil
}

// first returns as many of the examples as the limit lets through; none of an interaction
// that it would cut.
func (s *selecting) first(list []*dataset.Example) []*dataset.Example {
	n := s.most
	if n == 0 || n >= len(list) {
		return list
	}
	for n > 0 && list[n].Interaction > 0 && list[n].Interaction == list[n-1].Interaction {
		n--
	}
	return list[:n]
}

// restricted returns units with some of their examples, without those that have none.
func restricted(units []*dataset.Unit, list []*dataset.Example) (out []*dataset.Unit) {
	keep := map[*dataset.Example]bool{}
	for _, ex := range list {
		keep[ex] = true
	}
	for _, u := range units {
		some := *u
		some.Examples = slices.DeleteFunc(slices.Clone(u.Examples), func(ex *dataset.Example) bool { return !keep[ex] })
		if len(some.Examples) > 0 {
			out = append(out, &some)
		}
	}
	return out
}

// described is a word for some examples of a split, which no others have.
func described(list []*dataset.Example, of int) string {
	if len(list) == of {
		return ""
	}
	h := sha256.New()
	for _, ex := range list {
		fmt.Fprintln(h, ex.Index)
	}
	return fmt.Sprintf("%d of %d, %x", len(list), of, h.Sum(nil)[:8])
}
