package paraphrase

import (
	"regexp"
	"strings"

	"github.com/tabperturb/tabperturb/internal/chat"
)

// The bounds of what is taken of an answer, in bytes. The longest questions of
// Spider have 250, those of BIRD with their evidence 900.
const (
	maxQuestion    = 1000
	maxExplanation = 300
)

var (
	// label is the word before a part of an answer, however it is set off.
	label = regexp.MustCompile(`(?im)^[ \t>#*_]*(?:\(?\d+[.)][ \t]*)?[*_]*(sentence|mentioned|paraphrase|explanation)[*_ \t]*:[*_]*`)
	// inner is the label of an explanation that follows on the same line.
	inner = regexp.MustCompile(`(?i)[*_]*\bexplanation[*_]*:`)
)

// parse reads what a model wrote: the paraphrase is what stands between
// "Paraphrase:" and "Explanation:". Where the label is missing, a single line
// counts as the paraphrase. ok is false where there is none, or it is too long; cut
// says that the answer broke off, so that a paraphrase without an end is none.
func parse(text string, cut bool) (question, explanation string, ok bool) {
	parts := split(chat.Said(text))
	question, ended := parts["paraphrase"], parts["explanation"] != ""
	if question == "" {
		if question = strings.TrimSpace(parts[""]); strings.Contains(question, "\n") {
			return "", "", false
		}
	}
	if at := inner.FindStringIndex(question); at != nil {
		parts["explanation"] = question[at[1]:]
		question, ended = question[:at[0]], true
	}
	if cut && !ended {
		return "", "", false
	}
	question = unquote(chat.OneLine(question))
	if question == "" || len(question) > maxQuestion {
		return "", "", false
	}
	return question, chat.Bounded(chat.OneLine(parts["explanation"]), maxExplanation), true
}

// split returns the parts of an answer by their labels, the first of each; what
// stands before any label is under "". A part ends at a blank line.
func split(text string) map[string]string {
	parts := map[string]string{}
	name, from := "", 0
	put := func(to int) {
		part := strings.TrimSpace(text[from:to])
		if paragraph, _, more := strings.Cut(part, "\n\n"); more && name != "" {
			part = paragraph
		}
		if parts[name] == "" {
			parts[name] = part
		}
	}
	for _, at := range label.FindAllStringSubmatchIndex(text, -1) {
		put(at[0])
		name, from = strings.ToLower(text[at[2]:at[3]]), at[1]
	}
	put(len(text))
	return parts
}

// marks are the pairs in which models wrap a sentence.
var marks = [][2]string{{"**", "**"}, {"`", "`"}, {`"`, `"`}, {"“", "”"}, {"«", "»"}, {"'", "'"}, {"‘", "’"}, {"*", "*"}, {"_", "_"}}

// unquote takes off the marks around a sentence. Marks that occur within it too
// stay: they may be those of two values.
func unquote(s string) string {
	for again := true; again; {
		again = false
		for _, m := range marks {
			inside, opens := strings.CutPrefix(s, m[0])
			inside, closes := strings.CutSuffix(inside, m[1])
			if opens && closes && !strings.Contains(inside, m[0]) && !strings.Contains(inside, m[1]) {
				s, again = strings.TrimSpace(inside), true
			}
		}
	}
	return s
}
