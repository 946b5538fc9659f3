// Package mtteql holds the twelve metamorphic relations of MT-TEQL: ways to put a
// question or a schema otherwise after which a model must answer as before
// (MT-TEQL, section 3). Four change the question, [Utterance], eight what the gold
// SQL does not use of the schema.
package mtteql

import (
	"slices"

	"github.com/tabperturb/tabperturb/perturb"
)

// All lists the perturbations of this package.
var All = slices.Concat(Utterance, Schema)

// inputs is how many inputs a relation makes of an example by default. The paper
// does not say; with eight, the twelve relations make about as many of Spider dev
// as its table 6 has, 62,430.
const inputs = 8

// metamorphic returns the perturbation of a relation.
func metamorphic(name, section, doc string, run func(*perturb.Pass) error) *perturb.Perturbation {
	return &perturb.Perturbation{
		Name: "mtteql/" + name, Doc: doc, Paper: "MT-TEQL, " + section, Version: 1, Samples: inputs, Relation: perturb.Invariant, Run: run,
	}
}

// revised returns a perturbation in its second version.
func revised(p *perturb.Perturbation) *perturb.Perturbation {
	p.Version = 2
	return p
}

// restructuring is metamorphic for relations that change the SQLite file.
func restructuring(name, section, doc string, run func(*perturb.Pass) error) *perturb.Perturbation {
	p := metamorphic(name, section, doc, run)
	p.Files = true
	return p
}
