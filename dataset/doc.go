// Package dataset defines the data that every other package works on: a [Unit] is a [Database]
// with all its [Example]s, and [Buckets] are the candidate names of its columns. It has the
// readers and writers of the data directory; other formats have packages of their own below it.
//
// [Units] reads a data directory in the form of Spider; [TablesWriter], [SplitWriter] and
// [WriteGold] write one. Buckets are in buckets.json ([ReadBuckets], [WriteBuckets]) or in the
// files of ADVETA 1.0 ([ReadADVETA], [WriteADVETA]); [ReadAnyBuckets] reads both. A [Record] of
// records.parquet is what a build did to one example. [AddSamples] reads sample cells, and
// [SQLiteTables] returns the schema for which content is generated.
//
// Readers tolerate faulty records. A [*RecordError], with FILE:RECORD and what was expected,
// reports a problem of one record, and reading continues; a [*FileError] reports where a file
// breaks off.
package dataset
