package question

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

func othersRules() []rule {
	return []rule{
		{"a request for a question", requestForQuestion},
		{"a question for a request", questionForRequest},
		{"another request", anotherRequest},
		{"an indirect question", indirectQuestion},
		{"the scope in front", scopeInFront},
		{"the scope at the end", scopeAtEnd},
		{"the order in front", orderInFront},
		{"the condition in front", conditionInFront},
		{"a relative clause", relativeClause},
	}
}

// requests are openings of a request, before "the names of all singers".
var requests = []string{"Show me ", "List ", "Find ", "Give me ", "Tell me ", "Return ", "Please show me ", "I'd like to know ", "I want to know ", "I would like to see ",
	"Can you list ?", "Could you show me ?", "Can you tell me ?", "Could you please give me ?", "Could you find ?", "Please provide "}

// questions are openings of an indirect question, before "how many singers there
// are".
var questions = []string{"Tell me ", "I want to know ", "I'd like to know ", "Can you tell me ?", "Could you tell me ?", "Please tell me ", "Do you know ?", "Find out ", "Let me know "}

// open puts an opening before words; one that ends with a question mark makes a
// question.
func open(opening, words string) string {
	if o, ok := strings.CutSuffix(opening, "?"); ok {
		return asked(o + words)
	}
	return ordered(opening + words)
}

// some returns n of the openings, in random order.
func (s *source) some(openings []string, n int) []string {
	out := slices.Clone(openings)
	s.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(n, len(out))]
}

// lower returns words with a small first letter, unless they begin with a name.
func lower(words string) string {
	first, _, _ := strings.Cut(words, " ")
	r, size := utf8.DecodeRuneInString(words)
	if strings.ContainsFunc(first[min(size, len(first)):], unicode.IsUpper) || !functionWords[strings.ToLower(first)] && first != "How" {
		return words
	}
	return string(unicode.ToLower(r)) + words[size:]
}

// sentences cuts a question into its sentences; what they end with stays.
func sentences(q string) []string {
	var out []string
	start := 0
	for i := 0; i < len(q)-1; i++ {
		if (q[i] == '.' || q[i] == '?' || q[i] == '!') && q[i+1] == ' ' && i > 2 {
			out = append(out, strings.TrimSpace(q[start:i+1]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(q[start:]))
}

// first applies f to the words of the first sentence and puts the rest back.
func first(s *source, f func(words string) []string) []string {
	all := sentences(s.question)
	var out []string
	for _, q := range f(trimEnd(all[0])) {
		out = append(out, strings.Join(append([]string{q}, all[1:]...), " "))
	}
	return out
}

var whatIs = regexp.MustCompile(`(?i)^what(?: is|'s| are| was| were) ((?:the |all |each |every |different |distinct |their |some )?.+)$`)

// requestForQuestion says "Show me the names of all singers." for "What are the
// names of all singers?"
func requestForQuestion(s *source) []string {
	return first(s, func(words string) []string {
		at := whatIs.FindStringSubmatch(words)
		if at == nil || !isNominal(at[1]) {
			return nil
		}
		var out []string
		for _, o := range s.some(requests, 4) {
			out = append(out, open(o, lower(at[1])))
		}
		return out
	})
}

// isNominal tells whether what follows "What is" is a noun phrase alone: no second
// clause is asked for behind it.
func isNominal(words string) bool {
	low := " " + strings.ToLower(words) + " "
	for _, w := range []string{" and what ", " and how ", " and which ", ", what ", ", how ", " what is ", " what are ", " and is ", " and are ", " it ", " how many ", " whether "} {
		if strings.Contains(low, w) {
			return false
		}
	}
	return !strings.HasPrefix(low, " there ") && !strings.HasPrefix(low, " of ")
}

var imperative = regexp.MustCompile(`(?i)^(?:please )?(?:show|list|find|give|return|tell|display|provide|get)(?: me)?(?: of)? (.+)$`)

// questionForRequest asks "What are the names of all singers?" for "Show the names
// of all singers."
func questionForRequest(s *source) []string {
	return first(s, func(words string) []string {
		at := imperative.FindStringSubmatch(words)
		if at == nil || !isNominal(at[1]) || !startsNominal(at[1]) || hasVerb(at[1]) {
			return nil
		}
		verb := "is"
		if manyOf(at[1]) {
			verb = "are"
		}
		np := at[1]
		switch w, _, _ := strings.Cut(strings.ToLower(np), " "); w {
		case "the", "all", "each", "every", "different", "distinct":
		default:
			np = "the " + np
		}
		return []string{asked("What " + verb + " " + np)}
	})
}

// startsNominal tells whether a request names things: it goes on with no wh-word
// and no "for each".
func startsNominal(words string) bool {
	w, _, _ := strings.Cut(strings.ToLower(words), " ")
	switch w {
	case "for", "how", "which", "what", "who", "where", "when", "if", "whether", "those", "out", "that", "in", "on":
		return false
	}
	return true
}

// hasVerb tells whether a request goes on with another: "and sort them by age".
func hasVerb(words string) bool {
	low := " " + strings.ToLower(words) + " "
	for _, w := range []string{" and sort ", " and order ", " and list ", " and show ", " and find ", " and give ", " and return ", ", sort ", ", sorted ", ", ordered "} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// manyOf tells whether a noun phrase takes "are": its head is a plural, or there
// are several joined by "and".
func manyOf(np string) bool {
	head := np
	for _, stop := range []string{" of ", " for ", " that ", " who ", " which ", " whose ", " with ", " in ", " from ", " by ", " on ", " where ", " when ", " used ", " ordered ", " sorted ", " as "} {
		if i := strings.Index(strings.ToLower(head), stop); i > 0 {
			head = head[:i]
		}
	}
	words := strings.Fields(head)
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasSuffix(w, "ed") || w == "made" || w == "sold" }); i > 0 {
		head = strings.Join(words[:i], " ")
	}
	return strings.Contains(head, " and ") || strings.Contains(head, ",") || isPlural(head)
}

// anotherRequest opens a request in other words.
func anotherRequest(s *source) []string {
	return first(s, func(words string) []string {
		at := imperative.FindStringSubmatch(words)
		if at == nil || !startsNominal(at[1]) {
			return nil
		}
		var out []string
		for _, o := range s.some(requests, 6) {
			out = append(out, open(o, lower(at[1])))
		}
		return out
	})
}

var whQuestion = regexp.MustCompile(`(?i)^(how many|which|who|whose|where|what) (.+)$`)

// indirectQuestion says "Tell me how many singers there are." for "How many singers
// are there?"
func indirectQuestion(s *source) []string {
	return first(s, func(words string) []string {
		at := whQuestion.FindStringSubmatch(words)
		if at == nil {
			return nil
		}
		clause, ok := indirect(at[1], at[2])
		if !ok {
			return nil
		}
		var out []string
		for _, o := range s.some(questions, 4) {
			out = append(out, open(o, clause))
		}
		return out
	})
}

var (
	areThere = regexp.MustCompile(`(?i)^(.+?) (are|is|were|was) there\b(.*)$`)
	doWe     = regexp.MustCompile(`(?i)^(.+?) (do|does|did) (.+?) (have|own|speak|use)$`)
	wordDo   = regexp.MustCompile(`(?i)\b(do|does|did|can)\b`)
	whatIsIt = regexp.MustCompile(`(?i)^(?:the|is|are|was|were|'s|do|does|did)\b`)
)

// indirect turns a question by its wh-word and the rest into the clause of an
// indirect one: the verb goes behind its subject.
func indirect(wh, rest string) (string, bool) {
	wh = strings.ToLower(wh)
	switch {
	case strings.Contains(strings.ToLower(rest), " and how ") || strings.Contains(strings.ToLower(rest), " and what ") || whatIsIt.MatchString(rest):
		return "", false
	case areThere.MatchString(rest):
		return wh + " " + strings.TrimSpace(areThere.ReplaceAllString(rest, "$1 there $2$3")), true
	case doWe.MatchString(rest):
		at := doWe.FindStringSubmatch(rest)
		verb := strings.ToLower(at[4])
		switch strings.ToLower(at[2]) {
		case "does":
			verb = thirdPerson(verb)
		case "did":
			verb = past(verb)
		}
		return wh + " " + at[1] + " " + at[3] + " " + verb, true
	case auxiliaryFirst(rest), newSentence(rest).movesBe():
		return "", false
	}
	return wh + " " + rest, true
}

// auxiliaryFirst tells whether an auxiliary, which inversion would move, follows
// the noun of the wh-word.
func auxiliaryFirst(rest string) bool {
	at := wordDo.FindStringIndex(rest)
	if at == nil {
		return false
	}
	tail := strings.TrimSpace(rest[at[1]:])
	return !strings.HasPrefix(tail, "not") && !strings.HasPrefix(tail, "n't")
}

func thirdPerson(verb string) string {
	if verb == "have" {
		return "has"
	}
	return verb + "s"
}

func past(verb string) string {
	switch verb {
	case "have":
		return "had"
	case "speak":
		return "spoke"
	case "use":
		return "used"
	}
	return verb + "ed"
}

var forEach = regexp.MustCompile(`(?i)^(.+?),? (for (?:each|every) (?:[a-z-]+ ){0,3}[a-z-]+)$`)

// scopeInFront says "For each grade, show the number of students." for "Show the
// number of students for each grade."
func scopeInFront(s *source) []string {
	return first(s, func(words string) []string {
		at := forEach.FindStringSubmatch(words)
		if at == nil || strings.HasPrefix(strings.ToLower(at[1]), "for ") || clausal(at[2]) {
			return nil
		}
		return []string{capital(at[2]) + ", " + lowerVerb(at[1]) + closing(at[1])}
	})
}

func clausal(words string) bool {
	low := " " + strings.ToLower(words) + " "
	for _, w := range []string{" and ", " that ", " is ", " are ", " has ", " have ", " they ", " it ", " in ", " ordered ", " sorted ", " who "} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// lowerVerb returns a sentence with a small first letter: it begins with a verb or
// a wh-word.
func lowerVerb(words string) string {
	r, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToLower(r)) + words[size:]
}

var asksByWord = regexp.MustCompile(`(?i)^(?:what|which|who|whose|where|when|how)\b`)

// closing returns the mark that ends a sentence of these words: requests end with
// a full stop.
func closing(words string) string {
	if asksByWord.MatchString(words) {
		return "?"
	}
	return "."
}

var scoped = regexp.MustCompile(`(?i)^(for (?:each|every|all) [^,]+), ((?:show|list|find|give|return|what|how many|tell|which)\b[^,]*)$`)

// scopeAtEnd moves what a request is for behind it.
func scopeAtEnd(s *source) []string {
	return first(s, func(words string) []string {
		at := scoped.FindStringSubmatch(words)
		if at == nil || clausal(at[1]) || strings.Contains(strings.ToLower(at[2]), " it ") || strings.Contains(at[2], " its ") || strings.Contains(at[2], " their ") || strings.Contains(at[2], " there ") {
			return nil
		}
		return []string{capital(at[2]) + " " + lowerVerb(at[1]) + closing(at[2])}
	})
}

var ordering = regexp.MustCompile(`(?i)^((?:show|list|find|give|return|what|tell)\b.+?),? ((?:sorted|ordered|ranked) (?:by|in) .+|in (?:ascending|descending|alphabetical|lexicographical|increasing|decreasing) .+)$`)

// orderInFront says "In ascending order of age, list the singers." for "List the
// singers in ascending order of age."
func orderInFront(s *source) []string {
	return first(s, func(words string) []string {
		at := ordering.FindStringSubmatch(words)
		if at == nil || strings.Contains(at[2], " and ") || strings.Contains(at[2], ", ") || strings.Contains(strings.ToLower(at[2]), "their") {
			return nil
		}
		return []string{capital(at[2]) + ", " + lowerVerb(at[1]) + closing(at[1])}
	})
}

var condition = regexp.MustCompile(`(?i)^((?:what (?:is|are)|show(?: me)?|list|find|give(?: me)?|return) the [a-z ,]+?) of ((?:all |all the |the )?[a-z]+ (?:that|who|whose|with|from) .+)$`)

// conditionInFront says "Of the singers who are French, what are the names?" for
// "What are the names of the singers who are French?"
func conditionInFront(s *source) []string {
	return first(s, func(words string) []string {
		at := condition.FindStringSubmatch(words)
		if at == nil || strings.Contains(at[2], ", ") || ordering.MatchString(words) || strings.Contains(at[1], " number") || strings.Contains(at[1], " of ") {
			return nil
		}
		np := at[2]
		head, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(np, "all "), "the "), "all the "), " ")
		if !isPlural(head) {
			return nil
		}
		return []string{"For " + np + ", " + lowerVerb(at[1]) + closing(at[1])}
	})
}

var relatives = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(?i)\b([a-z]+) who (have|has|are|is|do|does|did|had|was|were)\b`), "$1 that $2"},
	{regexp.MustCompile(`(?i)\b([a-z]+s) that have\b`), "$1 with"},
	{regexp.MustCompile(`(?i)\b([a-z]+) that (have|has|are|is|do|does|did|had|was|were)\b`), "$1 which $2"},
	{regexp.MustCompile(`(?i)\bdo not\b`), "don't"},
	{regexp.MustCompile(`(?i)\bdoes not\b`), "doesn't"},
	{regexp.MustCompile(`(?i)\b(is|are|was|were|did) not\b`), "${1}n't"},
	{regexp.MustCompile(`(?i)\bdon't\b`), "do not"},
	{regexp.MustCompile(`(?i)\bdoesn't\b`), "does not"},
}

// relativeClause joins clauses by another word, or contracts a negation, and opens
// the question in other words as well.
func relativeClause(s *source) []string {
	var out []string
	for _, r := range relatives {
		at := r.pattern.FindStringSubmatchIndex(s.question)
		if at == nil || s.inName(at[0], at[1]) || strings.Contains(s.question[at[1]:min(len(s.question), at[1]+5)], " not") {
			continue
		}
		next := *s
		next.question = s.question[:at[0]] + string(r.pattern.ExpandString(nil, r.with, s.question, at)) + s.question[at[1]:]
		for _, f := range []func(*source) []string{requestForQuestion, anotherRequest, indirectQuestion} {
			if more := f(&next); len(more) > 0 {
				out = append(out, more[0])
			}
		}
	}
	return out
}

// inName tells whether a span holds words of a value.
func (s *source) inName(start, end int) bool {
	for _, m := range s.alignment.Mentions {
		if m.Value != "" && !m.Implied() && m.Start < end && start < m.End {
			return true
		}
	}
	return false
}
