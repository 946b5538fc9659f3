package dataset

import (
	"bytes"
	"slices"
	"strings"
)

// members returns a JSON object with only the members of these names, so that
// decoding need not go through the others: nine tenths of Spider's files are parsed
// SQL. Of a member "sql" only text is wanted: it is gold SQL in some data sets, and in
// Spider a parsed form. What is no object, or not quite one, is returned as it is,
// for the decoder to say so.
func members(raw []byte, names ...string) []byte {
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
		if wanted(name, names) && (raw[start] == '"' || !strings.EqualFold(string(name), `"sql"`)) {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(out, name...), ':'), raw[start:at]...)
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

// wanted tells whether a key, in quotes, is one of the names as encoding/json sees
// it: in any case, and with any character escaped.
func wanted(key []byte, names []string) bool {
	return bytes.IndexByte(key, '\\') >= 0 ||
		slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, string(key[1:max(len(key)-1, 1)])) })
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
