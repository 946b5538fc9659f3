// Package spidersyn holds the perturbation and the defence of Spider-Syn (Gan et
// al. 2021, "Towards Robustness of Text-to-SQL Models against Synonym
// Substitution").
//
// Substitution puts synonyms in the place of the words of a question that stand
// for tables, columns and values (section 2). MultiAnnotation is multi-annotation
// selection, MAS: of the names that a table or column goes by, the schema shows
// the one that stands in the question (section 3.1).
//
// The released data set is read as well: its questions become recorded edits
// ([Reworded]), its substitutions are what ours compare with ([Compare]), and its
// schemas with several names are annotations ([ReadAnnotations]).
package spidersyn

import "github.com/tabperturb/tabperturb/perturb"

// All lists the perturbations of this package.
var All = []*perturb.Perturbation{Substitution, MultiAnnotation}
