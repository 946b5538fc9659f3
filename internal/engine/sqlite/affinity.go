package sqlite

import "strings"

// Affinity is the type affinity of SQLite: it determines how a column stores values.
type Affinity string

// The affinities.
const (
	TextAffinity    Affinity = "TEXT"
	NumericAffinity Affinity = "NUMERIC"
	IntegerAffinity Affinity = "INTEGER"
	RealAffinity    Affinity = "REAL"
	BlobAffinity    Affinity = "BLOB" // everything is stored as it comes
)

// AffinityOf returns the affinity of a column by its declared type: SQLite looks for
// these parts, in this order.
func AffinityOf(declared string) Affinity {
	declared = strings.ToUpper(declared)
	if declared == "" {
		return BlobAffinity
	}
	for _, rule := range []struct {
		part string
		Affinity
	}{
		{"INT", IntegerAffinity},
		{"CHAR", TextAffinity}, {"CLOB", TextAffinity}, {"TEXT", TextAffinity},
		{"BLOB", BlobAffinity},
		{"REAL", RealAffinity}, {"FLOA", RealAffinity}, {"DOUB", RealAffinity},
	} {
		if strings.Contains(declared, rule.part) {
			return rule.Affinity
		}
	}
	return NumericAffinity
}
