// Package consistency tests a model without gold SQL: sections 5.2 to 5.4 of "MT-TEQL: Evaluating
// and Augmenting Neural NLIDB on Real-world Linguistic and Schema Variations". A variant of an
// input that must not change the answer must not change the model's output either; a pair of
// outputs that are not the same is an error, and the error rate of a relation is the share of
// errors among its pairs.
//
// [Run] compares pairs of outputs, by exact set match as the paper does or by execution. A [Tally]
// counts the [Outcome]s of one model by relation and database. A [Report] compares several models:
// error rates with intervals that draw databases, the types of error of table 8, and the
// assessment of formula 1. It is written as text, Markdown, CSV or JSON, and [Report.WriteHeatMap]
// draws it.
//
// The output before is first rewritten for the schema after, by the code that rewrites gold SQL,
// so that a renamed column is no error. If exactly one output is SQL on its schema the two differ;
// if neither is, the pair is not judged. Relations that change the answer (perturb.Retargeted) are
// not judged. Neither are unchanged turns of interactions with perturbed turns: only the context
// differs there, and they would dilute the effect of the relation.
package consistency
