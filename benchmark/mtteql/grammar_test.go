package mtteql

import "testing"

// TestGrammar reads all patterns, which are else read when they are first used.
func TestGrammar(*testing.T) { grammar.Check() }
