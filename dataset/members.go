package dataset

import (
	"encoding/json"
	"slices"
	"strings"
)

// members returns a JSON object with only the members of these names, so that
// decoding need not go through the others: nine tenths of Spider's files are parsed
// SQL. Of a member "sql" only text is wanted: it is gold SQL in some data sets, and in
// Spider a parsed form. What is no object, or not quite one, is returned as it is,
// for the decoder to say so. The other function, which may be nil, is told of each member
// that has none of the names, sql in any form being one; the bytes are those of raw.
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

// wanted tells whether a key is one of the names as encoding/json sees it: in any case.
func wanted(key string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, key) })
}

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
