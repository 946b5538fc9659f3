package realise

import (
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
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
		return ends(w.one("list", "show", "give me", "name") + " all " + many.of(noun) + tail)
	}
	if a := w.asked(col); a != nil && len(a.How) > 0 && !p.unique && tail == "" {
		if text := w.how(p, a.How, col, noun, phrase, n); text != "" {
			return text + "?"
		}
	}
	return ""
}

// byAdjective tells whether a wording asks by an adjective: "how old {be} {}".
func byAdjective(wording string) bool {
	return strings.HasPrefix(wording, "how ") && !strings.HasPrefix(wording, "how {") && !strings.HasPrefix(wording, "how many") && !strings.HasPrefix(wording, "how much")
}

// longRows is the number of words of rows behind which nothing can follow: "what is the
// country with the lowest life expectancy called".
const longRows = 5

// how asks for a column by a verb or an adjective. An amount is asked of each row: of
// several it would be the sum.
func (w *writer) how(p *plan, wordings []string, col dataset.ColumnRef, noun, phrase string, n number) string {
	wording := w.one(wordings...)
	if !strings.HasSuffix(wording, "{}") && len(strings.Fields(phrase)) > longRows {
		return ""
	}
	phrase = strings.Replace(phrase, "all ", "the ", 1)
	if n == many && (strings.HasPrefix(wording, "how many") || strings.HasPrefix(wording, "how much") || !strings.Contains(wording, "} {}")) {
		n, phrase = one, w.one("each ", "every ")+w.bare(p, one)
	}
	w.said[col] = Carried
	if byAdjective(wording) {
		w.said[col] = Attributed
	}
	return fill(wording, phrase, n)
}

// fill puts rows and the verbs that go with them into a wording.
func fill(wording, rows string, n number) string {
	verbs := [][3]string{{"{be}", "are", "is"}, {"{was}", "were", "was"}, {"{do}", "do", "does"}, {"{have}", "have", "has"}}
	if n == many {
		wording = whichMany(wording)
	}
	for _, v := range verbs {
		to := v[1]
		if n == one {
			to = v[2]
		}
		wording = strings.ReplaceAll(wording, v[0], to)
	}
	return strings.ReplaceAll(wording, "{}", rows)
}

// whichMany puts the noun behind "which" or "what" into the plural: "which regions are".
func whichMany(wording string) string {
	words := strings.Fields(wording)
	for i := 1; i+1 < len(words); i++ {
		if (words[i-1] == "which" || words[i-1] == "what") && strings.HasPrefix(words[i+1], "{") && words[i+1] != "{}" && words[i][0] != '{' {
			words[i] = english.Plural(words[i])
		}
	}
	return strings.Join(words, " ")
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
		if other != w.noun(p.inst[p.head].table) { // a gymnast is a person: its name is that of the person
			name = ofRows(other, name)
		}
	}
	if n == many {
		return plural(name)
	}
	return name
}

// plural returns a column's name with its head in the plural: "numbers of pages", "dates opened".
func plural(name string) string {
	if words := strings.Fields(name); isDone(words) && english.IsPast(words[1]) {
		return english.Plural(words[0]) + " " + words[1]
	}
	return english.Plural(name)
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
