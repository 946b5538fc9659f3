// Package review is where people decide which candidate names go into a benchmark: a
// local page over a buckets.json, an append-only file of decisions for each annotator,
// their agreement, and the curated buckets that come of it. ADVETA's names were chosen so
// (section 3): annotated, then reviewed.
//
// The same page decides on the records of a build ([LoadRecords]): each stands in the place
// of a column, with the [Criterion] of meaning, naturalness and category in that of names. A
// build keeps what [Refuses] does not refuse.
//
// How many names are valid is judged on blind sheets: [DrawSheet] and [WriteSheet] make
// one, and [Judged] sums up what its judges say; of records [DrawRecords],
// [WriteRecordSheet] and [JudgedRecords] do.
//
// # The page and its server
//
// The server listens on the loopback address alone. Its pages and answers are for whoever
// holds the token that it prints in its address:
//
//	GET  /?token=T                     sets the cookie and shows the page
//	GET  /assets/NAME                  the page's script and style
//	GET  /api/list?page=&order=&db=&text=&open=&at=   columns, a page a time: [List]
//	GET  /api/databases?text=          databases to filter by: [Databases]
//	GET  /api/column?id=               all that is needed to decide on a column: [ColumnView]
//	POST /api/decide                   a [Request]; answers [Saved]
//	POST /api/undo                     a [Request] with undo; takes back the annotator's last decision; answers [Saved]
//	GET  /api/progress                 [Progress]
//
// Bodies are JSON, sent as application/json; the cookie goes with every request of the
// page by itself, so that the page can take the token out of its address. Errors are a
// [Failure] with a status: 400 for a request of another shape (413 a large one, 415 one that
// is not JSON), 403 for strangers, 404 for what is not there, 409 for a decision on a column
// that was decided on meanwhile in another tab (or an undo of what is not the last decision
// any more), whose answer has the present [ColumnView] under "column", and 500 for a decision
// that cannot be saved.
//
// A decision is on disk before it is answered.
package review
