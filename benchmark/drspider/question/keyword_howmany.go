package question

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
)

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

// ofOwner matches what says whose things are counted: there is no such place.
var ofOwner = regexp.MustCompile(`(?i)^of (?:its|their|the|his|her)\b`)

// howMany asks for the number of things; rest is what followed them.
func (s *source) howMany(things, rest string) []string {
	first, more, _ := strings.Cut(rest, " ")
	there := "How many " + things + " are there"
	if ofOwner.MatchString(rest) || strings.Contains(rest, ", ") || strings.ContainsAny(rest, ".?!") {
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
		case active(low, more):
			return []string{"How many " + things + " " + rest}
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

// intransitive are past forms that no "are" can stand before.
var intransitive = []string{"happened", "occurred", "existed", "appeared", "arrived", "departed", "died", "graduated", "participated", "competed", "belonged", "remained", "emerged", "lasted", "worked", "lived", "landed"}

// active tells whether a past form behind a noun is its verb and no participle:
// "matches happened in 2013", "students owned a dog". More is what follows.
func active(word, more string) bool {
	object, _, _ := strings.Cut(strings.ToLower(more), " ")
	return slices.Contains(intransitive, word) || strings.HasSuffix(word, "ed") && slices.Contains([]string{"a", "an", "the", "some", "any", "their", "its"}, object)
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
		if ofOwner.MatchString(body) || strings.ContainsAny(body, ".?!") || strings.Contains(body, " and ") {
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
			switch {
			case active(strings.ToLower(first), more):
				with = append(with, "how many "+things+" "+body)
			case participle(first):
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

// numberForHowMany asks for "the number of singers" in the place of "How many
// singers are there?"
func numberForHowMany(s *source) []string {
	at := howManyQuestion.FindStringIndex(s.question)
	if at == nil || !s.counts() || strings.Contains(strings.ToLower(s.question), "total") || strings.ContainsAny(trimEnd(s.question), ".?!") {
		return nil
	}
	end, ok := s.thing(at[1])
	if !ok {
		return nil
	}
	things, rest := s.question[at[1]:end], trimEnd(strings.TrimSpace(s.question[end:]))
	rest, ok = nominal(things, rest)
	if !ok {
		return nil
	}
	phrase := things + " " + rest
	return []string{
		asked("What is the number of " + phrase),
		asked("What is the total number of " + phrase),
		ordered("Find the number of " + phrase),
		ordered("Give me the total number of " + phrase),
		ordered("Count the " + phrase),
	}
}

// nominal turns what follows "How many singers" into what follows "the number of
// singers".
func nominal(things, rest string) (string, bool) {
	low := strings.ToLower(rest)
	who := "that"
	if isPerson(things) {
		who = "who"
	}
	first, _, _ := strings.Cut(low, " ")
	switch {
	case low == "", low == "are there", low == "are listed", low == "exist":
		return "", true
	case strings.HasPrefix(low, "are there "), strings.HasPrefix(low, "were there "):
		_, rest, _ = strings.Cut(rest[4:], "there ")
		return rest, true
	case low == "do we have" || low == "do you have":
		return rest[len("do "):], true
	case first == "does" && strings.HasSuffix(low, " have"):
		return "that " + strings.TrimSpace(rest[len("does"):len(rest)-len(" have")]) + " has", true
	case strings.Contains(low, " each"):
		return "", false
	case first == "are" || first == "were" || first == "have":
		return who + " " + rest, true
	case first != "do" && first != "did" && startsClause(first):
		return who + " " + rest, true
	}
	return "", false
}
