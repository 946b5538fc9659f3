package sqldata

import (
	"cmp"
	"errors"
	"time"
)

// The errors of queries that a limit or the sandbox stops.
var (
	ErrTimeLimit = errors.New("the query passed its time limit")
	ErrTooLarge  = errors.New("the answer is too large")
	ErrSteps     = errors.New("the query passed its budget of steps")
	ErrRefused   = errors.New("expected one SELECT, WITH or VALUES statement that writes nothing")
	ErrNoKey     = errors.New("a draft's table has no primary key on which other columns depend")
	ErrSchema    = errors.New("the query names a schema, which reads the original database, expected names of tables alone on a draft")
	ErrNoServer  = errors.New("the server of the database does not answer")
)

// Error is an error of an engine: SQL that does not compile, a constraint that does not hold, a damaged file.
type Error struct {
	Code int // the engine's result code, if that is a number
	Msg  string
	IO   bool // reading or writing failed, or the server is gone: nothing is wrong with the SQL
}

// Error implements [error].
func (e *Error) Error() string { return e.Msg }

// Limits bound a query. A field that is zero has the value of [DefaultLimits], Steps
// that are zero are not counted.
type Limits struct {
	Time  time.Duration // wall-clock time
	Steps int           // of the engine's virtual machine, if it has one, to the next thousand; unlike time the same on every machine
	Rows  int           // rows of the answer
	Bytes int64         // memory of the answer; any one value or row takes at most that, and 256 KiB
	Work  int64         // memory of the engine on the way to the answer, in bytes
}

// DefaultLimits are generous for the data sets that are published.
var DefaultLimits = Limits{Time: 10 * time.Second, Rows: 200_000, Bytes: 128 << 20, Work: 256 << 20}

// OrDefault returns l with the values of [DefaultLimits] for fields that are not positive; Steps stays 0.
func (l Limits) OrDefault() Limits {
	return Limits{
		Steps: max(l.Steps, 0),
		Time:  cmp.Or(max(l.Time, 0), DefaultLimits.Time),
		Rows:  cmp.Or(max(l.Rows, 0), DefaultLimits.Rows),
		Bytes: cmp.Or(max(l.Bytes, 0), DefaultLimits.Bytes),
		Work:  cmp.Or(max(l.Work, 0), DefaultLimits.Work),
	}
}
