// Package review lets people decide which candidate names go into a benchmark. It has a
// local page for a buckets.json, an append-only file of decisions for each annotator,
// their agreement, and the resulting curated buckets. ADVETA's names were chosen in this
// way (section 3): annotated, then reviewed.
//
// The same page is for decisions on the records of a build ([LoadRecords]): a record takes
// the role of a column, and the criteria of meaning, naturalness and category that of names
// ([Criterion]). A build keeps the records that [Refuses] does not refuse.
//
// The share of valid names is estimated with blind sheets: [DrawSheet] and [WriteSheet] make
// one; for records, these are [DrawRecords] and [WriteRecordSheet]. [ReadValidity] sums up the grades of
// its judges.
//
// # The page and its server
//
// The server listens only on the loopback address. It requires the token that is part of the
// address that it prints:
//
//	GET  /?token=T                     sets the cookie and shows the page
//	GET  /assets/NAME                  the page's script and style
//	GET  /api/list?page=&order=&db=&text=&open=&at=   a page of columns: [List]
//	GET  /api/databases?text=          databases to filter by: [Databases]
//	GET  /api/column?id=               all that is needed to decide on a column: [ColumnView]
//	POST /api/decide                   a [Request]; answers [Saved]
//	POST /api/undo                     a [Request] with undo; takes back the annotator's last decision; answers [Saved]
//	GET  /api/progress                 [Progress]
//
// Bodies are JSON, sent as application/json. The browser sends the cookie with every request,
// so the page removes the token from its address. Errors are a [Failure] with a status: 400
// for a malformed request (413 if it is too large, 415 if it is not JSON), 403 without the
// token, 404 for unknown things, 409 for a decision on a column that was meanwhile decided in
// another tab (or an undo of a decision that is no longer the last), whose answer has the
// present [ColumnView] in "column", and 500 for a decision that cannot be saved.
//
// A decision is on disk before the request is answered.
package review
