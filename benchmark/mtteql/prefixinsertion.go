package mtteql

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// PrefixInsertion puts a common declarative prefix before a question that begins
// with an interrogative one, common or special. The order of its words and its mark
// stay, as in the paper's example: "tell me what is the age of all singers?".
var PrefixInsertion = metamorphic("prefix-insertion", "section 3.1",
	"Puts a request (\"tell me\") before a question that begins with an interrogative.", relation{insertPrefix, 0.9}.run)

const noInterrogative = "no-interrogative-prefix"

func insertPrefix(_ *dataset.Database, ex *perturb.Example) (options [][]perturb.Edit, reason perturb.Reason) {
	s := newSentence(ex.Question)
	if len(s.Tokens) < 2 || !question.Fits(s, 0) {
		return nil, noInterrogative
	}
	for _, p := range prefixes {
		if slices.Contains(p.follows, "question") {
			options = append(options, []perturb.Edit{s.replace(0, 1, capital(p.words, s.upper())+" "+s.Words[0])})
		}
	}
	return options, ""
}
