// Package decimal rounds scores. Processors differ in the last digits of a sum or an exponential: some fuse a
// multiplication with an addition. A score is rounded where it is made, and compared and stored as rounded, so
// that no decision, order or byte of an output depends on the processor.
package decimal

import "math"

// Round rounds a score to four digits after the point.
func Round(score float64) float64 { return math.Round(1e4*score) / 1e4 }
