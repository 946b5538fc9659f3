package phrase

// ParseError returns what is wrong with a pattern.
func (g *Grammar) ParseError(pattern string) error {
	_, err := g.parse(pattern)
	return err
}

// ReadError returns what is wrong with definitions.
func (g *Grammar) ReadError(text string) error { return g.read(text) }
