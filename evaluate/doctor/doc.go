// Package doctor audits a data directory before anyone trusts it: schemas that
// disagree with their databases, gold SQL that fails or whose answer is empty or
// undetermined, comparisons that SQLite makes otherwise than they read.
//
// [Run] goes through the databases that a split asks about and reports
// [Finding]s, each of one of the [Checks]. What gold SQL does is found by running
// it, and what a check says of cells it has seen there: where a database has no
// content, the checks that need it are silent. With [Config.Against] only what a
// baseline does not have is reported, which is how to audit what a build wrote:
// the faults of the data that it was built from are not its own. [Print] writes
// the report for people.
package doctor
