package dataset

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// selectMembers returns a JSON object with only the given keys, to save decoding the others:
// nine tenths of Spider's files are parsed SQL. "sql" is kept only if it is a text, the gold SQL
// of some data sets; in Spider it is the parsed form. Text that is no single object is returned
// unchanged, so that the decoder reports it.
//
// other, which may be nil, is called for each other member except "sql", with a copy of the bytes of its value.
func selectMembers(raw []byte, other func(key string, value []byte), names ...string) []byte {
	var selected []Member
	s := newSmallScanner(raw)
	err := s.eachMember(func(_ int, key string) (bool, error) {
		value, _, err := s.nextValue() // that the record is UTF-8 was seen when it was read
		isSQL := strings.EqualFold(key, "sql")
		switch {
		case err != nil:
		case isSelected(key, names) && (!isSQL || value[0] == '"'):
			selected = append(selected, Member{key, bytes.Clone(value)})
		case other != nil && !isSQL:
			other(key, bytes.Clone(value))
		}
		return true, err
	})
	if cmp.Or(err, s.expectEnd()) != nil {
		return raw
	}
	object, err := objectJSON(selected)
	if err != nil {
		return raw
	}
	return object
}

// isSelected reports whether a key is one of the names. Like encoding/json, it ignores case.
func isSelected(key string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, key) })
}
