// Package sqlast is the SELECT of SQLite and of PostgreSQL as a syntax tree. In SQLite's dialect
// Spider, SParC, CoSQL, WikiSQL, Squall and BIRD write their gold SQL.
//
// There is one tree, one parser, one resolver and one printer. A [Dialect] is a value that lists what an engine has:
// keywords, operators with their precedence, forms of literals, quotes, and what names mean. A query knows its dialect,
// so that only [Dialect.Parse] names it: nil stands for SQLite's, which the functions of the package mean.
//
// [Parse] reads a query into a tree of plain structs and [Query.String] prints
// it in one canonical style, near Spider's own:
//
//	q, err := sqlast.Parse("select T1.name from singer as T1 where age > 20")
//	q.String() // SELECT T1.name FROM singer AS T1 WHERE age > 20
//
// [Inspect] walks a tree, [All] yields its nodes of one type, [Rewrite] builds a changed copy. A tree is never
// changed in place by this package, so it may be shared between goroutines.
//
// [Resolve] finds what each name of a query refers to, given the [Catalog] of
// tables that the query runs on. The answer, a [Binding], is keyed by the nodes
// of the tree: for a [ColumnRef], whether it is a base column, a column of a
// derived table, a select alias, a row id or (for a double-quoted name that
// resolves to nothing) a string; for a [Table], its base table; for a [Star],
// the columns that it expands to. Names follow the rules of the dialect: SQLite's are not the
// standard's, and PostgreSQL folds bare names to lower case.
//
// On a binding rest the edits that perturbations of a schema need. [Rename]
// follows renamed tables and columns through aliases, derived tables and joins.
// [Qualify] keeps the meaning of a query when columns are added to its tables.
// Both check their own work: the result is resolved again and must mean what the
// input meant, or else the edit is refused with a [RefusalError].
package sqlast
