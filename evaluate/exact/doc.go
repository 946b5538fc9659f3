// Package exact is the exact set match of Spider: a prediction is right where
// its clauses hold the same components as the gold SQL's, in any order and
// whatever their values.
//
//	s := exact.NewSchema(db)
//	g := s.Gold("SELECT name FROM singer WHERE age > 20")
//	r := g.Judge("select name from singer where 30 < age", false)
//
// A [Schema] holds the names and the foreign keys of a database, a [Gold] is a
// query prepared for many predictions, a [Result] reports whether a prediction
// matches and in which parts it differs, and a [Tally] sums results up by the
// [Hardness] of their golds. All of them except Tally are safe for concurrent use.
//
// By default a verdict is that of the official evaluator (evaluation.py and
// process_sql.py of test-suite-sql-eval), even where its rules
// are odd: its parser knows a small part of SQL, joins need no condition, all
// terms of ORDER BY go in one direction, the two sides of AND and OR may be
// swapped, all columns that foreign keys link are one column, and a prediction
// that its parser refuses counts as the empty query. Three rules differ, because
// an official run would crash or go wrong: two queries in FROM are compared
// in any order, conditions without AND or OR between them are refused, and
// queries have at most 65536 tokens and nest at most 200 deep.
//
// In strict mode both queries are judged on their resolved syntax trees
// instead: conditions of joins count, columns are one where a join of the query
// equates them, every term of ORDER BY has its direction, AND and OR keep their
// sides, and UNION and INTERSECT have none. DISTINCT and the numbers of LIMIT
// count if they can change the answer. Forms that are the same by definition
// match: BETWEEN and two comparisons, IN with constants and OR, count(1) and
// count(*), a query in FROM or WITH that is read once and the same query inlined,
// DISTINCT and GROUP BY of the same columns, HAVING and WHERE on a grouping key,
// WHERE and the CASE or FILTER of the only result column's aggregate, a LEFT JOIN for the
// rows without a partner, NOT EXISTS and a NOT IN that meets no NULL, EXCEPT of a column
// without NULL and NOT IN, INTERSECT and AND or IN, a join and IN or EXISTS where it
// repeats no row or repeated rows do not count, GROUP BY of a key and of further columns
// of its table, a query in FROM that gives one aggregate and the same as a value,
// the first row of a window and LIMIT 1 or max.
// A primary key is taken to have no NULL and, where foreign keys refer to it, to be unique:
// tables.json does not have what the CREATE TABLE declares, by which SQLite allows NULL
// in 358 of the 774 keys of Spider's databases. None of these holds one. Further keys and
// NOT NULL count if [Schema.Declare] adds them.
// Where a key does, queries that match may answer differently, which execution shows.
// SQL that the official parser refuses is judged too. Both modes ignore values
// other than those of LIMIT, including patterns of LIKE and constants of result
// columns, but count how many there are.
//
// A gold that the official parser refuses would end an official run. It is judged
// on its tree in both modes, and [Gold.Problem] returns the reason.
package exact
