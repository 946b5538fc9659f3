package realise

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
)

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
	case w.isName(col):
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
		if !slices.Contains(kindsOf(w.noun(w.tableOf(p, p.head))), "{"+other+"}") { // a poker player's height is a person's
			name = ofRows(other, name)
		}
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
	if p.limit > 1 && p.order[0].item.field.inst != p.head && w.source(p) != p.head {
		return w.abstain("rows of which one can be several of the first")
	}
	rows := w.extreme(p, noun)
	n := number(p.limit == 1)
	if p.items[0].star {
		return w.everything(rows, "")
	}
	if len(p.items) == 1 && w.isName(p.items[0].field.ref) && p.items[0].field.inst == p.head && w.chance(.5) {
		w.said[p.items[0].field.ref] = Carried
		return w.one(which(rows, noun, n), ends(w.one("name ", "find ", "tell me ")+rows))
	}
	if a := w.asked(p.items[0].field.ref); len(p.items) == 1 && p.items[0].field.inst == p.head && a != nil && len(a.How) > 0 && n == one && w.chance(.5) {
		if text := w.how(p, a.How, p.items[0].field.ref, noun, rows, n); text != "" {
			return text + "?"
		}
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
// allow, else "which singer has the highest age"; "" where more is said of the rows.
func which(rows, noun string, n number) string {
	rest := strings.TrimPrefix(rows, "the ")
	head := n.of(noun)
	if at := strings.Index(rest, head+" with the "); at == 0 {
		return "which " + head + " " + n.have() + strings.TrimPrefix(rest, head+" with") + "?"
	}
	if strings.HasPrefix(rest, head+" ") {
		return ""
	}
	return "which " + head + " " + n.be() + " " + rows + "?"
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
