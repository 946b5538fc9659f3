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

// howManyQuestion matches the beginning of a question for a number of things.
var howManyQuestion = regexp.MustCompile(`(?i)^how many `)

// countRequest matches a request for a number of things up to the things.
var countRequest = regexp.MustCompile(`(?i)^(?:what (?:is|are|was|were)|find|count|return|give(?: me)?|show(?: me)?|tell me|compute|calculate|report|get|list|please show) (?:the )?(?:total |exact |overall )?(?:number|amount|count)s? of (?:the |all )?`)

// countVerb matches a request to count.
var countVerb = regexp.MustCompile(`(?i)^count (?:the |all )?`)

// thing returns where the words for what is counted end: a plural of at most four
// words that begins at a position.
func (s *source) thing(start int) (end int, ok bool) {
	q := newSentence(s.question)
	n := 0
	for i, t := range q.toks {
		if t.Start < start {
			continue
		}
		if q.ends(i) || n == 4 {
			break
		}
		n++
		if s.question[t.Start:t.End] != "" && isPlural(q.low[i]) {
			end, ok = t.End, true
			continue // a compound may go on: "sales numbers"
		}
		if ok {
			break
		}
	}
	return end, ok && end-start > 3
}

// counts tells whether the gold SQL shows nothing but a count, a sum at most.
func (s *source) counts() bool {
	sel := s.ex.Gold.Select
	n := 0
	for _, m := range s.alignment.Mentions {
		if m.Kind == indicator.Keyword && (m.Keyword == "count" || m.Keyword == "sum") && m.Has(indicator.Select) {
			n++
		}
	}
	return n > 0 && len(sel.Columns) == 1 && len(s.ex.Gold.Compound) == 0
}

// scope matches what a request is for, where it stands in front of it.
var scope = regexp.MustCompile(`(?i)^(?:for|in|of|among|from|within) [^,.?]+, `)

// howManyForNumber asks "How many singers are there?" for "Count the singers."
func howManyForNumber(s *source) []string {
	front := 0
	if at := scope.FindStringIndex(s.question); at != nil {
		front = at[1]
	}
	request := s.question[front:]
	at := countRequest.FindStringIndex(request)
	if at == nil {
		at = countVerb.FindStringIndex(request)
	}
	if at == nil || strings.Contains(strings.ToLower(request), " and ") && !s.counts() {
		return nil
	}
	start := front + at[1]
	end, ok := s.thing(start)
	if !ok || !s.isKeyword(front, start) {
		return nil
	}
	var out []string
	for _, q := range s.howMany(s.question[start:end], trimEnd(strings.TrimSpace(s.question[end:]))) {
		if front > 0 {
			q = s.question[:front] + "h" + q[1:]
		}
		out = append(out, asked(q))
	}
	return out
}

// indirectHowMany says "Tell me how many singers there are." for "Count the
// singers."
func indirectHowMany(s *source) []string {
	var out []string
	for _, q := range howManyForNumber(s) {
		at := howManyQuestion.FindStringIndex(q)
		if at == nil {
			continue
		}
		clause, ok := indirect("how many", trimEnd(q[at[1]:]))
		if !ok {
			continue
		}
		for _, o := range s.some(questions, 2) {
			out = append(out, open(o, clause))
		}
	}
	return out
}

// howMany asks for the number of things; rest is what followed them.
func (s *source) howMany(things, rest string) []string {
	first, more, _ := strings.Cut(rest, " ")
	there := "How many " + things + " are there"
	if strings.Contains(rest, ", ") || strings.ContainsAny(rest, ".?!") {
		return nil
	}
	switch low := strings.ToLower(first); low {
	case "":
		if s.grouped() {
			return []string{there}
		}
		return []string{there, "How many " + things + " do we have", "How many " + things + " exist"}
	case "that", "who", "which":
		if verb, _, _ := strings.Cut(more, " "); !startsClause(verb) {
			return nil
		}
		return []string{"How many " + things + " " + more}
	case "with":
		return []string{there + " " + rest, "How many " + things + " have " + more}
	case "from", "in":
		return []string{"How many " + things + " are " + rest, there + " " + rest}
	case "whose", "for", "of", "on", "at", "by", "without", "within", "per", "where", "to", "across", "among", "between", "under", "over", "above", "below", "into":
		return []string{there + " " + rest}
	default:
		switch {
		case strings.HasSuffix(low, "ing"):
			return []string{there + " " + rest}
		case participle(low):
			return []string{"How many " + things + " are " + rest}
		}
	}
	return nil
}

// participle tells whether a word behind a noun is a participle: "flights landing
// in Rome", "cars made in Italy".
func participle(word string) bool {
	switch word = strings.ToLower(word); word {
	case "taught", "written", "made", "spoken", "built", "held", "sold", "kept":
		return true
	}
	return strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "ing") && len(word) > 5
}

// startsClause tells whether a word behind "who" or "that" is its verb, so that
// the relative word can go: "students who have pets", not "pets that students own".
func startsClause(word string) bool {
	switch w := strings.ToLower(word); w {
	case "the", "a", "an", "it", "they", "he", "she", "we", "is", "has", "was":
		return false
	case "are", "have", "were", "had", "do", "did", "can", "live", "speak", "went", "go", "won", "use", "own", "play", "made", "came", "come", "paid", "took", "take", "cost", "weigh", "got", "received", "attended", "visited", "arrive", "depart", "leave", "land", "serve":
		return true
	default:
		return strings.HasSuffix(w, "ed")
	}
}

func (s *source) grouped() bool { return len(s.ex.Gold.Select.GroupBy) > 0 }

// embedded matches a number of things that is one of several things asked for.
var embedded = regexp.MustCompile(`(?i)(, | and | along with | as well as )(?:and )?((?:(?:the|their|its) )?(?:corresponding )?(?:total )?numbers? of )`)

// howManyInList writes "and how many singers are in each concert" for "and the
// number of singers in each concert".
func howManyInList(s *source) []string {
	var out []string
	for _, at := range embedded.FindAllStringSubmatchIndex(s.question, -1) {
		start, from := at[4], at[5]
		if !s.isKeyword(start, from) {
			continue
		}
		end, ok := s.thing(from)
		if !ok {
			continue
		}
		things, rest := s.question[from:end], s.question[end:]
		tail := strings.TrimSpace(rest)
		body := trimEnd(tail)
		if strings.ContainsAny(body, ".?!") || strings.Contains(body, " and ") {
			continue
		}
		first, more, _ := strings.Cut(body, " ")
		own := strings.HasPrefix(strings.ToLower(s.question[start:]), "their") || strings.HasPrefix(strings.ToLower(s.question[start:]), "its")
		var with []string
		switch strings.ToLower(first) {
		case "":
			if own {
				with = append(with, "how many "+things+" they have")
			} else {
				with = append(with, "how many "+things+" there are")
			}
		case "in", "on", "at", "from", "under", "within":
			with = append(with, "how many "+things+" are "+body, "how many "+things+" there are "+body)
		case "for", "with", "by", "per", "of":
			with = append(with, "how many "+things+" there are "+body)
		case "that", "who":
			if w, _, _ := strings.Cut(more, " "); startsClause(w) || strings.EqualFold(w, "they") {
				with = append(with, "how many "+things+" "+more)
			}
		case "they":
			with = append(with, "how many "+things+" "+body)
		case "corresponding":
			with = append(with, "how many "+things+" there are "+body)
		default:
			if participle(first) {
				with = append(with, "how many "+things+" are "+body)
			}
		}
		ending := strings.TrimSpace(tail[len(body):])
		for _, w := range with {
			out = append(out, tidy(s.question[:start]+w+ending))
		}
	}
	return out
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
