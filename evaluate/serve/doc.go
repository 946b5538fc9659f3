// Package serve gives the verdicts of package evaluate as a service: over HTTP, see
// [Service.Serve], and over a pipe, see [Service.Pipe].
//
// A [Request] is a gold SQL and a prediction on one of the databases that the service
// was started with; its [Answer] has the verdict of each metric. Requests are untrusted,
// gold SQL too. A db_id is looked up among the known ones and never made a path, SQL
// runs in the sandbox of internal/engine/sqlite, and [Limits] bound what a request may take.
// Whatever is asked, it is answered or refused, and the service goes on.
package serve
