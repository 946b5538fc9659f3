package dataset

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// QuestionTokens splits a question as Spider's question_toks are split: by the
// rules of the Penn Treebank tokenizer, sentence by sentence. Double quotes
// become two back quotes or two single quotes, and clitics stand alone
// ("teacher", "'s").
func QuestionTokens(question string) []string {
	var tokens []string
	for _, sentence := range sentences(question) {
		tokens = append(tokens, treebank(sentence)...)
	}
	return tokens
}

// QueryTokens splits SQL as Spider's query_toks are split. Most follow the rules
// for questions: T1.name is one token, != are two, and 'France' gives "'France"
// and "'". Queries all in lower case are those that Spider's authors corrected
// later, with the tokenizer of process_sql.py: there a string is one token in
// double quotes, and != one token too.
func QueryTokens(query string) []string {
	if query != strings.ToLower(query) {
		return QuestionTokens(query)
	}
	query = strings.ReplaceAll(query, "'", `"`)
	var tokens []string
	end := 0
	for _, at := range quotedValue.FindAllStringIndex(query, -1) {
		tokens = append(append(tokens, QuestionTokens(query[end:at[0]])...), query[at[0]:at[1]])
		end = at[1]
	}
	tokens = append(tokens, QuestionTokens(query[end:])...)
	var joined []string
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
// lower case, with points apart, and with "value" for each string and number.
func QueryTokensNoValue(query string) []string {
	query = strings.TrimRight(query, "; ")
	query = quotedValue.ReplaceAllString(query, " value ")
	var tokens []string
	for _, word := range sqlWord.FindAllString(strings.ToLower(query), -1) {
		if unicode.IsDigit(rune(word[0])) {
			word = "value"
		}
		tokens = append(tokens, word)
	}
	return tokens
}

var (
	quotedValue = lazyregexp.New(`'[^']*'|"[^"]*"`)
	sqlWord     = lazyregexp.New(`\d+(?:\.\d+)?\b|[\pL\pN_]+|[^\pL\pN_\s]`)
)

// A rule rewrites text by a pattern, which can match only where one of the
// triggers is in the text in lower case: most questions need few rules.
type rule struct {
	triggers []string
	pattern  *lazyregexp.Regexp
	with     string
}

func newRule(triggers, pattern, with string) rule {
	return rule{strings.Fields(triggers), lazyregexp.New(pattern), with}
}

func (r *rule) concerns(lower string) bool {
	return slices.ContainsFunc(r.triggers, func(t string) bool { return strings.Contains(lower, t) })
}

// treebankRules put blanks between the tokens of a sentence that begins and
// ends with a blank. They are those of the Penn Treebank's sed script.
var treebankRules = []rule{
	// Opening quotes.
	newRule(`"`, "^ \"", " `` "),
	newRule("``", "``", " `` "),
	newRule(`"`, `([ (\[{<])"`, "${1} `` "),
	// Punctuation.
	newRule(`: ,`, `([:,])([^\d])`, " ${1} ${2}"),
	newRule(`...`, `\.\.\.`, " ... "),
	newRule(`; @ # $ % &`, `[;@#$%&]`, " ${0} "),
	newRule(`.`, `([^.])(\.)([\])}>"']*)\s*$`, "${1} ${2}${3} "),
	newRule(`? !`, `[?!]`, " ${0} "),
	newRule(`' "`, `([^'])' `, "${1} ' "),
	newRule(`[ ] ( ) { } < >`, `[\]\[(){}<>]`, " ${0} "),
	newRule(`--`, `--`, " -- "),
	// Closing quotes and clitics.
	newRule(`"`, `"`, " '' "),
	newRule(`'' "`, `(\S)('')`, "${1} ${2} "),
	newRule(`' "`, `([^' ])('[sS]|'[mM]|'[dD]|') `, "${1} ${2} "),
	newRule(`' "`, `([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) `, "${1} ${2} "),
	newRule(`cannot`, `(?i)\b(can)(not)\b`, " ${1} ${2} "),
	newRule(`gimme lemme`, `(?i)\b(gim|lem)(me)\b`, " ${1} ${2} "),
	newRule(`gonna wanna`, `(?i)\b(gon|wan)(na)\b`, " ${1} ${2} "),
	newRule(`gotta`, `(?i)\b(got)(ta)\b`, " ${1} ${2} "),
	newRule(`'t`, `(?i) ('t)(is|was)\b`, " ${1} ${2} "),
}

// treebank splits a sentence into tokens by the Penn Treebank's rules, as NLTK does.
func treebank(sentence string) []string {
	text := " " + sentence + " "
	lower := strings.ToLower(sentence)
	for _, r := range treebankRules {
		if r.concerns(lower) {
			text = r.pattern.ReplaceAllString(text, r.with)
		}
	}
	return strings.Fields(text)
}

var sentenceEnd = lazyregexp.New(`[.?!]["')]*\s+`)

// sentences splits text after a point, question or exclamation mark before a
// capital letter, but not after an initial or a title.
func sentences(text string) []string {
	var list []string
	start := 0
	for _, at := range sentenceEnd.FindAllStringIndex(text, -1) {
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[at[1]:], `"'(`))
		if !unicode.IsUpper(next) {
			continue
		}
		if text[at[0]] == '.' && isAbbreviation(text[start:at[0]]) {
			continue
		}
		list = append(list, text[start:at[1]])
		start = at[1]
	}
	return append(list, text[start:])
}

// isAbbreviation reports whether text ends in a word that takes a point.
func isAbbreviation(text string) bool {
	word := text[strings.LastIndexAny(text, " \t\n\"'(")+1:]
	switch strings.ToLower(word) {
	case "dr", "mr", "mrs", "ms", "prof", "st", "jr", "sr", "no", "vs", "e.g", "i.e", "u.s":
		return true
	}
	return len(word) == 1 && unicode.IsUpper(rune(word[0]))
}
