package execution

import "strings"

// normal returns a form that is equal for queries that differ only in blanks and in the case of
// names and keywords. Predictions often differ from the gold only in that, and then need not run
// again. A text with comments is returned unchanged.
func normal(sql string) string {
	if strings.Contains(sql, "--") || strings.Contains(sql, "/*") {
		return sql
	}
	var b strings.Builder
	b.Grow(len(sql))
	var last byte = '(' // the byte before; at first one after which blanks go
	blank := false
	for i := 0; i < len(sql); {
		c := sql[i]
		if strings.IndexByte(" \t\n\r\f", c) >= 0 {
			blank = true
			i++
			continue
		}
		if blank && !ignoresBlanks(last) && !ignoresBlanks(c) {
			b.WriteByte(' ')
		}
		blank = false
		end := i + 1
		if quote := closingQuote(c); quote != 0 {
			for end < len(sql) && sql[end] != quote {
				end++
			}
			end = min(end+1, len(sql))
			b.WriteString(sql[i:end])
		} else {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			b.WriteByte(c)
		}
		last, i = sql[end-1], end
	}
	return b.String()
}

// ignoresBlanks reports whether blanks next to a character have no meaning: brackets and commas.
func ignoresBlanks(c byte) bool { return strings.IndexByte("(),", c) >= 0 }

// closingQuote returns the byte that ends the string or quoted name that c begins, or 0 for others. A
// doubled quote within ends it and begins the next, which has the same effect.
func closingQuote(c byte) byte {
	switch c {
	case '\'', '"', '`':
		return c
	case '[':
		return ']'
	}
	return 0
}
