package dataset

import (
	"encoding/json"
	"slices"
	"strings"
)

// members returns a JSON object with only the members of the given names, to save decoding the
// others: nine tenths of Spider's files are parsed SQL. A member "sql" is included only if it is a
// text: that is gold SQL in some data sets, while Spider has a parsed form. Text that is not
// exactly one object is returned unchanged, for the decoder to report. other, which may be nil, is
// called for each member with another name, except "sql"; its bytes are part of raw.
func members(raw []byte, other func(key string, value []byte), names ...string) []byte {
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
		case wanted(plain, names) && (raw[start] == '"' || !sql):
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

// unquote returns a key without its quotes and escapes.
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

// wanted reports whether a key is one of the names, ignoring case like encoding/json.
func wanted(key string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, key) })
}

// skipBlanks returns the position of the next byte that is no blank.
func skipBlanks(raw []byte, at int) int {
	for at < len(raw) && isBlank(raw[at]) {
		at++
	}
	return at
}

// endOfValue returns where the value that begins at a position ends.
func endOfValue(raw []byte, at int) int {
	if at == len(raw) {
		return at
	}
	switch raw[at] {
	case '"':
		return at + 1 + (&spanState{inString: true}).sweep(raw[at+1:])
	case '{', '[':
		return at + 1 + (&spanState{depth: 1}).sweep(raw[at+1:])
	}
	for at < len(raw) && !isBlank(raw[at]) && strings.IndexByte(`,:]}[{"`, raw[at]) < 0 {
		at++
	}
	return at
}
