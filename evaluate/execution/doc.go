// Package execution judges predicted SQL by its denotation, the rows that it
// returns: a prediction is right where its denotation equals that of the gold
// SQL on every database.
//
//	db, err := execution.Open(ctx, "concert_singer.sqlite")
//	gold := execution.NewGold("SELECT count(*) FROM singer", execution.Options{})
//	out, err := gold.Judge(ctx, "SELECT count(name) FROM singer", db)
//	out.Verdict == execution.Right
//
// The semantics are those of the official test-suite evaluator (Zhong, Yu and
// Klein, Semantic Evaluation for Text-to-SQL with Distilled Test Suites, 2020,
// section 5):
//
//   - rows compare as a bag, or as a list if the gold has an ORDER BY;
//   - columns may come in any order, and their names do not count;
//   - the integer 1 equals the real 1.0, and bytes of text that are not UTF-8
//     are left out;
//   - DISTINCT is removed from both sides, unless [Options.KeepDistinct];
//   - two answers without rows are equal, whatever their columns;
//   - "> =", "< =" and "! =" are joined, and YEAR(CURDATE()) is 2020;
//   - the word "value" of a prediction is 1, within names and strings only with
//     [Options.OfficialValue];
//   - with [Options.PlugValue], a prediction is right if it is so with its own
//     constants or with any of the gold's in their places.
//
// Its faults are repaired unless a right verdict depends on them: predictions
// run one SELECT in a sandbox under [sqldata.Limits], so nothing is written and
// time is bounded; a plugged constant never takes the place of a column; numbers
// are equal within [sqldata.Tolerance]; columns are matched in polynomial time
// where the official evaluator tries all permutations; and a gold that fails is
// a verdict, not the end of the run. SQL that calls random() is refused, and the
// clock is set to 2020, so that a verdict never depends on when it is made.
//
// [Options.Strict] repairs the rest: only the outermost ORDER BY counts, rows
// that it leaves tied may come in any order, DISTINCT is kept, and two empty
// answers with different numbers of columns are not judged.
//
// Every verdict other than right has a [Reason], and [Gold.Doubt] returns what is wrong
// with a gold that cannot judge predictions well: it is empty, or its text does not
// determine its answer.
package execution
