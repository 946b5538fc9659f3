// Package stats computes intervals, tests and agreement of verdicts on predictions.
//
// [Bootstrap] gives intervals that draw whole databases, [McNemar] tests whether
// a model did worse on one side of paired records, [Wilson] gives the interval of a share,
// [KendallTau] compares two rankings. [Agree] compares the metrics in files of verdicts: the tables 2, 3 and 4
// of "Semantic Evaluation for Text-to-SQL with Distilled Test Suite".
//
// A [Number] that is not defined, such as a share of nothing, is NaN; it is null
// in JSON and "-" in text.
package stats
