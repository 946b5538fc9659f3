package compact

import "testing"

func TestColumns(t *testing.T) {
	for _, tt := range []struct{ premise, hypothesis, a, b string }{
		{"dog name (text)", "dog title (text)", "name", "title"},
		{"name (text)", "title (number)", "name", "title"},
		{"name", "title", "name", "title"},
		{"dog breed name (text)", "dog breed code (text)", "name", "code"},
		{"student name (text)", "student name of student (text)", "name", "name of student"},
		{"dog name (text)", "dog name (number)", "dog name", "dog name"},
		{"Dog name", "dog title", "name", "title"},
		{"height (m) (number)", "weight (kg) (number)", "height (m)", "weight (kg)"},
		{"height (m)", "weight", "height (m)", "weight"},
		{"(text)", "(text)", "", ""},
		{"", "name", "", "name"},
		{"  dog   name\t(time) ", "dog age", "name", "age"},
	} {
		a, b := Columns(tt.premise, tt.hypothesis)
		if a != tt.a || b != tt.b {
			t.Errorf("Columns(%q, %q) = %q, %q; expected %q, %q", tt.premise, tt.hypothesis, a, b, tt.a, tt.b)
		}
		b, a = Columns(tt.hypothesis, tt.premise)
		if a != tt.a || b != tt.b {
			t.Errorf("Columns(%q, %q) = %q, %q; expected %q, %q", tt.hypothesis, tt.premise, b, a, tt.b, tt.a)
		}
	}
}

func FuzzColumns(f *testing.F) {
	f.Add("dog name (text)", "dog title (text)")
	f.Add("", "(text)")
	f.Fuzz(func(t *testing.T, x, y string) {
		a, b := Columns(x, y)
		d, c := Columns(y, x)
		if a != c || b != d {
			t.Errorf("Columns(%q, %q) = %q, %q; swapped %q, %q", x, y, a, b, c, d)
		}
	})
}
