package exact

import "fmt"

// Hardness is the level of a gold query.
type Hardness int

// The levels.
const (
	Easy Hardness = iota
	Medium
	Hard
	Extra
	numLevels
)

// String returns the official name of the level.
func (h Hardness) String() string { return [...]string{"easy", "medium", "hard", "extra"}[h] }

// Part is a component of a query that is scored on its own.
type Part int

// The parts, as the official evaluator defines them.
const (
	Select        Part = iota // select list
	SelectNoAgg               // select list without aggregates
	Where                     // conditions of WHERE, in any order
	WhereNoOp                 // what they compare, without operators
	GroupNoHaving             // columns of GROUP BY, without their tables
	Group                     // GROUP BY with HAVING
	Order                     // ORDER BY, and whether there is a LIMIT
	AndOr                     // connectives of WHERE
	IUEN                      // queries behind INTERSECT, UNION and EXCEPT
	Keywords                  // words that the query uses
	NumParts
)

// String returns the official name.
func (p Part) String() string {
	return [...]string{"select", "select(no AGG)", "where", "where(no OP)", "group(no Having)", "group", "order", "and/or", "IUEN", "keywords"}[p]
}

// Counts compares one part of a prediction with the same part of the gold.
type Counts struct {
	Gold, Pred int  // components; officially exchanged for [AndOr]
	Same       bool // all components are the same
}

// Result is the verdict on one prediction.
type Result struct {
	Match    bool             // the verdict of the mode asked for
	Official bool             // verdict of the official evaluator, also in strict mode; false for a gold that it refuses
	Tree     bool             // Match was found on the syntax trees
	NoTree   bool             // the prediction has no syntax tree; set only with Tree or Rejected
	Tables   bool             // FROM is the same, which a match needs although it is no Part
	Differs  []Part           // parts that are not the same
	Partial  [NumParts]Counts // all parts
	Rejected error            // why the official parser refuses the prediction, a *SyntaxError, or nil
}

// SyntaxError reports where and why the official parser refuses a query.
type SyntaxError struct {
	Line, Col int // from 1, the column in bytes
	Msg       string
}

// Error implements [error].
func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }
