// Package serve offers the verdicts of package evaluate as a service: over HTTP, see
// [Service.Serve], and over a pipe, see [Service.Pipe].
//
// A [Request] is a gold SQL and a prediction on one of the databases that the service
// was started with; its [Answer] has the verdict of each metric. Requests are untrusted,
// including gold SQL. A db_id must be one of the known ones and is never used as a path,
// SQL runs in the sandbox of internal/engine/sqlite, and [Limits] bound the resources of a
// request. Every request is answered or refused, and none ends the service.
package serve
