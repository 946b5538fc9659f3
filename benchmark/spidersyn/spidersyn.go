// Package spidersyn holds the perturbation and the defence of Spider-Syn (Gan et al. 2021, "Towards Robustness of
// Text-to-SQL Models against Synonym Substitution").
//
// Substitution replaces the words of a question that name tables and columns with synonyms (section 2). MultiAnnotation
// is multi-annotation selection, MAS: the schema shows each table and column by the one of its names that appears in
// the question (section 3.1).
//
// The released data set is read as well: its questions become recorded edits ([Reworded]), its substitutions are what
// ours compare with ([Compare]), and its schemas with several names are annotations ([ReadAnnotations]).
package spidersyn

import "github.com/tabperturb/tabperturb/perturb"

// All lists the perturbations of this package.
var All = []*perturb.Perturbation{Substitution, MultiAnnotation}
