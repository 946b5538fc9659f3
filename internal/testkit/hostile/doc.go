// Package hostile attacks the built program: it is killed, run twice at once, given damaged
// files, hostile SQL and databases, full disks and servers that lie. Its tests, behind the
// build tag "attack", print what was tried and what fell: `make attack`.
//
// The rule is the same for all: one clear line on standard error and exit code 2 for what is
// wrong, nothing half-written, nothing lost, within bounds of time and memory.
package hostile
