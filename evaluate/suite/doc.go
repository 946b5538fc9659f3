// Package suite distils test suites: for each schema of a data set a few
// databases on which wrong predictions answer differently from the gold SQL.
// It follows "Semantic Evaluation for Text-to-SQL with Distilled Test Suites".
//
// [Neighbours] makes the queries that a suite is measured by (section 3.1): those
// that differ from a gold query in one place. [Distill] draws random databases for each schema
// (section 4.1), under its keys and with the constants of its golds, and keeps one
// where it tells a neighbour apart from its gold that fewer than [Config.Depth]
// before did (section 4.2); those that later ones make needless go again. The
// databases are files in a folder,
//
//	OUT/database/DB_ID/DB_ID.sqlite         the data set's own content, or else one of the random databases
//	OUT/database/DB_ID/DB_ID_t0017.sqlite   the 17th random database
//	OUT/manifest.json                       what each is for, and what is left
//	OUT/curve.tsv, OUT/curve.svg            the share left after each database tried
//
// which is how the official test-suite evaluator looks for them. [OpenSuite] reads
// such a folder for judging.
//
// A database speaks for a gold query only where the query's answer there is
// determined: where the result is the same however rows that tie are ordered. Else
// a tie under LIMIT, which random databases have often, would judge between equal
// queries. A gold that no database tried gives a determined answer with rows is not
// judged: any query without rows would be right.
//
// Every table of random contents has rows: queries that differ on empty tables alone,
// as max(x) and ORDER BY x DESC LIMIT 1, are equivalent in the paper (figure 8). Unlike
// there, strings may differ in case alone, which tells = from LIKE, and by default NULL
// is wherever the schema allows it but in foreign keys, which tells count(x) from
// count(*).
package suite
