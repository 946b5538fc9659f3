package evaluate_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// What EditSQL puts out has no FROM: "select airlines.country where airlines.airline =
// value". The SQL that was judged had one, made by a program that is not there.
// The official script prints each wrong prediction, so that these are known; the right
// ones are made anew from the output, and must be judged right.

// editSQLOutputs returns the model's output for each gold. They stand by database, within
// which the interactions have the gold's order.
func editSQLOutputs(t *testing.T, golds []*dataset.Example, set string) [][]string {
	t.Helper()
	byDB := map[string][][]string{}
	for raw, err := range streamtest.AllOfFile(dataset.RawRecords, shared.File(t, "data", "predictions", set+"-dev", "editsql_predictions.jsonl.gz")) {
		var rec struct {
			DB     string   `json:"database_id"`
			Tokens []string `json:"flat_prediction"`
		}
		if err == nil {
			err = dataset.Decode(raw.JSON, &rec)
		}
		if err != nil {
			t.Fatal(err)
		}
		byDB[rec.DB] = append(byDB[rec.DB], rec.Tokens)
	}
	var list [][]string
	for _, ex := range golds {
		if len(byDB[ex.DB]) == 0 {
			t.Fatalf("%s: fewer outputs than golds", ex.DB)
		}
		list = append(list, byDB[ex.DB][0])
		byDB[ex.DB] = byDB[ex.DB][1:]
	}
	return list
}

// rebuild returns the predictions that were judged: where the question stands among
// the wrong ones, what was printed, else the completed output.
func rebuild(t *testing.T, dbs map[string]*dataset.Database, golds []*dataset.Example, outputs [][]string, print []string) []string {
	t.Helper()
	var wrong []wrongPair
	for i, l := range print {
		if m := printedPred.FindStringSubmatch(l); m != nil && i+1 < len(print) {
			gold := printedGold.FindStringSubmatch(print[i+1])
			wrong = append(wrong, wrongPair{m[1], gold[1]})
		}
	}
	preds := make([]string, len(golds))
	completed := make([]string, len(golds))
	for i, ex := range golds {
		completed[i] = complete(dbs[ex.DB], outputs[i])
	}
	at := alignWrong(t, golds, completed, wrong)
	schemas := map[string]*exact.Schema{}
	for i, ex := range golds {
		if schemas[ex.DB] == nil {
			schemas[ex.DB] = exact.NewSchema(dbs[ex.DB])
		}
		isWrong := at[i] >= 0
		if preds[i] = completed[i]; isWrong {
			preds[i] = wrong[at[i]].pred
		}
		if got := schemas[ex.DB].Gold(ex.Query).Judge(preds[i], false); got.Match == isWrong {
			t.Errorf("question %d: right is %v, officially %v\n%s\n%s\n%s", i, got.Match, !isWrong, ex.Query, preds[i], strings.Join(outputs[i], " "))
		}
	}
	return preds
}

var (
	printedPred = regexp.MustCompile(`^(?:easy|medium|hard|extra) pred: (.*)`)
	printedGold = regexp.MustCompile(`^(?:easy|medium|hard|extra) gold: (.*)`)
)

type wrongPair struct{ pred, gold string }

// alignWrong returns for each gold which of the wrong predictions, in their order, is
// that for it, or -1. Golds that are asked several times are told apart by the completed
// outputs: of the alignments with all wrong ones, that with the most outputs like what
// was printed.
func alignWrong(t *testing.T, golds []*dataset.Example, completed []string, wrong []wrongPair) []int {
	t.Helper()
	printed, ours := make([][2]string, len(wrong)), make([][2]string, len(golds))
	for j, w := range wrong {
		printed[j] = likeness(w.pred)
	}
	for i, sql := range completed {
		ours[i] = likeness(sql)
	}
	best := make([][]int, len(golds)+1) // of the first i golds and the first j wrong ones
	for i := range best {
		best[i] = make([]int, len(wrong)+1)
	}
	pair := func(i, j int) int {
		if strings.TrimSpace(wrong[j].gold) != strings.TrimSpace(golds[i].Query) {
			return 0
		}
		score := 2 * len(golds) // more than all likeness
		for k := range printed[j] {
			if ours[i][k] == printed[j][k] {
				score++
			}
		}
		return score
	}
	for i := range golds {
		for j := range wrong {
			best[i+1][j+1] = max(best[i][j+1], best[i+1][j])
			if p := pair(i, j); p > 0 {
				best[i+1][j+1] = max(best[i+1][j+1], best[i][j]+p)
			}
		}
	}
	at := slices.Repeat([]int{-1}, len(golds))
	found := 0
	for i, j := len(golds), len(wrong); i > 0 && j > 0; {
		switch best[i][j] {
		case best[i-1][j]:
			i--
		case best[i][j-1]:
			j--
		default:
			i, j, found = i-1, j-1, found+1
			at[i] = j
		}
	}
	if found < len(wrong) {
		t.Fatalf("%d of %d wrong predictions found among the golds, want all", found, len(wrong))
	}
	return at
}

// spelled are the tokens of the model that are not SQL.
var spelled = strings.NewReplacer("group_by ", "group by ", "order_by ", "order by ", "limit_value", "limit 1", "> =", ">=", "< =", "<=", "! =", "!=")

func respelled(tokens []string) []string {
	return strings.Fields(spelled.Replace(strings.Join(tokens, " ") + " "))
}

// likeness returns SQL without FROM, qualifiers and DISTINCT, which the program
// dropped, and the tables of FROM.
func likeness(sql string) [2]string {
	var rest, tables []string
	last, from := "", false
	for _, tok := range strings.Fields(strings.ToLower(sql)) {
		switch {
		case last == "from" || last == "join":
			tables = append(tables, tok)
		case tok == "from":
			from = true
		case from && !endsFrom[tok], tok == "distinct":
		default:
			from = false
			rest = append(rest, tok[strings.LastIndexByte(tok, '.')+1:])
		}
		last = tok
	}
	slices.Sort(tables)
	return [2]string{strings.Join(rest, " "), strings.Join(tables, " ")}
}

var endsFrom = map[string]bool{
	"where": true, "group": true, "order": true, "having": true, "limit": true, "union": true, "except": true, "intersect": true, "select": true, "(": true, ")": true,
}

// complete makes SQL of an output: each SELECT gets the tables whose columns stand in
// it, and those between them by the foreign keys.
func complete(db *dataset.Database, tokens []string) string {
	c := &completer{db: db, tokens: respelled(tokens)}
	return strings.Join(c.query(), " ")
}

type completer struct {
	db     *dataset.Database
	tokens []string
	at     int
}

// query takes the tokens up to a closing parenthesis that is not its own, or the end.
func (c *completer) query() (sql []string) {
	var tables []int
	from := -1 // where FROM belongs
	flush := func() []string {
		if from < 0 {
			from = len(sql)
		}
		if len(tables) > 0 {
			sql = slices.Insert(sql, from, c.from(tables)...)
		}
		from, tables = -1, nil
		return sql
	}
	depth := 0
	for ; c.at < len(c.tokens); c.at++ {
		tok := c.tokens[c.at]
		switch {
		case tok == "(" && c.at+1 < len(c.tokens) && c.tokens[c.at+1] == "select":
			c.at++
			sql = append(append(append(sql, "("), c.query()...), ")")
			continue
		case tok == "(":
			depth++
		case tok == ")" && depth == 0:
			return flush()
		case tok == ")":
			depth--
		case tok == "union" || tok == "except" || tok == "intersect":
			flush()
		case endsFrom[tok] && tok != "select" && from < 0:
			from = len(sql)
		case tok == "value":
			tok = "1"
		}
		if table, column, qualified := strings.Cut(tok, "."); qualified {
			if t := c.db.Table(table); t >= 0 && !slices.Contains(tables, t) {
				tables = append(tables, t)
			}
			if column == "*" {
				tok = "*"
			}
		}
		sql = append(sql, tok)
	}
	return flush()
}

// from returns FROM with tables and those on the shortest ways between them.
func (c *completer) from(tables []int) []string {
	joined := tables[:1:1]
	for _, t := range tables[1:] {
		for _, step := range c.way(joined, t) {
			if !slices.Contains(joined, step) {
				joined = append(joined, step)
			}
		}
	}
	sql := []string{"from", c.db.Tables[joined[0]].Original}
	for _, t := range joined[1:] {
		sql = append(sql, "join", c.db.Tables[t].Original)
	}
	return sql
}

// way returns the tables from one of some tables to another by the fewest foreign keys,
// or that alone where there is no way.
func (c *completer) way(from []int, to int) []int {
	before := map[int]int{}
	for _, t := range from {
		before[t] = -1
	}
	queue := slices.Clone(from)
	for len(queue) > 0 && queue[0] != to {
		t := queue[0]
		queue = queue[1:]
		for _, k := range c.db.ForeignKeys {
			for _, next := range [][2]int{{k.Column.Table, k.Target.Table}, {k.Target.Table, k.Column.Table}} {
				if _, seen := before[next[1]]; next[0] == t && !seen {
					before[next[1]] = t
					queue = append(queue, next[1])
				}
			}
		}
	}
	if len(queue) == 0 {
		return []int{to}
	}
	var way []int
	for t := to; t >= 0; t = before[t] {
		way = append(way, t)
	}
	slices.Reverse(way)
	return way
}
