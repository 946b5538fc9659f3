// Package quality measures how good the names are that the toolkit finds. Its
// tests, behind the build tag "quality", print every figure with the paper's or
// the goal beside it and compare them with golden files: `make quality`. Without
// the tag, a test compares the figures of the documents with those golden files.
package quality
