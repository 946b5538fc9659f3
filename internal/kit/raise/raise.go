// Package raise helps recursive code, such as a parser, that reports an error by a panic.
package raise

// Catch turns a panic with an E into the error that err points to; any other panic goes on. It
// must be deferred itself:
//
//	defer raise.Catch[*SyntaxError](&err)
func Catch[E error](err *error) {
	switch p := recover().(type) {
	case nil:
	case E:
		*err = p
	default:
		panic(p)
	}
}
