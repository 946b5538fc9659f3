// Package doctor audits a data directory before it is used: it finds schemas that disagree with
// their databases, gold SQL that fails or whose answer is empty or undetermined, and comparisons
// that SQLite makes differently from how they read.
//
// [Run] audits the databases of a split and reports [Finding]s, each from one of the [Checks].
// Checks run gold SQL and read cells; on a database without content, those checks report nothing.
// With [Config.Against], findings that a baseline has too are left out, so that the audit of a
// build does not report the faults of its source. [Print] writes the report for people.
package doctor
