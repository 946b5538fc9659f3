// Package sample holds the small data set and the web-table corpus that
// `tabperturb demo` runs on, so that every command can be tried with nothing
// downloaded.
//
// [Data] is shaped like Spider: seven databases of invented content as SQL
// scripts, tables.json, and dev.json with questions and their gold SQL at all
// hardness levels. Each gold query runs, has a non-empty answer, and orders its
// rows without ties. [WriteData] lays the same out as a Spider directory with
// one SQLite file a database.
//
// [Corpus] is one JSON lines file a domain, each line a table as found on web
// pages:
//
//	{"id": "books-01", "caption": "…", "header": ["…"], "rows": [["…"]]}
//
// The tables of one domain name the same notion in many ways ("Author",
// "Written by", "Writer"), which is what retrieval of column names lives on.
// Their cells are illustrations of plausible shape; they are no reference for
// facts.
//
// All of it was written for this project and is dedicated to the public domain
// under CC0 1.0.
package sample
