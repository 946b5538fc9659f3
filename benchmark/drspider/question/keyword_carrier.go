package question

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
)

func keywordCarrierRules() []rule {
	return []rule{
		{"how many for the number", howManyForNumber},
		{"how many, indirectly", indirectHowMany},
		{"how many in a list", howManyInList},
		{"a comparative for a superlative", moreThanAnyOther},
		{"more common than any other", moreCommon},
		{"the first of an order", startingWith},
		{"the first of two ends", firstOfEnds},
		{"no repetitions", withoutRepetition},
		{"multiple", multiple},
	}
}

// comparatives pairs superlatives of amounts with their comparatives.
var comparatives = map[string]string{
	"highest": "higher", "largest": "larger", "biggest": "bigger", "greatest": "greater", "maximum": "higher", "most": "more",
	"lowest": "lower", "smallest": "smaller", "least": "lower", "minimum": "lower", "fewest": "fewer",
	"longest": "longer", "shortest": "shorter",
}

var superlativeOf = regexp.MustCompile(`(?i)\b([a-z]+) (?:the )?(highest|largest|biggest|greatest|maximum|most|lowest|smallest|least|minimum|fewest|longest|shortest) ((?:number|amount) of )?`)

// moreThanAnyOther writes "that has more concerts than any other" for "with the
// most concerts". It needs a single thing that is asked for, and the superlative
// at the end of the question.
func moreThanAnyOther(s *source) []string {
	var out []string
	for _, at := range superlativeOf.FindAllStringSubmatchIndex(s.question, -1) {
		verb, word := strings.ToLower(s.question[at[2]:at[3]]), strings.ToLower(s.question[at[4]:at[5]])
		m, ok := s.keyword(at[4], at[5])
		counted := at[6] >= 0 || m.Op == "count"
		if !takesMore(verb, counted) {
			continue
		}
		if !ok || !strings.HasSuffix(m.Keyword, "limit") || s.top() {
			continue
		}
		noun := s.question[at[1]:]
		if i := strings.IndexAny(noun, ".?!"); i >= 0 {
			noun = noun[:i]
		}
		noun = trimEnd(noun)
		comparative, ok := compare(noun, word, counted, m.Keyword)
		if !ok {
			continue
		}
		clause := s.question[at[2]:at[3]]
		switch verb {
		case "with", "having":
			clause = "that has"
			if s.people(at[0]) {
				clause = "who has"
			}
		}
		front := strings.TrimRight(s.question[:at[0]], " ")
		ending := s.question[at[1]+len(noun):]
		for _, other := range []string{" than any other", " than all the others"} {
			out = append(out, fitArticles(tidy(front+" "+clause+" "+comparative+" "+noun+other+ending)))
		}
	}
	return out
}

// takesMore tells whether "more … than any other" can follow a word: "has", "with"
// whatever is compared, any verb, or a preposition of one, where things are counted.
func takesMore(word string, counted bool) bool {
	switch word {
	case "has", "have", "had", "with", "having":
		return true
	case "for", "by", "to", "at", "on", "through":
		return counted
	}
	return counted && !functionWords[word]
}

// compare returns the comparative before a noun phrase for a superlative. Things
// that are counted are many and take no article.
func compare(noun, superlative string, counted bool, keyword string) (string, bool) {
	words := strings.Fields(noun)
	n := 0 // words of the noun itself; a place or a time may follow
	for n < len(words) && !(n > 0 && functionWords[strings.ToLower(words[n])] && words[n] != "of") {
		n++
	}
	if n == 0 || n > 4 || len(words)-n > 3 || !plainNoun(words[:n]) || n < len(words) && !counted || n < len(words) && !slices.Contains([]string{"in", "on", "at", "after", "before"}, words[n]) || strings.ContainsAny(noun, ".?!,;\"'") {
		return "", false
	}
	head, _, _ := strings.Cut(strings.Join(words[:n], " "), " of ")
	comparative := comparatives[superlative]
	switch {
	case isPlural(head) && (counted || superlative == "most" || superlative == "fewest"):
		return map[bool]string{true: "more", false: "fewer"}[keyword == "desc limit"], true
	case isPlural(head) || counted || superlative == "fewest":
		return "", false
	case superlative == "most":
		return "more", true
	case superlative == "least":
		return "less", true
	}
	return article(comparative) + " " + comparative, true
}

// top tells whether more than one row is asked for.
func (s *source) top() bool {
	for _, m := range s.alignment.Mentions {
		if m.Op == "limit" && m.Kind == indicator.Value {
			return true
		}
	}
	return false
}

func plainNoun(words []string) bool {
	for i, w := range words {
		low := strings.ToLower(w)
		if strings.ContainsAny(w, ".?!,;\"'") || functionWords[low] && !(low == "of" && i > 0 && i < len(words)-1) {
			return false
		}
	}
	return true
}

// people tells whether the noun right before a position is of people.
func (s *source) people(start int) bool {
	words := strings.Fields(s.question[:start])
	return len(words) > 0 && isPerson(strings.Trim(words[len(words)-1], ","))
}

var orderOf = []struct {
	pattern *regexp.Regexp
	column  int // the group of the column
}{
	{regexp.MustCompile(`(?i)(?:,? *(?:and )?(?:sorted|ordered|ranked|listed|arranged|sort(?: them)?|order(?: them)?|list(?: them)?))? in (ascending|descending|increasing|decreasing) order of (?:the |their |its )?(.+)$`), 2},
	{regexp.MustCompile(`(?i),? *(?:and )?(?:sorted|ordered|ranked|arranged|sort|order|sort them|order them) by (?:the |their |its )?(.+?),? (?:in )?(ascending|descending|increasing|decreasing)(?: order)?$`), 1},
	{regexp.MustCompile(`(?i),? *(?:and )?(?:sorted|ordered|ranked|arranged|sort|order|sort them|order them) by (ascending|descending|increasing|decreasing) (.+)$`), 2},
}

// startingWith writes "starting with the lowest age" for "in ascending order of
// age".
func startingWith(s *source) []string {
	text := trimEnd(s.question)
	ending := strings.TrimSpace(s.question[len(text):])
	var out []string
	for _, o := range orderOf {
		at := o.pattern.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		column := text[at[2*o.column]:at[2*o.column+1]]
		direction := strings.ToLower(text[at[2*(3-o.column)]:at[2*(3-o.column)+1]])
		m, ok := s.keyword(at[0], at[1])
		if !ok || !plainNoun(strings.Fields(column)) || len(strings.Fields(column)) > 4 {
			continue
		}
		low, high := ends(s, m)
		if low == "" || m.Column.Table < 0 {
			continue
		}
		one := column
		if !isPlural(s.db.Column(m.Column).Name) {
			one = singular(column)
		}
		if isPlural(strings.Fields(one)[0]) && isYear(s, m) {
			continue // "years of work" are no time
		}
		if isPlural(one) && low == "lowest" && !isEarning(one) {
			low, high = "fewest", "most"
		}
		extreme := high
		if strings.HasPrefix(direction, "a") || strings.HasPrefix(direction, "i") {
			extreme = low
		}
		head := trimEnd(text[:at[0]])
		out = append(out, tidy(head+", starting with the "+extreme+" "+one+ending), tidy(head+", with the "+extreme+" "+one+" first"+ending),
			tidy(head+", beginning with the "+extreme+" "+one+ending))
		break
	}
	return out
}

// isEarning tells whether a plural is an amount and no number of things.
func isEarning(words string) bool {
	_, last := cutLast(strings.ToLower(words))
	return slices.Contains([]string{"earnings", "sales", "savings", "wages", "proceeds", "expenses", "costs", "prices"}, last)
}

// ends returns the superlatives of both ends of an order, "" where there are
// none.
func ends(s *source, m indicator.Mention) (low, high string) {
	switch {
	case m.Op != "":
		return "lowest", "highest"
	case m.Column.Table < 0:
		return "", ""
	case isYear(s, m) || s.columnType(m) == dataset.Time:
		return "earliest", "latest"
	case s.columnType(m) == dataset.Number:
		return "lowest", "highest"
	}
	return "", ""
}
