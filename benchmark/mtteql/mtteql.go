// Package mtteql holds the twelve metamorphic relations of MT-TEQL: ways to put a
// question or a schema otherwise after which a model must answer as before
// (MT-TEQL, section 3). Four change the question, [Utterance], eight what the gold
// SQL does not use of the schema.
package mtteql

import "slices"

// All lists the perturbations of this package.
var All = slices.Concat(Utterance, Schema)

// inputs is how many inputs a relation makes of an example by default. The paper
// does not say; with eight, the twelve relations make about as many of Spider dev
// as its table 6 has, 62,430.
const inputs = 8
