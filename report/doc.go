// Package report makes one document for people from the output of other commands: builds,
// evaluations, robustness, consistency, suites, buckets, comparisons and mixes. It is a
// self-contained HTML page, Markdown or JSON.
//
// Each input becomes a [Section] of parts with tables, plots and records before and after. All
// three forms are written from that model, so the figures of the page are those of the JSON; a
// plot draws only values of the table next to it.
//
// Inputs are untrusted: texts are cleaned and cut when they enter the model ([clean]),
// html/template makes the page, and lists have bounds. The page has no script and refers to
// nothing outside, which its content security policy also forbids.
package report
