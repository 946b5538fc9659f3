package realise

import (
	"strconv"
	"strings"
	"time"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/sqlast"
)

// part is a part of a time: a year, a month of a year, a month of any year, a day, or the age since then. "" is the
// whole time.
type part string

const (
	year        part = "year"
	yearMonth   part = "month"
	monthOfYear part = "month of the year"
	day         part = "day"
	age         part = "age"
)

// partOf returns the part of a time that a call takes, and the expression of the time: the year and born for strftime('%Y', born)
// and substr(born, 1, 4). The part is "" for other expressions.
func partOf(e sqlast.Expr) (part, sqlast.Expr) {
	call, ok := e.(*sqlast.Call)
	if !ok || call.Over != nil {
		return "", nil
	}
	args := call.Args
	switch name := strings.ToLower(call.Name.Name); {
	case name == "strftime" && len(args) == 2:
		format, _ := args[0].(*sqlast.Literal)
		if format == nil {
			return "", nil
		}
		return map[string]part{"%Y": year, "%Y-%m": yearMonth, "%m": monthOfYear, "%Y-%m-%d": day}[format.Text], args[1]
	case strings.HasPrefix(name, "substr") && len(args) == 3:
		return map[string]part{"1, 4": year, "1, 7": yearMonth, "1, 10": day, "6, 2": monthOfYear}[sqlast.Format(args[1])+", "+sqlast.Format(args[2])], args[0]
	case name == "date" && len(args) == 1:
		return day, args[0]
	}
	return "", nil
}

// age reads the current year minus the year of a column as the age: strftime('%Y', 'now') - strftime('%Y', born). It returns false for other
// differences.
func (w *writer) age(p *plan, e *sqlast.Binary) (item, bool) {
	today, of := partOf(plain(e.X))
	if call, ok := of.(*sqlast.Call); ok && len(call.Args) == 1 { // date('now')
		of = call.Args[0]
	}
	now, isTime := of.(*sqlast.Literal)
	f, ok := w.field(p, e.Y)
	if e.Op != "-" || today != year || !isTime || now.Kind != sqlast.TimeLiteral && now.Text != "now" || !ok || f.timePart != year {
		return item{}, false
	}
	f.timePart = age
	return item{field: f}, true
}

// fieldName returns the noun phrase, without an article, for a column or for a part of the times in it: "age", "year of the opening date".
func (w *writer) fieldName(f field) string {
	name := w.column(f.ref)
	switch {
	case f.timePart == "", f.timePart == year && name == "year":
		return name
	case name == "date" && f.timePart != age:
		return string(f.timePart)
	case f.timePart == age && listed("birth", strings.ReplaceAll(name, " ", "")):
		return "age"
	case f.timePart == age:
		return "number of years since the " + name
	case f.timePart == year && listed("birth", strings.ReplaceAll(name, " ", "")):
		return "year of birth"
	}
	return string(f.timePart) + " of the " + name
}

var (
	yearForm      = lazyregexp.New(`^[12][0-9]{3}$`)
	monthForm     = lazyregexp.New(`^([12][0-9]{3})-?(0[1-9]|1[0-2])-?%?$`)
	dayForm       = lazyregexp.New(`^[12][0-9]{3}-[01][0-9]-[0-3][0-9]%?$`)
	monthOnlyForm = lazyregexp.New(`^(0[1-9]|1[0-2])$`)
	yearPrefix    = lazyregexp.New(`^[12][0-9]{3}-?%$`)
)

// partAsked returns the part of a time that a condition is on: the part that its SQL takes, or the day for LIKE '2015-09-10%', and so on. It
// returns "" for conditions on whole times.
func partAsked(c cond) part {
	if p := c.item.field.timePart; p != "" || c.op != "like" || len(c.values) != 1 {
		return p
	}
	switch text := c.values[0].Text; {
	case yearPrefix.MatchString(text):
		return year
	case monthForm.MatchString(text):
		return yearMonth
	case dayForm.MatchString(text):
		return day
	}
	return ""
}

// inPeriod expresses a condition on a part of a time: strftime('%Y', born) = '1990' → "whose birthday is in 1990".
func (w *writer) inPeriod(c cond, p part, name string) modifier {
	if words := comparisons[c.op]; p == age && len(words.is) > 0 {
		name, v := w.fieldName(c.item.field), " "+w.value(c.values[0])
		return modifier{whose: clauseOf(name, w.draw(words.is...)+v), with: withArticle(name) + " " + w.draw(words.noun...) + v}
	}
	preposition := "in "
	if p == day {
		preposition = "on "
	}
	var periods []string
	for _, v := range c.values {
		periods = append(periods, w.period(v, p))
	}
	if w.err != nil || p == age {
		return w.unsupportedModifier("a condition on an age")
	}
	v := periods[0]
	how := "" // follows "the date is"
	switch op := c.op; {
	case op == "like" && !c.not, op == "=" && !c.not && len(periods) == 1:
		how = preposition + v
	case len(periods) == 1 && (op == "like" || op == "=" || op == "!="):
		how = "not " + preposition + v
	case (op == "between" || c.bounds == [2]string{">=", "<="}) && p != monthOfYear:
		how = "from " + v + " to " + periods[1]
	case op == "=" && !c.not: // IN
		how = preposition + strings.Join(periods, " or ")
	case p != monthOfYear: // months of any year have no order
		how = map[string]string{">": "after " + v, "<": "before " + v, ">=": preposition + v + " or later", "<=": preposition + v + " or earlier"}[op]
	}
	if c.op == "range" && how == "" {
		how = timeComparisons[c.bounds[0]][0] + " " + periods[0] + " and " + timeComparisons[c.bounds[1]][0] + " " + periods[1]
	}
	if how == "" {
		return w.unsupportedModifier("a condition on a month")
	}
	m := modifier{whose: clauseOf(name, how)}
	if name == "date" && !strings.HasPrefix(how, "not ") {
		m.after, m.column, m.manner = how, c.item.field.ref, Valued
		if _, ok := w.entityOf(c.item.field.ref.Table); ok {
			m.datePhrase = how
		}
	}
	if listed("birth", strings.ReplaceAll(name, " ", "")) && !strings.HasPrefix(how, "not ") {
		m.after, m.column, m.manner = "born "+how, c.item.field.ref, Carried
	}
	if !strings.HasPrefix(how, "not ") {
		m.with = withArticle(name) + " " + how
	}
	return m
}

// period returns a constant of a part of a time as people write it: "1990", "March 1997", "March", "1997-03-01". A constant in another form
// is unsupported.
func (w *writer) period(lit *sqlast.Literal, p part) string {
	text := strings.TrimRight(lit.Text, "%")
	switch month := monthForm.FindStringSubmatch(text); {
	case p == year && yearForm.MatchString(strings.TrimRight(text, "-")):
		return strings.TrimRight(text, "-")
	case p == yearMonth && month != nil:
		return monthName(month[2]) + " " + month[1]
	case p == monthOfYear && monthOnlyForm.MatchString(text):
		return monthName(text)
	case p == day && dayForm.MatchString(text):
		return text
	}
	return w.unsupported("a time that is not written as its part is")
}

// monthName returns the name of a month by its number.
func monthName(number string) string {
	n, _ := strconv.Atoi(number)
	return time.Month(n).String()
}
