// Package dataset holds what every other package works on: a [Unit] is a
// [Database] with all its [Example]s, [Buckets] are the candidate names of its
// columns. Readers and writers of every file format live here and nowhere else.
//
// [Units] reads a data directory in the form of Spider; [TablesWriter],
// [SplitWriter] and [WriteGold] write one. Buckets lie in buckets.json
// ([ReadBuckets], [WriteBuckets]) or in the files of ADVETA 1.0 ([ReadADVETA],
// [WriteADVETA]); [ReadAnyBuckets] tells them apart. What a build did to each
// example is a [Record] of records.parquet. [AddSamples] reads sample cells,
// and [SQLiteTables] is the schema from which content is generated.
//
// Readers take files as they come. What is wrong with one record is a
// [*RecordError], FILE:RECORD and what was expected, and reading goes on; a
// file that breaks off is a [*FileError].
package dataset
