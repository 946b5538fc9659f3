package perturb

// Relations are all relations.
var Relations = relations

// Ops returns the names of all kinds of edits.
func Ops() (ops []string) {
	for _, k := range kinds {
		ops = append(ops, k.op)
	}
	return ops
}

// Op returns the name of an edit's kind.
func Op(e Edit) string { return kindOf(e).op }
