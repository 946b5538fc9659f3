package sqldata

import "strings"

// IsSelect reports whether the first word of sql is one that begins a query.
func IsSelect(sql string) bool {
	sql = SkipBlank(sql)
	end := strings.IndexFunc(sql, func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' }) // |0x20 makes a letter lower case
	if end < 0 {
		end = len(sql)
	}
	switch strings.ToUpper(sql[:end]) {
	case "SELECT", "WITH", "VALUES":
		return true
	}
	return false
}

// SkipBlank returns sql without the blanks, semicolons and comments that it
// begins with.
func SkipBlank(sql string) string {
	for {
		sql = strings.TrimLeft(sql, " \t\n\r\f;")
		var end string
		switch {
		case strings.HasPrefix(sql, "--"):
			end = "\n"
		case strings.HasPrefix(sql, "/*"):
			end = "*/"
		default:
			return sql
		}
		_, rest, found := strings.Cut(sql[2:], end)
		if !found { // the comment goes on to the end
			return ""
		}
		sql = rest
	}
}
