package mtteql

import (
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// PrefixInsertion puts a common declarative prefix before a question that begins
// with an interrogative one, common or special. The order of its words and its mark
// stay, as in the paper's example: "tell me what is the age of all singers?".
var PrefixInsertion = &perturb.Perturbation{
	Name:     "mtteql/prefix-insertion",
	Doc:      "Puts a request (\"tell me\") before a question that begins with an interrogative.",
	Paper:    "MT-TEQL, section 3.1",
	Version:  1,
	Samples:  inputs,
	Relation: perturb.Invariant,
	Run:      relation{insertPrefix, 0.9}.run,
}

const noInterrogative = "no-interrogative-prefix"

func insertPrefix(_ *dataset.Database, ex *perturb.Example) (options [][]perturb.Edit, reason perturb.Reason) {
	s := newSentence(ex.Question)
	if s.stop < 2 || !isQuestionWord(s.at(0)) {
		return nil, noInterrogative
	}
	first := strings.ToLower(s.Span(0, 1))
	for _, p := range declaratives {
		if !p.clause || p.rude {
			continue
		}
		options = append(options, []perturb.Edit{s.replace(0, 1, capital(p.words, s.upper())+" "+first)})
	}
	return options, ""
}
