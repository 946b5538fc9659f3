// Package report turns what the other commands wrote (builds, evaluations,
// robustness, consistency, suites, buckets, comparisons, mixes) into one document for people: a page of
// HTML that stands alone, the same as Markdown, and the same as JSON.
//
// Each input becomes a [Section] of parts with tables, plots and records before and
// after. All three forms are written from that one model, so that a figure on the page
// is the figure of the JSON; a plot draws only values that stand in the table beside it.
//
// What the inputs hold is untrusted: texts are cleaned and cut where they enter the
// model ([clean]), the page is made by html/template, and lists have bounds. The page
// has no script and refers to nothing outside itself, which it also tells the browser.
package report
