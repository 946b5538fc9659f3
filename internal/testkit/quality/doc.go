// Package quality measures how good the names are that the toolkit finds. Its
// test, behind the build tag "quality", prints every figure with the paper's or
// the goal beside it and compares them with a golden file: `make quality`.
package quality
