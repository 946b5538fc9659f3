package benchmark

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Selection selects examples of a split; the zero value selects all.
type Selection struct {
	Limit     int      // the first so many of those that the others select; 0 for all
	Databases []string // ids of databases; empty for all
	File      string   // path of a file that names examples, one a line; empty for all
}

// All reports whether every example is selected.
func (s *Selection) All() bool { return s.Limit == 0 && len(s.Databases) == 0 && s.File == "" }

// Pick returns the units with the selected examples, without units that have none, and a text
// that identifies the selection, empty for all examples. The turns of an interaction stay together.
func (s *Selection) Pick(units []*dataset.Unit) ([]*dataset.Unit, string, error) {
	if s.All() {
		return units, "", nil
	}
	if s.Limit < 0 {
		return nil, "", fmt.Errorf("--limit %d: expected 1 or more", s.Limit)
	}
	list := inOrder(units)
	n := len(list)
	list, err := s.ofDatabases(list)
	if err == nil && s.File != "" {
		list, err = s.ofFile(list)
	}
	if err != nil {
		return nil, "", err
	}
	if list = s.first(list); len(list) == 0 {
		return nil, "", fmt.Errorf("--limit %d: the first interaction has more turns, expected as many or more", s.Limit)
	}
	return restricted(units, list), describe(list, n), nil
}

// inOrder returns the examples of units in the order of the split.
func inOrder(units []*dataset.Unit) (list []*dataset.Example) {
	for _, u := range units {
		list = append(list, u.Examples...)
	}
	slices.SortFunc(list, func(a, b *dataset.Example) int { return a.Index - b.Index })
	return list
}

// ofDatabases returns the examples of the selected databases.
func (s *Selection) ofDatabases(list []*dataset.Example) ([]*dataset.Example, error) {
	if len(s.Databases) == 0 {
		return list, nil
	}
	for _, db := range s.Databases {
		if !slices.ContainsFunc(list, func(ex *dataset.Example) bool { return ex.DB == db }) {
			return nil, fmt.Errorf("--only %q: no question of the split is about it, expected the db_id of one", dataset.Clip(db))
		}
	}
	return slices.DeleteFunc(list, func(ex *dataset.Example) bool { return !slices.Contains(s.Databases, ex.DB) }), nil
}

// ofFile returns the examples that the file names, and the other turns of their interactions.
func (s *Selection) ofFile(list []*dataset.Example) (out []*dataset.Example, err error) {
	file, err := os.Open(s.File)
	if err != nil {
		return nil, fmt.Errorf("--examples: %w", err)
	}
	defer file.Close()
	names := newExampleNames(list)
	lines := bufio.NewScanner(file)
	chosen := map[*dataset.Example]bool{}
	interactions := map[int]bool{}
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		found := names.find(text)
		if len(found) == 0 {
			return nil, fmt.Errorf("--examples: %s:%d: %q is no question that is selected, expected its %s", s.File, n, dataset.Clip(text), names.expected())
		}
		for _, ex := range found {
			chosen[ex], interactions[ex.Interaction] = true, ex.Interaction > 0 // number 0 is of single questions
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("--examples: %s: %w", s.File, err)
	}
	for _, ex := range list {
		if chosen[ex] || interactions[ex.Interaction] {
			out = append(out, ex)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("--examples: %s: names no question, expected one a line", s.File)
	}
	return out, nil
}

// exampleNames finds examples by the names that a file has for them: ids of the data set, or
// positions in the split.
type exampleNames struct {
	byID       map[string][]*dataset.Example
	byPosition map[int]*dataset.Example
}

// newExampleNames indexes a list of examples.
func newExampleNames(list []*dataset.Example) *exampleNames {
	n := &exampleNames{map[string][]*dataset.Example{}, map[int]*dataset.Example{}}
	for _, ex := range list {
		n.byPosition[ex.Index] = ex
		if ex.ID != "" {
			n.byID[ex.ID] = append(n.byID[ex.ID], ex)
		}
	}
	return n
}

// expected describes, for an error, how a line names an example.
func (n *exampleNames) expected() string {
	if len(n.byID) == 0 {
		return "position in the split from 0"
	}
	return "id, or # and its position in the split from 0"
}

// find returns the examples that a line names, by id ("x3") or by position ("#7", or "7" if no example has an
// id). An id that is not unique gives several. It returns nil if there is none.
func (n *exampleNames) find(text string) []*dataset.Example {
	position, marked := strings.CutPrefix(text, "#")
	if !marked && len(n.byID) > 0 {
		return n.byID[text]
	}
	i, err := strconv.Atoi(position)
	if ex := n.byPosition[i]; err == nil && ex != nil {
		return []*dataset.Example{ex}
	}
	return nil
}

// first returns the examples up to the limit, without an interaction that the limit would cut.
func (s *Selection) first(list []*dataset.Example) []*dataset.Example {
	n := s.Limit
	if n == 0 || n >= len(list) {
		return list
	}
	// Back to the beginning of the interaction, if the first example that is left out continues one.
	for n > 0 && list[n].Interaction > 0 && list[n].Interaction == list[n-1].Interaction {
		n--
	}
	return list[:n]
}

// restricted returns copies of the units that have examples of the list, with these examples only.
func restricted(units []*dataset.Unit, list []*dataset.Example) (out []*dataset.Unit) {
	selected := lists.Set(list, func(ex *dataset.Example) *dataset.Example { return ex })
	for _, u := range units {
		unit := *u
		unit.Examples = lists.Filter(u.Examples, func(ex *dataset.Example) bool { return selected[ex] })
		if len(unit.Examples) > 0 {
			out = append(out, &unit)
		}
	}
	return out
}

// describe returns a text that identifies a list of examples of a split of n by their number and a hash, as
// "2 of 8, 0a1b2c3d4e5f6071"; empty for all examples.
func describe(list []*dataset.Example, n int) string {
	if len(list) == n {
		return ""
	}
	h := sha256.New()
	for _, ex := range list {
		fmt.Fprintln(h, ex.Index)
	}
	return fmt.Sprintf("%d of %d, %x", len(list), n, h.Sum(nil)[:8])
}
