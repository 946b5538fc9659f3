package dataset

import (
	"encoding/json"
	"slices"
	"strings"
)

// selectMembers returns a JSON object with only the given keys, to save decoding the others:
// nine tenths of Spider's files are parsed SQL. "sql" is kept only if it is a text, the gold SQL
// of some data sets; in Spider it is the parsed form. Text that is no single object is returned
// unchanged, so that the decoder reports it.
//
// other, which may be nil, is called for each other member except "sql". Its value is a part of
// raw.
func selectMembers(raw []byte, other func(key string, value []byte), names ...string) []byte {
	out := []byte{'{'}
	at := skipBlanks(raw, 0)
	if at == len(raw) || raw[at] != '{' {
		return raw
	}
	for at = skipBlanks(raw, at+1); at < len(raw) && raw[at] == '"'; {
		key := at
		at = endOfValue(raw, key)
		name := raw[key:at]
		at = skipBlanks(raw, at)
		if at == len(raw) || raw[at] != ':' {
			return raw
		}
		start := skipBlanks(raw, at+1)
		at = endOfValue(raw, start)
		if at == start {
			return raw
		}
		plain := unquote(name)
		sql := strings.EqualFold(plain, "sql")
		switch {
		case isSelected(plain, names) && (raw[start] == '"' || !sql):
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(out, name...), ':'), raw[start:at]...)
		case other != nil && !sql:
			other(plain, raw[start:at])
		}
		at = skipBlanks(raw, at)
		if at == len(raw) {
			return raw
		}
		if raw[at] == '}' {
			if skipBlanks(raw, at+1) != len(raw) {
				return raw
			}
			return append(out, '}')
		}
		if raw[at] != ',' {
			return raw
		}
		at = skipBlanks(raw, at+1)
	}
	return raw
}

// unquote returns the text of a JSON key that has quotes.
func unquote(key []byte) string {
	plain := string(key[1:max(len(key)-1, 1)])
	if strings.IndexByte(plain, '\\') >= 0 {
		var s string
		if json.Unmarshal(key, &s) == nil {
			return s
		}
	}
	return plain
}

// isSelected reports whether a key is one of the names. Like encoding/json, it ignores case.
func isSelected(key string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, key) })
}

// skipBlanks returns the index of the first byte from at on that is no blank.
func skipBlanks(raw []byte, at int) int {
	for at < len(raw) && isBlank(raw[at]) {
		at++
	}
	return at
}

// endOfValue returns the index after the JSON value that begins at an index.
func endOfValue(raw []byte, at int) int {
	if at == len(raw) {
		return at
	}
	switch raw[at] {
	case '"':
		return at + 1 + (&spanState{inString: true}).endIn(raw[at+1:])
	case '{', '[':
		return at + 1 + (&spanState{depth: 1}).endIn(raw[at+1:])
	}
	for at < len(raw) && !isBlank(raw[at]) && strings.IndexByte(`,:]}[{"`, raw[at]) < 0 {
		at++
	}
	return at
}
