// Package exact is the exact set match of Spider: a prediction is right where
// its clauses hold the same components as the gold SQL's, in any order and
// whatever their values.
//
//	s := exact.NewSchema(db)
//	g := s.Gold("SELECT name FROM singer WHERE age > 20")
//	r := g.Judge("select name from singer where 30 < age", false)
//
// A [Schema] holds the names and the foreign keys of a database, a [Gold] is a
// query made ready for many predictions, a [Result] says whether a prediction
// matches and in which parts it differs, and a [Tally] sums results up by the
// [Hardness] of their golds. All but the Tally may be used from several
// goroutines.
//
// By default a verdict is that of the official evaluator (evaluation.py and
// process_sql.py of test-suite-sql-eval), whose ways are kept even where they
// are odd: its parser knows a small part of SQL, joins need no condition, all
// terms of ORDER BY go in one direction, the two sides of AND and OR may be
// swapped, all columns that foreign keys link are one column, and a prediction
// that its parser refuses counts as the empty query. Three things are decided
// here which end or spoil an official run: two queries in FROM are compared
// without order, conditions without AND or OR between them are refused, and
// queries may nest to a depth of 200 and have 65536 tokens.
//
// In strict mode both queries are judged on their resolved syntax trees
// instead: conditions of joins count, columns are one where a join of the query
// equates them, every term of ORDER BY has its direction, AND and OR keep their
// sides, and UNION and INTERSECT have none. DISTINCT and the numbers of LIMIT
// count, where they can change the answer. What is the same by definition is
// one: BETWEEN and two comparisons, IN with constants and OR, count(1) and
// count(*), a query in FROM or WITH that is read once and what it stands for,
// DISTINCT and GROUP BY of the same columns, HAVING and WHERE on a grouping key,
// WHERE and the CASE or FILTER of the only result column's aggregate.
// SQL that the official parser refuses is judged too. Values but those of LIMIT
// are ignored in both modes, patterns of LIKE and constants of result columns among
// them, but how many there are counts.
//
// A gold that the official parser refuses, at which an official run would end,
// is judged on its tree in both modes, and [Gold.Problem] says why.
package exact
