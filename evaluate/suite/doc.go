// Package suite distils test suites: for each schema of a data set a few
// databases on which wrong predictions answer differently from the gold SQL.
// It follows "Semantic Evaluation for Text-to-SQL with Distilled Test Suites".
//
// [Neighbours] returns the queries by which a suite is measured (section 3.1): those
// that differ from a gold query in one place. [Distill] draws random databases for each schema
// (section 4.1), which respect its keys and contain the constants of its golds. It keeps a
// database that distinguishes a neighbour from its gold if fewer than [Config.Depth]
// databases before did (section 4.2), and drops those that later ones make needless. The
// databases are files in a folder,
//
//	OUT/database/DB_ID/DB_ID.sqlite         the data set's own content, or else one of the random databases
//	OUT/database/DB_ID/DB_ID_t0017.sqlite   the 17th random database
//	OUT/database/DB_ID/DB_ID_empty.sqlite   the same tables without rows
//	OUT/manifest.json                       what each database distinguishes, and which neighbours are left
//	OUT/curve.tsv, OUT/curve.svg            the share left after each database tried
//
// the layout that the official test-suite evaluator reads. [OpenSuite] opens
// such a folder for judging.
//
// A database is used for a gold query only if the query's answer there is determined,
// that is, the same for every order of tied rows. Otherwise a tie under LIMIT, which is
// frequent in random databases, would reject a prediction that equals the gold. A gold
// without a determined answer with rows on any database is not judged, because any query
// without rows would be right.
//
// Every table of random contents has rows. Unlike in the paper, one more database of each schema has
// none, on which max(x) differs from ORDER BY x DESC LIMIT 1. Neighbours are not tried there, so
// figures count those that differ if there are rows. Also unlike in the paper, strings may differ
// only in case, which distinguishes = from LIKE, and may be empty, which distinguishes a comparison
// with the empty string from IS NOT NULL. By default NULL occurs wherever the schema allows it except
// in foreign keys, which distinguishes count(x) from count(*).
package suite
