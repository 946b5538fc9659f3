package realise

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/sqlast"
)

// modifier is a condition on rows in the forms that it has; "" for each that it has not.
type modifier struct {
	after       string     // follows the rows: "from France", "older than 20"
	with        string     // a noun phrase that the rows have: "an age above 20"
	whose       string     // a clause whose subject is a column: "age is above 20"
	clause      string     // a plural predicate of the rows: "take the course Maths"
	has         string     // follows "have" in a predicate that has no other form: "a continent of Africa"
	either      []modifier // alternatives; the forms are unset
	afterNames  bool       // after is the name of another row
	afterAlone  string     // replaces an empty after if the rows have no other modifier: "of singers from France"
	datePhrase  string     // when it was so: "on 2016-06-23"; "" for others
	aboutOthers bool       // is about rows joined to these or of a nested query, whose modifiers may follow

	column dataset.ColumnRef // that after is about; unset for joins
	manner Manner            // how after refers to the column
}

// recordManner records how the question refers to a modifier's column, if the form m.after was chosen. Other forms name the column.
func (w *writer) recordManner(m modifier, isAfter bool) {
	if m.manner != Named && isAfter {
		w.manners[m.column] = m.manner
	}
}

// postmodifier draws a form of a modifier that follows the rows: "from France", "with an
// age above 20", "whose age is above 20". Noun is what a row is called. It records how the form refers to the column.
func (w *writer) postmodifier(m modifier, n number, noun string) string {
	clause := ""
	switch {
	case m.either != nil: // "who either are from France or …"
		return who(noun) + " " + w.predicate(m, n)
	case m.datePhrase != "": // such a date is drawn only in its short form, "on 2016-06-23"
		return m.after
	case m.clause != "":
		clause = who(noun) + " " + n.agree(m.clause)
	}
	// The form that reads best is in the list twice, so it is drawn more often.
	text := w.draw(m.after, m.after, prefixed("with ", m.with), prefixed("whose ", m.whose), clause)
	w.recordManner(m, text == m.after)
	return text
}

// prefixed returns a text after a prefix, or "" if the text is "".
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// predicate draws a form of a modifier that is a predicate: "are from France", "have an
// age above 20". It uses m.has only if no other form is a predicate, and records how the form refers to the column.
func (w *writer) predicate(m modifier, n number) string {
	if m.either != nil {
		return "either " + english.Enumerate(lists.Map(m.either, func(m modifier) string { return w.predicate(m, n) }), "or")
	}
	after := ""
	switch first, rest, _ := strings.Cut(m.after, " "); first {
	case "with": // "with an ID" → "have an ID"
		after = n.have() + " " + rest
	case "that", "who":
		after = rest
	case "", "whose", "of": // no predicate
	default: // "from France" → "are from France"
		after = n.be() + " " + m.after
	}
	forms := nonEmpty(after, prefixed(n.have()+" ", m.with), n.agree(m.clause))
	if len(forms) == 0 {
		forms = nonEmpty(prefixed(n.have()+" ", m.has))
	}
	if len(forms) == 0 {
		return w.unsupported("a condition that is no predicate")
	}
	text := w.draw(forms...)
	w.recordManner(m, m.after != "" && text == forms[0])
	return text
}

// conditionModifier expresses a condition on a column, a nested query or alternatives as a modifier of the rows.
func (w *writer) conditionModifier(c cond) modifier {
	col := c.item.field.ref
	switch {
	case c.alts != nil:
		return w.either(c.alts)
	case !c.item.isColumn():
		return w.unsupportedModifier("a condition on an aggregate")
	case c.sub != nil:
		return w.nested(c)
	}
	if flags := w.flagWordings(c); len(flags) > 0 {
		return w.flagged(col, w.draw(flags...))
	}
	if c.isYesOrNo() || w.isSwitch(c) {
		return w.unsupportedModifier("a yes or no of which nothing says how rows are called")
	}
	if words := strings.Fields(w.lowerName(col)); c.isSingleEquality() && isDoneBy(words) { // "directed by Ann"
		return modifier{after: strings.Join(words, " ") + " " + w.value(c.values[0])}
	}
	if target := w.targetOf(col); c.op == "null" && target != col && w.isKey(target) {
		return w.referring(c, edge{key: col, target: target})
	}
	name := w.column(col)
	if w.err != nil {
		return modifier{}
	}
	if p := partAsked(c); p != "" && (c.item.field.timePart != "" || w.isTime(col)) {
		return w.inPeriod(c, p, name)
	}
	return w.withUnit(conditionWordings[c.op](w, c, name), c, name)
}

// withUnit moves the unit from a column's name to behind the number in the forms of a modifier: "a height in cm of 185" becomes "a height of
// 185 cm".
func (w *writer) withUnit(m modifier, c cond, name string) modifier {
	short, unit, ok := strings.Cut(name, " in ")
	_, measure := english.CutLast(unit)
	if !ok || !english.IsUnit(measure) || len(c.values) == 0 || c.values[len(c.values)-1].Kind != sqlast.NumberLiteral {
		return m
	}
	v := w.value(c.values[len(c.values)-1]) // the last one takes the unit: "between 150 and 185 cm"
	for _, form := range []*string{&m.with, &m.whose, &m.has} {
		if strings.Contains(*form, name) && strings.Contains(*form, v) {
			*form = strings.Replace(strings.Replace(*form, name, short, 1), v, v+" "+unit, 1)
		}
	}
	return m
}

// conditionWordings have the method that words a condition on a column of a name, by operator.
var conditionWordings = map[string]func(w *writer, c cond, name string) modifier{
	"null": (*writer).null, "like": (*writer).like, "between": (*writer).between, "range": (*writer).between, "=": (*writer).equal, "!=": (*writer).unequal,
	"<": (*writer).compare, "<=": (*writer).compare, ">": (*writer).compare, ">=": (*writer).compare,
}

// null expresses IS NULL and IS NOT NULL: "with no known age", "with a known age".
func (w *writer) null(c cond, name string) modifier {
	if c.not {
		return modifier{with: withArticle("known " + name), whose: clauseOf(name, "known")}
	}
	return modifier{with: "no known " + name, whose: clauseOf(name, "not known")}
}

// referring expresses IS NULL and IS NOT NULL of a key by the rows that it refers to: "with no organization", "with an organization".
func (w *writer) referring(c cond, e edge) modifier {
	if c.not {
		return modifier{with: withArticle(w.role(e))}
	}
	return modifier{with: "no " + w.role(e)}
}

// between expresses BETWEEN, and a lower and an upper bound: "with an age between 20 and 30". Name is the noun phrase of the column.
func (w *writer) between(c cond, name string) modifier {
	low, high := w.value(c.values[0]), w.value(c.values[1])
	if c.op == "range" && c.bounds != [2]string{">=", "<="} { // a bound is excluded: "above 20 and below 30"
		words := func(op string) string {
			if w.isTime(c.item.field.ref) {
				return timeComparisons[op][0]
			}
			return comparisons[op].is[0]
		}
		text := words(c.bounds[0]) + " " + low + " and " + words(c.bounds[1]) + " " + high
		return modifier{whose: clauseOf(name, text), with: withArticle(name) + " that is " + text}
	}
	ends := fmt.Sprintf(w.draw("between %s and %s", "from %s to %s"), low, high)
	return modifier{with: withArticle(name) + " between " + low + " and " + high, whose: clauseOf(name, ends)}
}

// unequal expresses !=: "with an age other than 20". Name is the noun phrase of the column.
func (w *writer) unequal(c cond, name string) modifier {
	v := w.value(c.values[0])
	return modifier{whose: clauseOf(name, w.draw("not ", "other than ")+v), with: withArticle(name) + " other than " + v}
}

// withArticle returns a name after an indefinite article, if it takes one: "an age", but
// "earnings".
func withArticle(name string) string {
	if english.IsPlural(name) || english.IsUncounted(name) {
		return name
	}
	return english.Article(name) + " " + name
}

// clauseOf returns a clause whose subject is a column: "age is above 20", "earnings are known".
func clauseOf(name, predicate string) string {
	return name + " " + number(!english.IsPlural(name)).be() + " " + predicate
}

// partPattern matches a text between wildcards.
var partPattern = lazyregexp.New(`^(%*)([^%_]+)(%*)$`)

// like expresses LIKE: name LIKE 'A%' → "whose name starts with 'A'". A pattern with wildcards inside its text is unsupported.
func (w *writer) like(c cond, name string) modifier {
	p := c.values[0].Text
	parts := partPattern.FindStringSubmatch(p)
	if parts == nil {
		return w.unsupportedModifier("a pattern that is more than a part of a word")
	}
	if value := w.inQuestion(parts[2]); value != "" && parts[1] != "" && parts[3] != "" { // the original question takes %Rock% as the value Rock
		return w.equal(cond{item: c.item, op: "=", not: c.not, values: []*sqlast.Literal{{Kind: sqlast.StringLiteral, Text: value}}}, name)
	}
	if whole := w.lowerName(c.item.field.ref); strings.HasSuffix(whole, " name") && !strings.HasSuffix(name, "name") {
		name = whole // it is the name of a country that contains a text
	}
	v := " '" + parts[2] + "'"
	verb := w.draw("contain", "include")
	participle := "containing"
	switch {
	case p == parts[2]: // no wildcards
		return w.equal(cond{item: c.item, op: "=", not: c.not, values: c.values}, name)
	case parts[1] == "":
		verb, participle = w.draw("start with", "begin with"), "starting with"
	case parts[3] == "":
		verb, participle = "end with", "ending with"
	}
	if c.not {
		return modifier{whose: name + " does not " + verb + v, has: withArticle(name) + " that does not " + verb + v}
	}
	return modifier{whose: name + " " + number(!english.IsPlural(name)).agree(verb) + v, with: withArticle(name) + " " + participle + v}
}

// inQuestion returns a text in the letter case of the original question. It returns "" if that question lacks the text as a whole word, or asks
// for texts that contain it: "containing", "in its name".
func (w *writer) inQuestion(text string) string {
	asksForPart := slices.ContainsFunc(words().Words("part"), func(word string) bool { return w.askedWords[word] })
	m := regexp.MustCompile(`(?i)(?:^|[^\pL])(` + regexp.QuoteMeta(text) + `)($|[^\pL].*)`).FindStringSubmatch(w.question)
	if m == nil || asksForPart || !isPlain(m[1]) || partIn.MatchString(m[2]) {
		return ""
	}
	return m[1]
}

// partIn matches what follows a part of a text: "in its name", "somewhere in the description".
var partIn = lazyregexp.New(`^["']?(?: somewhere| anywhere)? in (?:(?:its|the|their) )?(?:[a-z]+ )?(?:names?|titles?|descriptions?|texts?|notes?|comments?|address(?:es)?)\b`)

// equal expresses that a column is, or is not, one of some values: country = 'France' → "from France", "whose country is France". Name is the
// noun phrase of the column. Equality has a form with "with" only for IDs, names and labels ("with the status Completed") and for amounts
// ("with an age of 20").
func (w *writer) equal(c cond, name string) modifier {
	col := c.item.field.ref
	values := lists.Map(c.values, w.value)
	v := english.Enumerate(values, "or")
	if c.not {
		if len(values) > 1 {
			return modifier{whose: clauseOf(name, "neither "+english.Enumerate(values, "nor"))}
		}
		return modifier{whose: clauseOf(name, "not "+v), with: withArticle(name) + " other than " + v}
	}
	m := modifier{whose: clauseOf(name, v), has: withArticle(name) + " of " + v}
	if isText := c.values[0].Kind == sqlast.StringLiteral; english.IsUncounted(name) || isText && len(values) == 1 { // "have Italian as the language"
		m.has = v + " as the " + name
	}
	if len(values) == 1 && w.canFollowName(col, name) {
		m.with = "the " + name + " " + v
	}
	if w.isQuantity(col) && !w.isTime(col) {
		m.with = withArticle(name) + " of " + v
		if counted := w.countOf(col, name); counted != "" {
			m.with = v + " " + counted
		}
	}
	return w.equalByPhrase(m, col, values)
}

// canFollowName reports whether a value can follow the noun phrase of its column, name: "the status
// Completed", but not "the continent Africa".
func (w *writer) canFollowName(col dataset.ColumnRef, name string) bool {
	if w.isID(col) || w.isName(col) {
		return true
	}
	_, last := english.CutLast(name)
	return !w.isNumber(col) && listed("label", last)
}

// equalByPhrase returns a modifier with a wording of the phrasebook for the values of a column as its form after, if there is
// one: country = 'France' → "from France". The value implies the column ("from France"), unless
// the wording has content words ("born in France"), which reword it.
func (w *writer) equalByPhrase(m modifier, col dataset.ColumnRef, values []string) modifier {
	a, v := w.askedAs(col), english.Enumerate(values, "or")
	wordings := lists.Filter(a.Is, func(s string) bool { return english.IsNumeric(v) || !isForNumbers(s) })
	if len(wordings) > 0 && v != "" {
		wording := w.draw(wordings...)
		m.after, m.column, m.manner = strings.ReplaceAll(wording, "{v}", v), col, Valued
		if namesContent(wording) {
			m.manner = Reworded
		}
	}
	return m
}

// isForNumbers reports whether only a number can fill {v} of a wording: "number {v}", "attended by {v} people".
func isForNumbers(wording string) bool {
	return strings.Contains(wording, "number {v}") || strings.Contains(wording, "{v} people")
}

// isYesOrNo reports whether the condition compares a column with the text Y or N.
func (c cond) isYesOrNo() bool {
	return c.isSingleEquality() && slices.Contains([]string{"Y", "N"}, strings.ToUpper(c.values[0].Text))
}

// isSwitch reports whether the condition compares a column whose sampled cells are all 0 or 1 with one of these.
func (w *writer) isSwitch(c cond) bool {
	isBit := func(text string) bool { return text == "0" || text == "1" }
	samples := w.db.Column(c.item.field.ref).Samples
	return c.isSingleEquality() && isBit(c.values[0].Text) && len(samples) > 0 && !slices.ContainsFunc(samples, func(s string) bool { return !isBit(s) })
}

// flagWordings returns wordings for the rows with a value of a flag: "that are active" for is_active = 1, "that are not active" for
// is_active = 0. They are from the phrasebook, or made of a column's name that begins with "is" or "has". It returns none if the column is
// no flag or the value is neither true nor false.
func (w *writer) flagWordings(c cond) []string {
	if !c.isSingleEquality() {
		return nil
	}
	a := w.askedAs(c.item.field.ref)
	set, unset := a.Flag, a.Not // for true and for false
	if verb, rest, _ := strings.Cut(w.lowerName(c.item.field.ref), " "); len(set) == 0 && rest != "" {
		switch verb {
		case "is":
			if isEntity(rest) && !adjectival.MatchString(rest) {
				return nil // "is student": neither "are student" nor "is students"
			}
			set, unset = []string{"that are " + rest}, []string{"that are not " + rest}
			if _, last := english.CutLast(rest); last != rest && !adjectival.MatchString(last) { // "is in stock"
				set, unset = []string{"marked as " + rest}, []string{"not marked as " + rest}
			}
		case "has":
			set, unset = []string{"with " + withArticle(rest)}, []string{"without " + withArticle(rest)}
		}
	}
	switch strings.ToLower(c.values[0].Text) {
	case "1", "t", "y", "yes", "true":
		return set
	case "0", "f", "n", "no", "false":
		return unset
	}
	return nil
}

// adjectival matches the ends of adjectives.
var adjectival = lazyregexp.New(`(?:al|ic|ive|ed|able|ful|less|ous)$`)

// flagged returns the modifier for a wording of a flag: the clause "are active" for "that are active", else the wording as the form after.
func (w *writer) flagged(col dataset.ColumnRef, wording string) modifier {
	if clause, ok := strings.CutPrefix(wording, "that "); ok {
		w.manners[col] = Carried // the clause implies the column
		return modifier{clause: clause}
	}
	return modifier{after: wording, column: col, manner: Carried} // recorded if the form after is drawn
}

// countOf returns the plural noun for the things that a column counts: "stops" for a "number of stops", "stars" for "stars". It returns ""
// for columns that count nothing, such as earnings and scores.
func (w *writer) countOf(c dataset.ColumnRef, name string) string {
	if counted, ok := strings.CutPrefix(name, "number of "); ok && english.IsPlural(counted) && len(strings.Fields(counted)) == 1 {
		return counted
	}
	if isCount(name) && !strings.Contains(w.db.Column(c).Description, "score") {
		return name
	}
	return ""
}

// isCount reports whether a column's name is a plural noun for counted things: "stars", but not "earnings".
func isCount(name string) bool {
	return english.IsPlural(name) && !strings.Contains(name, " ") && !listed("amount", name)
}

// comparative matches wordings by an adjective: "older than {v}".
var comparative = lazyregexp.New(`^(?:[a-z-]+er|(?:more|less) [a-z-]+) than `)

// namesContent reports whether a wording has words other than the value and function words:
// "born in {v}" has "born", "from {v}" has none.
func namesContent(wording string) bool {
	return slices.ContainsFunc(strings.Fields(wording), func(s string) bool { return s != "{v}" && !english.IsFunction(s) })
}

// comparisons are the words of comparisons: after "is", and after "an age".
var comparisons = map[string]struct{ is, noun []string }{
	">":  {[]string{"greater than", "above", "more than", "over"}, []string{"above", "greater than", "of more than", "over"}},
	"<":  {[]string{"less than", "below", "under", "smaller than"}, []string{"below", "of less than", "under"}},
	">=": {[]string{"at least", "greater than or equal to", "no less than"}, []string{"of at least", "of no less than"}},
	"<=": {[]string{"at most", "less than or equal to", "no more than"}, []string{"of at most", "of no more than"}},
}

// timeComparisons are those of times: "a date after 2001-02-03".
var timeComparisons = map[string][]string{">": {"after", "later than"}, "<": {"before", "earlier than"}, ">=": {"no earlier than"}, "<=": {"no later than"}}

// compare expresses <, <=, > and >= with a number or a time: age > 20 → "older than 20", "whose age is above 20".
func (w *writer) compare(c cond, name string) modifier {
	col := c.item.field.ref
	v := w.value(c.values[0])
	var m modifier
	switch {
	case w.db.Column(col).Type == dataset.Time && yearForm.MatchString(v):
		// As texts all dates of 2000 are greater than '2000', so > means 2000 or later too.
		c.op = map[string]string{">": ">=", ">=": ">=", "<": "<", "<=": "<"}[c.op]
		return w.inPeriod(c, year, name)
	case w.isTime(col):
		how := w.draw(timeComparisons[c.op]...)
		m = modifier{whose: clauseOf(name, how+" "+v), with: withArticle(name) + " " + how + " " + v}
	case c.values[0].Kind == sqlast.NumberLiteral:
		words := comparisons[c.op]
		m = modifier{whose: clauseOf(name, w.draw(words.is...)+" "+v), with: withArticle(name) + " " + w.draw(words.noun...) + " " + v}
		if counted := w.countOf(col, name); counted != "" {
			m = modifier{with: amounts[c.op] + v + " " + counted}
		}
	default:
		return w.unsupportedModifier("a comparison of words")
	}
	a := w.askedAs(col)
	if wordings := map[string][]string{">": a.More, "<": a.Less}[c.op]; len(wordings) > 0 {
		wording := w.draw(wordings...)
		m.after, m.column, m.manner = strings.ReplaceAll(wording, "{v}", v), col, Reworded
		if comparative.MatchString(wording) {
			m.manner = Attributed
		}
	}
	return m
}
