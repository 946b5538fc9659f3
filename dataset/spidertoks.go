package dataset

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// QuestionTokens splits a question as Spider's question_toks are split: by the
// rules of the Penn Treebank tokenizer, sentence by sentence. Double quotes
// become two back quotes or two single quotes, and clitics are tokens
// ("teacher", "'s").
func QuestionTokens(question string) []string {
	return lists.FlatMap(splitSentences(question), splitTokens)
}

// QueryTokens splits SQL as Spider's query_toks are split. Most queries follow the rules for
// questions: T1.name is one token, != are two, and 'France' gives "'France" and "'". Queries in
// lower case are those that Spider's authors corrected later with the tokenizer of
// process_sql.py: there a string is one token in double quotes, and != is one token.
func QueryTokens(query string) []string {
	if query != strings.ToLower(query) {
		// NLTK takes a quote after a mark for the begin of the next sentence if no blank follows it, as in "…Beetle!"; at the end.
		var tokens []string
		for at := valueEnd.FindStringIndex(query); at != nil; at = valueEnd.FindStringIndex(query) {
			tokens = append(tokens, QuestionTokens(query[:at[0]+1])...)
			query = query[at[0]+1:]
		}
		return append(tokens, QuestionTokens(query)...)
	}
	query = strings.ReplaceAll(query, "'", `"`)
	var tokens []string
	end := 0
	for _, span := range quotedValue.FindAllStringIndex(query, -1) {
		tokens = append(append(tokens, QuestionTokens(query[end:span[0]])...), query[span[0]:span[1]])
		end = span[1]
	}
	tokens = append(tokens, QuestionTokens(query[end:])...)
	var joined []string // with !=, <= and >= as one token
	for _, t := range tokens {
		if last := len(joined) - 1; t == "=" && last >= 0 && strings.Contains("!<>", joined[last]) {
			joined[last] += "="
			continue
		}
		joined = append(joined, t)
	}
	return joined
}

// QueryTokensNoValue splits SQL as Spider's query_toks_no_value are split: in
// lower case, with "value" for each string and number, and T1.name as three tokens.
func QueryTokensNoValue(query string) []string {
	query = strings.TrimRight(query, "; ")
	query = quotedValue.ReplaceAllString(query, " value ")
	var tokens []string
	for _, word := range sqlWord.FindAllString(strings.ToLower(query), -1) {
		if unicode.IsDigit(rune(word[0])) { // a number
			word = "value"
		}
		tokens = append(tokens, word)
	}
	return tokens
}

var (
	valueEnd    = lazyregexp.New(`[?!]["'][^\s"']`)                         // a mark, a quote and further text
	quotedValue = lazyregexp.New(`'[^']*'|"[^"]*"`)                         // a string in quotes of either kind
	sqlWord     = lazyregexp.New(`\d+(?:\.\d+)?\b|[\pL\pN_]+|[^\pL\pN_\s]`) // a number, a word or a sign
)

// tokenRule rewrites text by a pattern. The pattern can match only if the text, in lower case,
// contains one of the triggers: most questions need few rules.
type tokenRule struct {
	triggers    []string
	pattern     *lazyregexp.Regexp
	replacement string
}

// newTokenRule returns a rule; blanks separate its triggers.
func newTokenRule(triggers, pattern, with string) tokenRule {
	return tokenRule{strings.Fields(triggers), lazyregexp.New(pattern), with}
}

// hasTrigger reports whether a text in lower case has one of the triggers.
func (r *tokenRule) hasTrigger(lower string) bool {
	return slices.ContainsFunc(r.triggers, func(t string) bool { return strings.Contains(lower, t) })
}

// treebankRules put blanks between the tokens of a sentence that begins and
// ends with a blank. They are those of the Penn Treebank's sed script.
var treebankRules = []tokenRule{
	// Opening quotes.
	newTokenRule(`"`, "^ \"", " `` "),
	newTokenRule("``", "``", " `` "),
	newTokenRule(`"`, `([ (\[{<])"`, "${1} `` "),
	// Punctuation.
	newTokenRule(`: ,`, `([:,])([^\d])`, " ${1} ${2}"),
	newTokenRule(`...`, `\.\.\.`, " ... "),
	newTokenRule(`; @ # $ % &`, `[;@#$%&]`, " ${0} "),
	newTokenRule(`.`, `([^.])(\.)([\])}>"']*)\s*$`, "${1} ${2}${3} "),
	newTokenRule(`? !`, `[?!]`, " ${0} "),
	newTokenRule(`' "`, `([^'])' `, "${1} ' "),
	newTokenRule(`[ ] ( ) { } < >`, `[\]\[(){}<>]`, " ${0} "),
	newTokenRule(`--`, `--`, " -- "),
	// Closing quotes and clitics.
	newTokenRule(`"`, `"`, " '' "),
	newTokenRule(`'' "`, `(\S)('')`, "${1} ${2} "),
	newTokenRule(`' "`, `([^' ])('[sS]|'[mM]|'[dD]|') `, "${1} ${2} "),
	newTokenRule(`' "`, `([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) `, "${1} ${2} "),
	newTokenRule(`cannot`, `(?i)\b(can)(not)\b`, " ${1} ${2} "),
	newTokenRule(`gimme lemme`, `(?i)\b(gim|lem)(me)\b`, " ${1} ${2} "),
	newTokenRule(`gonna wanna`, `(?i)\b(gon|wan)(na)\b`, " ${1} ${2} "),
	newTokenRule(`gotta`, `(?i)\b(got)(ta)\b`, " ${1} ${2} "),
	newTokenRule(`'t`, `(?i) ('t)(is|was)\b`, " ${1} ${2} "),
}

// splitTokens splits a sentence into tokens by the Penn Treebank's rules, as NLTK does.
func splitTokens(sentence string) []string {
	text := " " + sentence + " "
	lower := strings.ToLower(sentence)
	for _, r := range treebankRules {
		if r.hasTrigger(lower) { // a quick test: only then can the pattern match
			text = r.pattern.ReplaceAllString(text, r.replacement)
		}
	}
	return strings.Fields(text)
}

// sentenceEnd matches the end of a sentence: a mark, closing quotes or brackets, and blanks.
var sentenceEnd = lazyregexp.New(`[.?!]["')]*\s+`)

// splitSentences splits text after a full stop, question mark or exclamation mark before a
// capital letter, but not after an initial or a title.
func splitSentences(text string) []string {
	var list []string
	start := 0
	for _, span := range sentenceEnd.FindAllStringIndex(text, -1) {
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[span[1]:], `"'(`))
		if !unicode.IsUpper(next) {
			continue
		}
		if text[span[0]] == '.' && isAbbreviation(text[start:span[0]]) {
			continue
		}
		list = append(list, text[start:span[1]])
		start = span[1]
	}
	return append(list, text[start:])
}

// isAbbreviation reports whether text ends in an initial or an abbreviation that is written with
// a full stop.
func isAbbreviation(text string) bool {
	word := text[strings.LastIndexAny(text, " \t\n\"'(")+1:]
	switch strings.ToLower(word) {
	case "dr", "mr", "mrs", "ms", "prof", "st", "jr", "sr", "no", "vs", "e.g", "i.e", "u.s":
		return true
	}
	return len(word) == 1 && unicode.IsUpper(rune(word[0]))
}
