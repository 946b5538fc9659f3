package question

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// othersRules paraphrase the sentence around the words for keywords, columns and values.
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

// openWith puts an opening before words. An opening that ends with a question mark makes a question: "Can you list ?" and
// "the names" give "Can you list the names?"
func openWith(opening, words string) string {
	if o, ok := strings.CutSuffix(opening, "?"); ok {
		return asQuestion(o + words)
	}
	return asRequest(opening + words)
}

// withOpenings puts n of the openings, in random order, before words.
func (s *source) withOpenings(openings []string, n int, words string) []string {
	out := slices.Clone(openings)
	s.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	out = out[:min(n, len(out))]
	for i, o := range out {
		out[i] = openWith(o, words)
	}
	return out
}

// lowerFirst returns words with a small first letter, unless they begin with a name.
func lowerFirst(words string) string {
	first, _, _ := strings.Cut(words, " ")
	_, size := utf8.DecodeRuneInString(words)
	isAbbreviation := strings.ContainsFunc(first[min(size, len(first)):], unicode.IsUpper)
	if isAbbreviation || !functionWords[strings.ToLower(first)] {
		return words
	}
	return lowerVerb(words)
}

// sentenceEnd is where a sentence ends and another begins.
var sentenceEnd = lazyregexp.New(`[.?!] `)

// sentences cuts a question into its sentences; what they end with stays.
func sentences(q string) []string {
	var out []string
	for {
		at := sentenceEnd.FindStringIndex(q[min(3, len(q)):])
		if at == nil {
			return append(out, strings.TrimSpace(q))
		}
		end := at[0] + 4
		out, q = append(out, strings.TrimSpace(q[:end])), q[end:]
	}
}

// rewriteFirst matches a pattern with the first sentence of a question and passes its groups to rewrite. It returns each
// sentence of the result with the other sentences after it; none if the pattern does not match.
func rewriteFirst(s *source, pattern *lazyregexp.Regexp, rewrite func(groups []string) []string) []string {
	all := sentences(s.question)
	groups := pattern.FindStringSubmatch(trimEnd(all[0]))
	if groups == nil {
		return nil
	}
	return lists.Map(rewrite(groups), func(q string) string { return strings.Join(slices.Concat([]string{q}, all[1:]), " ") })
}

// whatIs matches "What is" with what it asks for.
var whatIs = lazyregexp.New(`(?i)^what(?: is|'s| are| was| were) ((?:the |all |each |every |different |distinct |their |some )?.+)$`)

// requestForQuestion turns a question into a request: "What are the names of all singers?" becomes "Show me the names
// of all singers."
func requestForQuestion(s *source) []string {
	return rewriteFirst(s, whatIs, func(groups []string) []string {
		if !isNominal(groups[1]) {
			return nil
		}
		return s.withOpenings(requests, 4, lowerFirst(groups[1]))
	})
}

var (
	// secondClause matches the beginning of a further clause or question.
	secondClause = lazyregexp.New(`(?i) (?:it|how many|whether|and (?:what|how|which|is|are)|what (?:is|are)) |, (?:what|how) |^ (?:there|of) `)
	// noNominal matches words that begin no noun phrase.
	noNominal = lazyregexp.New(`(?i)^(?:for|how|which|what|who|where|when|if|whether|those|out|that|in|on)(?: |$)`)
	// eachThing matches rows, which a request may list and of which "what is" asks nothing: "each singer", but not "each
	// singer's name".
	eachThing = lazyregexp.New(`(?i)^(?:each|every) [^'’]*$`)
	// furtherVerb matches a further request: " and sort ".
	furtherVerb = lazyregexp.New(`(?i) and (?:sort|order|list|show|find|give|return) |, (?:sort|sorted|ordered) `)
	// clause matches a word that may begin a clause, or joins two phrases.
	clause = lazyregexp.New(`(?i) (?:and|that|is|are|has|have|they|it|in|ordered|sorted|who) `)
	// backReference matches pronouns, which need their noun before them.
	backReference = lazyregexp.New(`(?i) (?:its?|they|them|their)(?: |$)| there `)
)

// matchesAnywhere reports whether words, with blanks around them, match.
func matchesAnywhere(words string, re *lazyregexp.Regexp) bool {
	return re.MatchString(" " + words + " ")
}

// isNominal reports whether the words after "What is" are one noun phrase, without a second clause.
func isNominal(words string) bool { return !matchesAnywhere(words, secondClause) }

// imperative matches a request with what it asks for.
var imperative = lazyregexp.New(`(?i)^(?:please )?(?:show|list|find|give|return|tell|display|provide|get)(?: me)?(?: of)? (.+)$`)

// determined matches a determiner at the beginning of a noun phrase.
var determined = lazyregexp.New(`(?i)^(?:the|all|each|every|different|distinct)(?: |$)`)

// questionForRequest turns a request into a question: "Show the names of all singers." becomes "What are the names of
// all singers?"
func questionForRequest(s *source) []string {
	return rewriteFirst(s, imperative, func(groups []string) []string {
		switch words := groups[1]; {
		case noNominal.MatchString(words), eachThing.MatchString(words), !isNominal(words), matchesAnywhere(words, furtherVerb):
			return nil
		}
		question := "What is "
		if manyOf(groups[1]) {
			question = "What are "
		}
		if !determined.MatchString(groups[1]) {
			question += "the "
		}
		return []string{asQuestion(question + groups[1])}
	})
}

// reduced matches a participle after a noun and the words after it: "singers born in France".
var reduced = lazyregexp.New(` (?:\S*ed|made|sold)(?: .*|$)`)

// joinsNouns matches what joins several nouns.
var joinsNouns = lazyregexp.New(` and |,`)

// manyOf reports whether a noun phrase takes "are": its head is a plural, or "and" joins several.
func manyOf(np string) bool {
	head := np
	for _, modifier := range words.Words("modifier") {
		head, _, _ = strings.Cut(head, " "+modifier+" ")
	}
	head = reduced.ReplaceAllString(head, "")
	return english.IsPlural(head) || joinsNouns.MatchString(head)
}

// anotherRequest opens a request in other words: "List all singers." becomes "Give me all singers."
func anotherRequest(s *source) []string {
	return rewriteFirst(s, imperative, func(groups []string) []string {
		if noNominal.MatchString(groups[1]) {
			return nil
		}
		return s.withOpenings(requests, 6, lowerFirst(groups[1]))
	})
}

// whQuestion matches the wh-word of a question, and the rest.
var whQuestion = lazyregexp.New(`(?i)^(how many|which|who|whose|where|what) (.+)$`)

// indirectQuestion makes a question indirect: "How many singers are there?" becomes "Tell me how many singers there
// are."
func indirectQuestion(s *source) []string {
	return rewriteFirst(s, whQuestion, func(groups []string) []string {
		clause, ok := indirect(groups[1], groups[2])
		if !ok {
			return nil
		}
		return s.withOpenings(questions, 4, clause)
	})
}

var (
	// areThere matches "are there" in a question: the things, the verb and the rest.
	areThere = lazyregexp.New(`(?i)^(.+?) (are|is|were|was) there\b(.*)$`)
	// doWe matches a question with "do": the object, the auxiliary, the subject and the verb.
	doWe = lazyregexp.New(`(?i)^(.+?) (do|does|did) (.+?) (have|own|speak|use)$`)
	// wordDo matches an auxiliary.
	wordDo = lazyregexp.New(`(?i)\b(do|does|did|can)\b`)
	// whatIsIt matches the rest of a question whose verb comes first, or that asks twice.
	whatIsIt = lazyregexp.New(`(?i)^(?:the|is|are|was|were|'s|do|does|did)\b| and (?:how|what) `)
)

// indirect turns the wh-word and the rest of a question into a clause, in which the verb follows its subject: "how
// many singers there are". Ok is false if the order is not known.
func indirect(wh, rest string) (string, bool) {
	wh = strings.ToLower(wh)
	switch {
	case whatIsIt.MatchString(rest):
		return "", false
	case areThere.MatchString(rest):
		return wh + " " + strings.TrimSpace(areThere.ReplaceAllString(rest, "$1 there $2$3")), true
	case doWe.MatchString(rest):
		at := doWe.FindStringSubmatch(rest)
		verb := strings.ToLower(at[4])
		switch strings.ToLower(at[2]) {
		case "does":
			verb = inflect(verb, "s")
		case "did":
			verb = inflect(verb, "ed")
		}
		return wh + " " + at[1] + " " + at[3] + " " + verb, true
	case auxiliaryFirst(rest), newSentence(rest).movesBe():
		return "", false
	}
	return wh + " " + rest, true
}

// auxiliaryFirst reports whether an auxiliary follows the noun of the wh-word, which the clause would have to move.
func auxiliaryFirst(rest string) bool {
	at := wordDo.FindStringIndex(rest)
	return at != nil && !negation.MatchString(rest[at[1]:])
}

// negation matches the negation after an auxiliary.
var negation = lazyregexp.New(`^\s*n(?:o|')t`)

// irregular are the forms of verbs of a question in the third person and the past.
var irregular = map[string]string{"have s": "has", "have ed": "had", "speak ed": "spoke", "use ed": "used"}

// inflect returns a verb with an ending.
func inflect(verb, ending string) string {
	return cmp.Or(irregular[verb+" "+ending], verb+ending)
}

// forEach matches a scope at the end: the rest of the sentence, and "for each grade".
var forEach = lazyregexp.New(`(?i)^(.+?),? (for (?:each|every) (?:[a-z-]+ ){0,3}[a-z-]+)$`)

// scopeInFront moves the scope to the front: "Show the number of students for each grade." becomes "For each grade,
// show the number of students."
func scopeInFront(s *source) []string {
	return rewriteFirst(s, forEach, func(groups []string) []string {
		if strings.EqualFold(groups[1][:min(4, len(groups[1]))], "for ") || matchesAnywhere(groups[2], clause) {
			return nil
		}
		return []string{inFront(groups[2], groups[1])}
	})
}

// inFront returns a sentence with a part of it, such as its scope, in front.
func inFront(part, rest string) string {
	return english.Capital(part) + ", " + lowerVerb(rest) + closingMark(rest)
}

// lowerVerb returns a sentence that begins with a verb or a wh-word with a small first letter.
func lowerVerb(words string) string {
	r, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToLower(r)) + words[size:]
}

// asksByWord matches a wh-word at the beginning.
var asksByWord = lazyregexp.New(`(?i)^(?:what|which|who|whose|where|when|how)\b`)

// closingMark returns the mark that ends a sentence: a full stop after a request.
func closingMark(words string) string {
	if asksByWord.MatchString(words) {
		return "?"
	}
	return "."
}

// scoped matches a scope in front, and the request after it.
var scoped = lazyregexp.New(`(?i)^(for (?:each|every|all) [^,]+), ((?:show|list|find|give|return|what|how many|tell|which)\b[^,]*)$`)

// scopeAtEnd moves the scope to the end: "For each grade, show the number of students." becomes "Show the number of
// students for each grade."
func scopeAtEnd(s *source) []string {
	return rewriteFirst(s, scoped, func(groups []string) []string {
		if matchesAnywhere(groups[1], clause) || backReference.MatchString(groups[2]) {
			return nil
		}
		return []string{english.Capital(groups[2]) + " " + lowerVerb(groups[1]) + closingMark(groups[2])}
	})
}

// ordering matches a request, and the order at its end.
var ordering = lazyregexp.New(`(?i)^((?:show|list|find|give|return|what|tell)\b.+?),? ((?:sorted|ordered|ranked) (?:by|in) .+|in (?:ascending|descending|alphabetical|lexicographical|increasing|decreasing) .+)$`)

// severalOrders matches an order by several columns, or one with a pronoun.
var severalOrders = lazyregexp.New(` and |, |(?i:their)`)

// orderInFront moves the order to the front: "List the singers in ascending order of age." becomes "In ascending
// order of age, list the singers."
func orderInFront(s *source) []string {
	return rewriteFirst(s, ordering, func(groups []string) []string {
		if severalOrders.MatchString(groups[2]) {
			return nil
		}
		return []string{inFront(groups[2], groups[1])}
	})
}

var (
	// condition matches a request, and the rows with their condition and noun: "the names", "singers who are French".
	condition = lazyregexp.New(`(?i)^((?:what (?:is|are)|show(?: me)?|list|find|give(?: me)?|return) the [a-z ,]+?) of ((?:all |all the |the )?([a-z]+) (?:that|who|whose|with|from) .+)$`)
	// ofNumber matches words for a number of things, and nested "of".
	ofNumber = lazyregexp.New(` number| of `)
)

// conditionInFront moves the condition to the front: "What are the names of the singers who are French?" becomes "For
// the singers who are French, what are the names?"
func conditionInFront(s *source) []string {
	return rewriteFirst(s, condition, func(groups []string) []string {
		start := strings.Index(s.question, groups[2])
		isCount := func(m indicator.Mention) bool {
			return m.Keyword == "count" && m.Has(indicator.Select) && m.Overlaps(start, start+len(groups[2]))
		}
		switch {
		case slices.ContainsFunc(s.alignment.Spoken(indicator.Keyword), isCount): // "singers with the number of songs" asks for it
			return nil
		case ordering.MatchString(groups[0]), strings.Contains(groups[2], ", "), ofNumber.MatchString(groups[1]), !english.IsPlural(groups[3]):
			return nil
		}
		return []string{inFront("for "+groups[2], groups[1])}
	})
}

var relatives = []struct {
	pattern *lazyregexp.Regexp
	with    string
}{
	{lazyregexp.New(`(?i)\b([a-z]+) who (have|has|are|is|do|does|did|had|was|were)\b`), "$1 that $2"},
	{lazyregexp.New(`(?i)\b([a-z]+s) that have\b`), "$1 with"},
	{lazyregexp.New(`(?i)\b([a-z]+) that (have|has|are|is|do|does|did|had|was|were)\b`), "$1 which $2"},
	{lazyregexp.New(`(?i)\bdo not\b`), "don't"},
	{lazyregexp.New(`(?i)\bdoes not\b`), "doesn't"},
	{lazyregexp.New(`(?i)\b(is|are|was|were|did) not\b`), "${1}n't"},
	{lazyregexp.New(`(?i)\bdon't\b`), "do not"},
	{lazyregexp.New(`(?i)\bdoesn't\b`), "does not"},
}

// relativeClause joins a clause by another word ("who are" becomes "that are") or contracts a negation, and opens the
// question in other words as well.
func relativeClause(s *source) []string {
	var out []string
	for _, r := range relatives {
		at := r.pattern.FindStringSubmatchIndex(s.question)
		if at == nil || s.inName(at[0], at[1]) {
			continue
		}
		next, _, _ := strings.Cut(strings.TrimSpace(s.question[at[1]:]), " ")
		switch {
		case next == "not", r.with == "$1 with" && english.IsPast(next): // "singers that have won"
			continue
		}
		base := *s
		base.question = s.question[:at[0]] + string(r.pattern.Compiled().ExpandString(nil, r.with, s.question, at)) + s.question[at[1]:]
		for _, f := range []func(*source) []string{requestForQuestion, anotherRequest, indirectQuestion} {
			if more := f(&base); len(more) > 0 {
				out = append(out, more[0])
			}
		}
	}
	return out
}

// inName reports whether a span of bytes overlaps a mention with a value.
func (s *source) inName(start, end int) bool {
	return slices.ContainsFunc(s.alignment.Mentions, func(m indicator.Mention) bool {
		return m.Value != "" && m.Overlaps(start, end)
	})
}
