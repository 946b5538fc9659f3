package question

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// othersRules returns the rules that paraphrase the sentence around the words for keywords, columns and values.
func othersRules() []rule {
	return []rule{
		{"a request for a question", requestForQuestion},
		{"a question for a request", questionForRequest},
		{"another request", anotherRequest},
		{"an indirect question", indirectQuestion},
	}
}

// requests are openings of a request, before "the names of all singers".
var requests = []string{"Show me ", "List ", "Find ", "Give me ", "Tell me ", "Return ", "Please show me ", "I'd like to know ", "I want to know ", "I would like to see ",
	"Can you list ?", "Could you show me ?", "Can you tell me ?", "Could you please give me ?", "Could you find ?", "Please provide "}

// questions are openings of an indirect question, before "how many singers there
// are".
var questions = []string{"Tell me ", "I want to know ", "I'd like to know ", "Can you tell me ?", "Could you tell me ?", "Please tell me ", "Do you know ?", "Find out ", "Let me know "}

// openWith returns a sentence of an opening and words: "List the names." for "List ". An opening that ends with a question mark makes a
// question: "Can you list the names?" for "Can you list ?".
func openWith(opening, words string) string {
	if o, ok := strings.CutSuffix(opening, "?"); ok {
		return asQuestion(o + words)
	}
	return asRequest(opening + words)
}

// withOpenings returns up to n sentences: the words after openings that are drawn at random.
func (s *source) withOpenings(openings []string, n int, words string) []string {
	out := slices.Clone(openings)
	s.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	out = out[:min(n, len(out))]
	for i, o := range out {
		out[i] = openWith(o, words)
	}
	return out
}

// lowerFirst returns words with a small first letter if they begin with a function word, which is no name: "The names" gives "the names".
func lowerFirst(words string) string {
	first, _, _ := strings.Cut(words, " ")
	_, size := utf8.DecodeRuneInString(words)
	isAbbreviation := strings.ContainsFunc(first[min(size, len(first)):], unicode.IsUpper)
	if isAbbreviation || !functionWords[strings.ToLower(first)] {
		return words
	}
	return lowerVerb(words)
}

// sentenceEnd is where a sentence ends and another begins; a number is after "no.".
var sentenceEnd = lazyregexp.New(`[.?!] [^0-9]`)

// sentences cuts a question into its sentences, each with its closing mark.
func sentences(q string) []string {
	var out []string
	for {
		at := sentenceEnd.FindStringIndex(q[min(3, len(q)):]) // no sentence ends within its first three bytes
		if at == nil {
			return append(out, strings.TrimSpace(q))
		}
		end := at[0] + 4 // after the mark
		out, q = append(out, strings.TrimSpace(q[:end])), q[end:]
	}
}

// rewriteFirst matches the first sentence of a question with a pattern and passes the groups to rewrite. It returns each
// sentence that rewrite returns, followed by the other sentences of the question, or nil if the pattern does not match.
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

// requestForQuestion turns a question by "what is" into requests: "What are the names of all singers?" becomes "Show me the names
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
	secondClause = lazyregexp.New(`(?i) (?:it|how many|whether|and (?:what|how|which|is|are|include|list|give|show|state|indicate|name|provide|find|mention|return)|what (?:is|are)) |, (?:what|how) |^ (?:there|of) `)
	// noNominal matches words that begin no noun phrase.
	noNominal = lazyregexp.New(`(?i)^(?:for|how|which|what|who|where|when|if|whether|those|out|down|that|in|on|and|or)(?: |$)`)
	// eachThing matches rows, which a request may list and of which "what is" asks nothing: "each singer", but not "each
	// singer's name".
	eachThing = lazyregexp.New(`(?i)^(?:each|every) [^'’]*$`)
	// furtherVerb matches a further request, " and sort ", and what follows a colon or a semicolon, also of a value: "the films: title and year".
	furtherVerb = lazyregexp.New(`(?i) and (?:sort|order|list|show|find|give|return) |, (?:sort|sorted|ordered) |[:;] `)
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
		question := "What "
		if whoDo.MatchString(groups[1]) {
			question = "Who "
		}
		if takesAre(groups[1]) {
			question += "are "
		} else {
			question += "is "
		}
		if !determined.MatchString(groups[1]) {
			question += "the "
		}
		return []string{asQuestion(question + groups[1])}
	})
}

// whoDo matches rows that are people: "tenants who".
var whoDo = lazyregexp.New(`(?i)^(?:the |all )*[a-z]+(?: [a-z]+)? who `)

// reduced matches a participle after a noun and the words after it: "singers born in France".
var reduced = lazyregexp.New(` (?:\S*ed|made|sold)(?: .*|$)`)

// joinsNouns matches what joins several nouns.
var joinsNouns = lazyregexp.New(` and |,`)

// takesAre reports whether a noun phrase takes "are": its head is a plural, or "and" or a comma joins several nouns.
func takesAre(np string) bool {
	head := np // without the phrases and clauses after it
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

// indirect turns the wh-word and the rest of a question into an indirect question, in which the verb follows its subject: "how
// many singers there are" for "how many" and "singers are there". It returns false if it cannot order the words.
func indirect(wh, rest string) (string, bool) {
	wh = strings.ToLower(wh)
	switch {
	case whatIsIt.MatchString(rest):
		return "", false
	case areThere.MatchString(rest):
		return wh + " " + strings.TrimSpace(areThere.ReplaceAllString(rest, "$1 there $2$3")), true
	case doWe.MatchString(rest):
		at := doWe.FindStringSubmatch(rest) // groups: the object, the auxiliary, the subject and the verb
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

// auxiliaryFirst reports whether the rest of a question has an auxiliary without "not", which an indirect question would have to move
// behind the subject.
func auxiliaryFirst(rest string) bool {
	at := wordDo.FindStringIndex(rest)
	return at != nil && !negation.MatchString(rest[at[1]:])
}

// negation matches the negation after an auxiliary.
var negation = lazyregexp.New(`^\s*n(?:o|')t`)

// irregular are the forms of verbs of a question in the third person and the past.
var irregular = map[string]string{"have s": "has", "have ed": "had", "speak ed": "spoke", "use ed": "used"}

// inflect returns the form of a verb for the ending "s" or "ed".
func inflect(verb, ending string) string {
	return cmp.Or(irregular[verb+" "+ending], verb+ending)
}

// lowerVerb returns a sentence with a small first letter. The sentence must begin with a word that is no name.
func lowerVerb(words string) string {
	r, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToLower(r)) + words[size:]
}

var (
	// stranded matches a preposition at the end: "live in?".
	stranded = grammar.Must("in|from|at|of|to|on|with|for|by $")
	// movedBe matches a form of "be" outside relative clauses.
	movedBe = grammar.Must("!RELATIVE BE")
	// movedBeEach matches "is each".
	movedBeEach = grammar.Must("!RELATIVE BE every|each")
	// movedBeBefore matches "is the", "is it", "is Rome".
	movedBeBefore = grammar.Must("!RELATIVE BE the|this|these|it|they|CAPITAL")
)

// strands reports whether a question ends with a preposition.
func (s sentence) strands() bool { return stranded.Fits(s, s.last()-1) }

// movesBe reports whether a form of "be" precedes the subject of a question, so that an indirect question would have to move it: "city is
// each singer from".
func (s sentence) movesBe() bool {
	n := len(s.Words)
	switch {
	case s.strands(): // the question ends with a preposition: "city are the singers from"
		return movedBe.Within(s, 0, n)
	case participle(s.Word(s.last() - 1)): // "year was the car made"
		return movedBeEach.Within(s, 0, n) || movedBeBefore.Within(s, 0, n)
	}
	return movedBeEach.Within(s, 0, n)
}
