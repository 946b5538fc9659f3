package realise

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/english"
)

// request begins an order: "Show me".
func (w *writer) request() string {
	return w.one("show", "list", "give", "find", "return", "tell me", "give me", "I want to know", "please list", "could you tell me", "provide", "show me", "get", "identify", "I would like to see")
}

// ends closes a sentence that begins with an order.
func ends(text string) string {
	if strings.HasPrefix(text, "could") {
		return text + "?"
	}
	return text + "."
}

// rows says a query without aggregates: columns of rows, perhaps in an order.
func (w *writer) rows(p *plan) string {
	noun := w.noun(p.inst[p.head].table)
	if w.err != nil {
		return ""
	}
	n := many
	if w.isOne(p) {
		n = one
	}
	if p.limit > 0 {
		return w.top(p, noun)
	}
	phrase := w.phrase(p, n)
	tail := ""
	if len(p.order) > 0 {
		tail = w.sorted(p)
	}
	if p.items[0].star {
		if len(p.items) > 1 {
			return w.abstain("a star among columns")
		}
		return w.everything(phrase, tail)
	}
	if text := w.carried(p, noun, n, phrase, tail); text != "" {
		return text
	}
	return w.columns(p, noun, n, phrase, tail)
}

func (w *writer) everything(phrase, tail string) string {
	switch w.rng.IntN(3) {
	case 0:
		return ends(w.request() + " " + w.one("all the information about ", "all information on ", "everything that is known about ", "all the details of ") + phrase + tail)
	case 1:
		return "what " + w.one("information is there about ", "do we know about ", "is known about ") + phrase + tail + "?"
	}
	return ends(w.request() + " all columns for " + phrase + tail)
}

// carried leaves out a column that the wording implies: "which singers are from France",
// "how old are the singers"; "" where it does not.
func (w *writer) carried(p *plan, noun string, n number, phrase, tail string) string {
	if len(p.items) != 1 || p.items[0].field.inst != p.head || w.chance(.5) {
		return ""
	}
	col := p.items[0].field.ref
	if w.isName(col) && n == many && !p.unique {
		mods := w.modifiers(p, p.head, -1)
		w.said[col] = Carried
		switch {
		case w.err != nil:
			return ""
		case len(mods) == 1 && tail == "" && w.chance(.6):
			return "which " + many.of(noun) + " " + w.predicate(mods[0], many) + "?"
		case isPerson(noun) && len(mods) > 0 && w.chance(.4):
			return "who are the " + strings.TrimPrefix(strings.TrimPrefix(phrase, "all "), "the ") + tail + "?"
		case len(mods) > 0 || w.chance(.5):
			return ends(w.one("name", "list", "show", "find", "give me", "tell me") + " " + phrase + tail)
		}
		return ends(w.one("list", "show", "give me") + " every " + noun + " by name" + tail)
	}
	if a := w.asked(col); a != nil && len(a.How) > 0 && !p.unique && tail == "" {
		return w.how(p, a.How, col, noun, phrase, n) + "?"
	}
	return ""
}

// how asks for a column by a verb or an adjective. An amount is asked of each row: of
// several it would be the sum.
func (w *writer) how(p *plan, wordings []string, col dataset.ColumnRef, noun, phrase string, n number) string {
	wording := w.one(wordings...)
	if n == many && (strings.HasPrefix(wording, "how many") || strings.HasPrefix(wording, "how much")) {
		n, phrase = one, w.one("each ", "every ")+w.bare(p, one)
	}
	w.said[col] = Carried
	if strings.HasPrefix(wording, "how ") && !strings.HasPrefix(wording, "how many") && !strings.HasPrefix(wording, "how much") {
		w.said[col] = Attributed
	}
	return fill(wording, phrase, n)
}

// fill puts rows and the verbs that go with them into a wording.
func fill(wording, rows string, n number) string {
	verbs := [][3]string{{"{be}", "are", "is"}, {"{was}", "were", "was"}, {"{do}", "do", "does"}, {"{have}", "have", "has"}}
	for _, v := range verbs {
		to := v[1]
		if n == one {
			to = v[2]
		}
		wording = strings.ReplaceAll(wording, v[0], to)
	}
	return strings.ReplaceAll(wording, "{}", rows)
}

// columns asks for columns of rows in one of several forms.
func (w *writer) columns(p *plan, noun string, n number, phrase, tail string) string {
	what := w.items(p, noun, n)
	if w.err != nil {
		return ""
	}
	if p.unique {
		what = "the " + w.one("different ", "distinct ", "unique ") + strings.TrimPrefix(w.items(p, noun, many), "the ")
	}
	verb := "are"
	if n == one && len(p.items) == 1 && !p.unique || len(p.items) == 1 && english.IsUncounted(what) {
		verb = "is"
	}
	mods := len(w.modifiers(p, p.head, -1)) > 0
	switch k := w.rng.IntN(10); {
	case k < 3:
		return "what " + verb + " " + what + " of " + phrase + tail + "?"
	case k < 6:
		return ends(w.request() + " " + what + " " + w.one("of ", "of ", "for ") + phrase + tail)
	case k == 6 && n == many && !p.unique && tail == "":
		each := w.bare(p, one)
		what := w.items(p, noun, one)
		return "for " + w.one("each ", "every ") + each + ", " + w.one("what "+beOf(p)+" "+what+"?", "show "+what+".", "give "+what+".")
	case k == 7 && n == many && mods && tail == "" && !p.unique:
		return w.one("of all ", "among all ") + many.of(noun) + ", " + w.one("take", "consider", "look at") + " those " + w.attach(noun, w.modifiers(p, p.head, -1), many) + ". What " + verb + " " + its(what, many) + "?"
	case k == 8 && n == one && !p.unique:
		return w.one("consider ", "take ", "look at ", "think of ") + phrase + ". What " + verb + " " + its(what, n) + "?"
	case k == 9 && n == many && tail == "":
		return "I " + w.one("need ", "am looking for ", "would like to have ") + what + " of " + phrase + "."
	}
	return "what " + verb + " " + what + " of " + phrase + tail + "?"
}

func beOf(p *plan) string {
	if len(p.items) == 1 {
		return "is"
	}
	return "are"
}

// its puts a pronoun for the article.
func its(what string, n number) string {
	pronoun := "their "
	if n == one {
		pronoun = "the "
	}
	return pronoun + strings.TrimPrefix(what, "the ")
}

// items says the selected columns, those of other rows by whose they are.
func (w *writer) items(p *plan, noun string, n number) string {
	var parts []string
	for _, it := range p.items {
		parts = append(parts, w.itemOf(p, it, noun, n))
	}
	if w.err != nil {
		return ""
	}
	if w.chance(.5) && len(parts) == 2 {
		return "the " + parts[0] + " and the " + parts[1]
	}
	return "the " + list(parts, "and")
}

func (w *writer) itemOf(p *plan, it item, noun string, n number) string {
	if it.star {
		return w.abstain("a star among columns")
	}
	name := w.column(it.field.ref)
	if w.err != nil {
		return ""
	}
	if it.field.inst != p.head {
		other := w.noun(w.tableOf(p, it.field.inst))
		if e, ok := p.edge(p.head, it.field.inst); ok && e.from == p.head {
			other = w.role(e)
		}
		name = ofRows(other, name)
	} else if rest, ok := strings.CutPrefix(name, noun+" "); ok {
		name = rest
	}
	if name == noun {
		name = "name"
	}
	if n == many {
		return plural(name)
	}
	return name
}

// plural inflects the head of a column's name: "numbers of pages".
func plural(name string) string {
	head, rest, ok := strings.Cut(name, " of ")
	if !ok {
		return english.Plural(name)
	}
	return english.Plural(head) + " of " + rest
}

func (w *writer) tableOf(p *plan, inst int) int { return p.inst[inst].table }

// edge returns the key between two instances.
func (p *plan) edge(x, y int) (edge, bool) {
	for _, e := range p.edges {
		if e.from == x && e.to == y || e.from == y && e.to == x {
			return e, true
		}
	}
	return edge{}, false
}

// sorted says an order.
func (w *writer) sorted(p *plan) string {
	if len(p.order) > 1 {
		var parts []string
		for _, o := range p.order {
			parts = append(parts, w.measure(p, o.item)+" in "+direction(o.desc)+" order")
		}
		return ", sorted by " + list(parts, "and then by")
	}
	o := p.order[0]
	if o.item.agg != "" || o.item.star {
		return w.abstain("an order by an aggregate of no groups")
	}
	col, what := o.item.field.ref, w.measure(p, o.item)
	sorted := w.one(", sorted ", ", ordered ", ", ")
	forms := []string{w.one(", sorted by ", ", ordered by ") + what + " in " + direction(o.desc) + " order", " in " + direction(o.desc) + " order of " + what}
	if a := w.asked(col); a != nil && o.item.field.inst == p.head {
		for _, s := range w.upOrDown(o.desc, a.Up, a.Down) {
			if strings.HasPrefix(s, "from ") {
				forms = append(forms, sorted+s)
			}
		}
	}
	switch {
	case w.isTime(col):
		forms = append(forms, ", from the "+pick(o.desc, "latest to the earliest ", "earliest to the latest ")+what)
	case w.isNumber(col) && !w.isID(col):
		forms = append(forms, sorted+"from the "+pick(o.desc, "highest to the lowest ", "lowest to the highest ")+what)
	default:
		forms = append(forms, " in "+pick(o.desc, "reverse ", "")+"alphabetical order of "+what)
	}
	text := w.one(forms...)
	if !strings.Contains(text, what) {
		w.said[col] = Attributed
	}
	return text
}

func (w *writer) upOrDown(desc bool, up, down []string) []string {
	if desc {
		return down
	}
	return up
}

func direction(desc bool) string { return pick(desc, "descending", "ascending") }

func pick(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// measure says what is sorted or counted by.
func (w *writer) measure(p *plan, it item) string {
	if it.star {
		return w.abstain("a star in an order")
	}
	name := w.column(it.field.ref)
	if it.field.inst != p.head {
		other := w.noun(w.tableOf(p, it.field.inst))
		name = ofRows(other, name)
	}
	return name
}

// ofRows puts the rows that have a column before its name: "concert theme".
func ofRows(rows, name string) string {
	if strings.HasPrefix(name, rows) || strings.HasPrefix(name, "number of ") {
		return name
	}
	head, last := english.CutLast(rows)
	if strings.HasPrefix(name, last+" ") {
		return head + name
	}
	return rows + " " + name
}

// top says an order with a limit: "the oldest singer", "the 3 singers with the highest age".
func (w *writer) top(p *plan, noun string) string {
	if len(p.order) != 1 || p.order[0].item.agg != "" || p.order[0].item.star {
		return w.abstain("a limit without one column to sort by")
	}
	rows := w.extreme(p, noun)
	n := number(p.limit == 1)
	if p.items[0].star {
		return w.everything(rows, "")
	}
	if len(p.items) == 1 && w.isName(p.items[0].field.ref) && p.items[0].field.inst == p.head && w.chance(.5) {
		w.said[p.items[0].field.ref] = Carried
		return w.one("which "+strings.TrimPrefix(which(rows, noun, n), "the "), ends(w.one("name ", "find ", "tell me ")+rows))
	}
	if a := w.asked(p.items[0].field.ref); len(p.items) == 1 && p.items[0].field.inst == p.head && a != nil && len(a.How) > 0 && n == one && w.chance(.5) {
		return w.how(p, a.How, p.items[0].field.ref, noun, rows, n) + "?"
	}
	what := w.items(p, noun, n)
	verb := "are"
	if n == one && len(p.items) == 1 {
		verb = "is"
	}
	if w.chance(.2) {
		return w.one("take ", "consider ", "look at ", "find ") + rows + ". What " + verb + " " + its(what, n) + "?"
	}
	if w.chance(.5) {
		return "what " + verb + " " + what + " of " + rows + "?"
	}
	return ends(w.request() + " " + what + " of " + rows)
}

// which asks for rows that have an extreme: "which singer is the oldest" where the words
// allow, else "which singer has the highest age".
func which(rows, noun string, n number) string {
	rest := strings.TrimPrefix(rows, "the ")
	head := n.of(noun)
	if at := strings.Index(rest, head+" with the "); at == 0 {
		return head + " " + n.have() + strings.TrimPrefix(rest, head+" with") + "?"
	}
	return head + " " + n.be() + " " + rows + "?"
}

// extreme says the rows with the highest or lowest value.
func (w *writer) extreme(p *plan, noun string) string {
	o := p.order[0]
	n := number(p.limit == 1)
	count := ""
	if p.limit > 1 {
		count = w.one(strconv.Itoa(p.limit), spelled(p.limit)) + " "
	}
	col := o.item.field.ref
	mods := w.modifiers(p, p.head, -1)
	behind := ""
	if len(mods) > 0 {
		behind = " " + w.attach(noun, mods, n)
	}
	if a := w.asked(col); a != nil && o.item.field.inst == p.head && w.chance(.6) {
		if words := w.upOrDown(o.desc, a.Least, a.Most); len(words) > 0 {
			w.said[col] = Attributed
			return "the " + count + w.one(words...) + " " + n.of(noun) + behind
		}
	}
	what := w.measure(p, o.item)
	adjective := ""
	switch {
	case w.isTime(col):
		adjective = pick(o.desc, w.one("latest", "most recent"), "earliest")
	case w.isID(col) && w.isNumber(col):
		adjective = pick(o.desc, "highest", "lowest")
	case w.isNumber(col):
		adjective = pick(o.desc, w.one("highest", "largest", "greatest"), w.one("lowest", "smallest"))
		if strings.HasPrefix(what, "number of ") {
			adjective = pick(o.desc, w.one("highest", "largest"), w.one("lowest", "smallest"))
		}
	case behind == "" && n == one:
		return "the " + noun + " whose " + what + " comes " + pick(o.desc, "last", "first") + w.one(" alphabetically", " in alphabetical order")
	default:
		return w.abstain("the extreme of words")
	}
	return "the " + count + n.of(noun) + behind + " with the " + adjective + " " + what
}

var numbers = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")

func spelled(n int) string {
	if n < len(numbers) {
		return numbers[n]
	}
	return strconv.Itoa(n)
}

// aggregates says counts and other aggregates over all rows.
func (w *writer) aggregates(p *plan) string {
	noun := w.noun(p.inst[p.head].table)
	if w.err != nil || len(p.order) > 0 || p.limit > 1 {
		return w.abstain("an order of one row")
	}
	if len(p.items) == 1 {
		return w.aggregate(p, p.items[0], noun)
	}
	var parts []string
	for _, it := range p.items {
		parts = append(parts, w.aggregated(p, it, noun))
	}
	if !slices.ContainsFunc(p.items, func(i item) bool { return w.counts(p, i) }) {
		rows := w.phrase(p, many)
		what := list(w.merged(p, parts), "and")
		return w.one("what are the "+what+" of "+rows+"?", ends(w.request()+" the "+what+" of "+rows), "for "+rows+", what are the "+what+"?")
	}
	if len(p.items) == 2 && w.counts(p, p.items[0]) && p.items[1].agg != "" {
		rows := w.bare(p, many)
		return w.one("how many "+rows+" are there, and what is their "+parts[1]+"?", ends(w.request()+" the number of "+rows+" and their "+parts[1]))
	}
	return w.abstain("aggregates that are put together")
}

// merged joins aggregates of one column: "minimum, maximum and average age".
func (w *writer) merged(p *plan, parts []string) []string {
	same := !slices.ContainsFunc(p.items, func(i item) bool {
		return i.field != p.items[0].field || i.distinct || i.agg == "count"
	})
	if !same {
		return parts
	}
	name := w.measure(p, p.items[0])
	for i := range parts {
		parts[i] = strings.TrimSuffix(parts[i], " "+name)
	}
	parts[len(parts)-1] += " " + name
	return parts
}

// counts tells whether an item counts the rows themselves.
func (w *writer) counts(p *plan, it item) bool {
	if it.agg != "count" {
		return false
	}
	return it.star || w.isKey(it.field.ref) && it.field.inst == p.head
}

var aggregateWords = map[string][]string{
	"avg": {"average", "mean"}, "sum": {"total"}, "min": {"minimum", "lowest", "smallest"}, "max": {"maximum", "highest", "largest"},
}

// aggregated says an aggregate as a noun phrase without article.
func (w *writer) aggregated(p *plan, it item, noun string) string {
	switch {
	case it.agg == "":
		return w.itemOf(p, it, noun, one)
	case it.agg == "count" && it.star:
		return "number of " + many.of(noun)
	case it.agg == "count" && it.distinct:
		return "number of " + w.one("different ", "distinct ") + plural(w.measure(p, it))
	case it.agg == "count":
		if w.counts(p, it) {
			return "number of " + many.of(noun)
		}
		return "number of " + plural(w.measure(p, it))
	}
	words := aggregateWords[it.agg]
	name := w.measure(p, it)
	if w.isTime(it.field.ref) {
		words = map[string][]string{"min": {"earliest"}, "max": {"latest"}}[it.agg]
	}
	if len(words) == 0 || it.distinct {
		return w.abstain("%s of %s", it.agg, name)
	}
	return w.one(words...) + " " + strings.TrimPrefix(name, "total ")
}

// aggregate says one aggregate.
func (w *writer) aggregate(p *plan, it item, noun string) string {
	if it.agg == "count" && (it.star || w.counts(p, it)) {
		return w.count(p, noun)
	}
	if it.agg == "count" {
		return w.countColumn(p, it)
	}
	what := w.aggregated(p, it, noun)
	rows := w.phrase(p, many)
	if w.err != nil {
		return ""
	}
	if a := w.asked(it.field.ref); a != nil && it.field.inst == p.head && w.chance(.4) {
		how := slices.DeleteFunc(slices.Clone(a.How), func(s string) bool { return !strings.HasPrefix(s, "how ") })
		if len(how) > 0 && it.agg == "avg" {
			w.said[it.field.ref] = Attributed
			return w.one("on average, ", "on average ") + fill(w.one(how...), rows, many) + "?"
		}
		extremes := map[string][]string{"max": a.Most, "min": a.Least}[it.agg]
		if len(how) > 0 && len(extremes) > 0 {
			w.said[it.field.ref] = Attributed
			return fill(w.one(how...), "the "+w.one(extremes...)+" "+w.bare(p, one), one) + "?"
		}
	}
	return w.one("what is the "+what+" "+w.one("of ", "of ", "among ", "for ")+rows+"?", ends(w.request()+" the "+what+" of "+rows), "for "+rows+", what is the "+what+"?", "what "+what+" do "+rows+" have?")
}

func (w *writer) count(p *plan, noun string) string {
	rows := w.bare(p, many)
	mods := w.modifiers(p, p.head, -1)
	if w.err != nil {
		return ""
	}
	switch k := w.rng.IntN(6); {
	case k == 0 && len(mods) == 1, k == 1 && len(mods) == 1:
		return "how many " + many.of(noun) + " " + w.predicate(mods[0], many) + "?"
	case k == 2:
		return w.one("what is the number of ", "what is the total number of ") + rows + "?"
	case k == 3:
		return ends(w.one("count the ", "count all ", "find the number of ", "give the number of ", "show the number of ", "tell me the number of ", "I want to know the number of ") + rows)
	case k == 4 && len(mods) > 0:
		return w.one("of all ", "among all ") + many.of(noun) + ", how many " + w.predicateAll(mods, noun) + "?"
	}
	return "how many " + rows + w.one(" are there", " are there in total", " exist") + "?"
}

func (w *writer) predicateAll(mods []modifier, noun string) string {
	var parts []string
	for _, m := range mods {
		parts = append(parts, w.predicate(m, many))
	}
	return list(parts, "and")
}

// countColumn says how many values a column has.
func (w *writer) countColumn(p *plan, it item) string {
	name := plural(w.measure(p, it))
	different := ""
	if it.distinct {
		different = w.one("different ", "distinct ", "unique ")
	}
	if it.field.inst != p.head && it.distinct && (w.isKey(it.field.ref) || w.isName(it.field.ref)) {
		return w.abstain("rows of another table are counted")
	}
	rows := w.phrase(p, many)
	if !it.distinct {
		return w.abstain("values of a column are counted that may be missing")
	}
	return w.one("how many "+different+name+" do "+rows+" have?", "how many "+different+name+" are there among "+rows+"?", ends(w.one("count the ", "find the number of ", "give the number of ")+different+name+" of "+rows), "what is the number of "+different+name+" of "+rows+"?")
}

// nested says a condition on what another query gives.
func (w *writer) nested(c cond) modifier {
	sub := w.silent()
	if len(c.sub.Compound) > 0 || c.sub.With != nil {
		w.abstain("a nested query that is a set operation")
		return modifier{}
	}
	p := sub.plan(c.sub)
	if sub.err != nil {
		w.err = sub.err
		return modifier{}
	}
	if m, ok := w.extremeRow(sub, p, c); ok || sub.err != nil {
		w.err = sub.err
		return m
	}
	if len(p.items) != 1 || len(p.groups) > 0 || len(p.order) > 0 || p.limit > 0 {
		w.abstain("a nested query of more than one column of rows")
		return modifier{}
	}
	m := modifier{}
	if c.op == "in" {
		m = w.among(sub, p, c)
	} else {
		m = w.against(sub, p, c)
	}
	if sub.err != nil {
		w.err = sub.err
	}
	return m
}

// extremeRow says that rows refer to the one row that is first in an order.
func (w *writer) extremeRow(sub *writer, p *plan, c cond) (modifier, bool) {
	if len(p.items) != 1 || len(p.groups) > 0 || len(p.order) != 1 || p.limit != 1 || c.op != "=" && c.op != "in" || c.not || p.items[0].agg != "" {
		return modifier{}, false
	}
	own, other := c.item.field.ref, p.items[0].field.ref
	if !w.refers(own, other) || p.order[0].item.agg != "" || p.order[0].item.star || p.items[0].field.inst != p.head {
		return modifier{}, false
	}
	role := w.role(edge{key: own, target: other})
	return modifier{whose: role + " is " + sub.extreme(p, sub.noun(other.Table))}, true
}

// against compares with an aggregate of other rows.
func (w *writer) against(sub *writer, p *plan, c cond) modifier {
	it, name := p.items[0], w.column(c.item.field.ref)
	if it.agg == "" || it.agg == "count" || it.agg == "sum" || it.star || w.err != nil || it.field.ref != c.item.field.ref && !w.sameName(it.field.ref, c.item.field.ref) {
		w.abstain("a comparison with a nested query of another column")
		return modifier{}
	}
	rows := sub.phrase(p, many)
	all := len(p.conds) == 0 && len(p.edges) == 0 && p.inst[0].table == c.item.field.ref.Table
	what := sub.aggregated(p, it, "")
	switch {
	case it.agg == "avg" && (c.op == ">" || c.op == "<"):
		words := map[string][]string{">": {"above", "higher than", "greater than"}, "<": {"below", "lower than", "less than"}}[c.op]
		if all {
			return modifier{whose: name + " is " + w.one(words...) + " the average", with: w.one("an "+words[0]+"-average "+name, english.Article(name)+" "+name+" "+words[0]+" the average")}
		}
		return modifier{whose: name + " is " + w.one(words...) + " the " + what + " of " + rows}
	case c.op == "=" && all && (it.agg == "max" || it.agg == "min"):
		return modifier{with: "the " + what}
	case c.op == ">" || c.op == "<" || c.op == "=":
		words := map[string]string{">": "above", "<": "below", "=": "equal to"}[c.op]
		return modifier{whose: name + " is " + words + " the " + what + " of " + rows}
	}
	w.abstain("a comparison with a nested query")
	return modifier{}
}

// among says that rows are, or are not, among others.
func (w *writer) among(sub *writer, p *plan, c cond) modifier {
	it := p.items[0]
	if it.agg != "" || it.star {
		w.abstain("membership in aggregates")
		return modifier{}
	}
	own, other := c.item.field.ref, it.field.ref
	noun := w.noun(own.Table)
	head := it.field.inst
	p.head = head
	switch {
	case own == other: // of the same rows
		mods := sub.modifiers(p, head, -1)
		if len(mods) == 0 || sub.err != nil || !w.isKey(own) && !w.isName(own) {
			w.abstain("membership in all rows")
			return modifier{}
		}
		if len(mods) > 1 {
			w.abstain("membership with several conditions")
			return modifier{}
		}
		text := sub.predicate(mods[0], many)
		if c.not {
			return modifier{clause: negated(text, w)}
		}
		return modifier{clause: text}
	case w.refers(other, own): // those refer to these
		return w.having(sub, p, noun, c.not, edge{key: other, target: own})
	case w.refers(own, other):
		e := edge{key: own, target: other}
		mods := sub.modifiers(p, head, -1)
		if sub.err != nil || len(mods) == 0 {
			w.abstain("membership in all rows")
			return modifier{}
		}
		role := w.role(e)
		if c.not {
			w.abstain("rows whose key is not among others")
			return modifier{}
		}
		return modifier{whose: role + " is one " + sub.attach(role, mods, one)}
	}
	w.abstain("membership in rows that no key joins")
	return modifier{}
}

// having says that there are, or are not, rows that refer to these.
func (w *writer) having(sub *writer, p *plan, noun string, not bool, e edge) modifier {
	table := p.inst[p.head].table
	link := strings.ToLower(w.db.Tables[table].Name)
	var mods []modifier
	other := ""
	if to, ok := w.through(p, e); ok {
		other = sub.noun(p.inst[to].table)
		mods = sub.modifiers(p, to, p.head)
	} else if target, ok := w.joins(table, e); ok && len(p.inst) == 1 && len(p.conds) == 0 {
		other = sub.noun(target)
	} else {
		other, link = sub.noun(table), ""
		mods = sub.modifiers(p, p.head, -1)
	}
	if sub.err != nil {
		return modifier{}
	}
	role := ""
	if link == "" {
		if r := w.role(edge{key: e.key, target: e.target}); r != noun {
			role = r
		}
	}
	verbs := w.relation(noun, other, link, role)
	if len(verbs) == 0 && role != "" {
		w.abstain("a key by which rows have a role")
		return modifier{}
	}
	if len(verbs) == 0 {
		verbs = []string{"have"}
	}
	verb := w.one(verbs...)
	things := many.of(other)
	if len(mods) > 0 {
		things += " " + sub.attach(other, mods, many)
	}
	if !not {
		return modifier{clause: verb + " " + w.a(other, mods)}
	}
	if verb == "are" {
		return modifier{clause: "are not " + things}
	}
	if verb == "have" {
		return modifier{clause: "have no " + things, behind: "without any " + things}
	}
	return modifier{clause: negated(verb+" any "+things, w)}
}

// through returns the one other instance behind a table that only joins.
func (w *writer) through(p *plan, e edge) (int, bool) {
	if len(p.of(p.head)) > 0 || len(p.edges) == 0 {
		return 0, false
	}
	to, n := 0, 0
	for _, x := range p.edges {
		if x.from == p.head {
			to, n = x.to, n+1
		}
	}
	return to, n == 1
}

// joins returns the table that a table joins another with, by its other key.
func (w *writer) joins(table int, e edge) (int, bool) {
	to, n := 0, 0
	for _, fk := range w.db.ForeignKeys {
		if fk.Column.Table == table && fk.Column != e.key {
			to, n = fk.Target.Table, n+1
		}
	}
	return to, n == 1 && isVerbal(strings.Fields(strings.ToLower(w.db.Tables[table].Name)))
}

// negated negates a predicate for many.
func negated(predicate string, w *writer) string {
	predicate = strings.Replace(predicate, " at least one ", " a ", 1)
	first, rest, _ := strings.Cut(predicate, " ")
	switch {
	case first == "are", first == "were":
		return first + " not " + rest
	case first == "have":
		if strings.HasPrefix(rest, "an ") || strings.HasPrefix(rest, "a ") {
			for _, p := range []string{"an ", "a "} {
				rest = strings.TrimPrefix(rest, p)
			}
			return "have no " + rest
		}
		return "do not have " + rest
	case isPast(first):
		base := english.Base(first)
		if base == "" {
			return w.abstain("a verb whose base form is not known")
		}
		return "did not " + base + " " + rest
	}
	return "do not " + predicate
}
