package sqldata

import "testing"

func TestValueString(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want string
	}{
		{Value{}, "NULL"}, {NewInt(-3), "-3"}, {NewFloat(2), "2.0"}, {NewFloat(0.1), "0.1"}, {NewFloat(1e300), "1e+300"}, {NewFloat(nan), "NULL"},
		{NewText("a"), "a"}, {NewText("M\xfcc \x80"), "Müc €"}, {NewBlob("\x01\xab"), "X'01AB'"},
	} {
		if got := c.v.String(); got != c.want {
			t.Errorf("got %q, expected %q", got, c.want)
		}
	}
}
