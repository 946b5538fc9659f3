// Package dataset holds what every other package works on: a [Unit] is a
// [Database] with all its [Example]s, [Buckets] are the candidate names of its
// columns. Readers and writers of every file format live here and nowhere else.
package dataset
