package attack

import (
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Summary holds the figures of an attack, as in the table of TextAttack.
type Summary struct {
	Victim         string         `json:"victim"`
	Goal           string         `json:"goal"`
	Search         string         `json:"search"`
	Budget         int            `json:"budget"`
	Questions      int            `json:"questions"` // that could be asked
	Right          int            `json:"right"`     // before
	Attacked       int            `json:"attacked"`  // of these, with a place to perturb
	Fooled         int            `json:"fooled"`
	Failed         int            `json:"failed"`  // not asked: no gold SQL, no answer
	Before         stats.Estimate `json:"before"`  // accuracy
	Under          stats.Estimate `json:"under"`   // accuracy under attack
	Success        stats.Estimate `json:"success"` // share of the right ones that fell
	Queries        float64        `json:"queries"` // mean of an attacked question
	Edits          float64        `json:"edits"`   // mean of a successful perturbation
	Within         []Within       `json:"within"`  // success by queries
	Transfers      []Transfer     `json:"transfers,omitempty"`
	queries, edits int            // sums, for the means Queries and Edits
	fooledAt       []int          // the query that fooled the victim, of each success
}

// Within is the share of the right ones that fell within so many queries.
type Within struct {
	Queries int            `json:"queries"`
	Success stats.Estimate `json:"success"`
}

// printedQueries are the numbers of queries after which the success rate is printed.
var printedQueries = []int{1, 5, 10, 20, 50, 100, 200, 500}

// Transfer counts how another victim answers perturbations that the first fell for.
type Transfer struct {
	Victim  string         `json:"victim"`
	Asked   int            `json:"asked"` // that it had right before
	Fooled  int            `json:"fooled"`
	Success stats.Estimate `json:"success"`
}

// Add counts a result: a question that was not asked, that the victim had wrong before, that has no place to perturb, or that was attacked.
func (s *Summary) Add(r *Result) {
	if r.Failed != nil {
		s.Failed++
		return
	}
	s.Questions++
	if !r.Right {
		return
	}
	s.Right++
	if r.Sites == 0 {
		return
	}
	s.Attacked++
	s.queries += r.Queries
	if r.Fooled {
		s.Fooled++
		s.edits += len(r.Edits)
		s.fooledAt = append(s.fooledAt, r.At)
	}
}

// Close computes accuracies, success rates and means from the counts. The success rate is also that after fewer queries than the budget:
// 1, 5, 10 and so on. Call it once, after all results are added.
func (s *Summary) Close() {
	s.Before, s.Under = stats.Wilson(s.Right, s.Questions), stats.Wilson(s.Right-s.Fooled, s.Questions)
	s.Success = stats.Wilson(s.Fooled, s.Right)
	s.Queries, s.Edits = stats.Ratio(s.queries, s.Attacked), stats.Ratio(s.edits, s.Fooled)
	for _, n := range printedQueries {
		if n < s.Budget { // the success rate itself is that of the whole budget
			fooled := lists.Count(s.fooledAt, func(at int) bool { return at <= n })
			s.Within = append(s.Within, Within{n, stats.Wilson(fooled, s.Right)})
		}
	}
	for i := range s.Transfers {
		t := &s.Transfers[i]
		t.Success = stats.Wilson(t.Fooled, t.Asked)
	}
}

// Write writes the figures as a table of two columns. An attack succeeds if the victim was right before and is wrong after; it fails if
// the victim stays right. s.Questions, of which the victim had s.Right right, does not include those in s.Failed.
func (s *Summary) Write(w io.Writer) error {
	t := table.New("", "attack results", s.Search)
	t.Add("successful attacks", s.Fooled)
	t.Add("failed attacks", s.Right-s.Fooled)
	t.Add("  of these without a place to perturb", s.Right-s.Attacked)
	t.Add("skipped, wrong before", s.Questions-s.Right)
	t.Add("not asked", s.Failed)
	t.Add("accuracy before", s.Before.Percent()+"%")
	t.Add("accuracy under attack", s.Under.Percent()+"%")
	t.Add("attack success rate", s.Success.Percent()+"%")
	for _, w := range s.Within {
		t.Add(fmt.Sprintf("  by query %d", w.Queries), w.Success.Percent()+"%")
	}
	t.Add("queries an example", fmt.Sprintf("%.1f", s.Queries))
	t.Add("edits of a success", fmt.Sprintf("%.1f", s.Edits))
	for _, x := range s.Transfers {
		t.Add("transfer to "+x.Victim, fmt.Sprintf("%s%% of %d", x.Success.Percent(), x.Asked))
	}
	_, err := fmt.Fprint(w, t)
	return err
}
