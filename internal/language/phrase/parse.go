package phrase

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

// unbounded is more than a sentence has words.
const unbounded = 1 << 20

// Grammar is named patterns, which others use like the classes of a Text.
type Grammar struct {
	anchors []string
	classes map[string]bool
	named   map[string]sequence
	define  func() // reads the definitions, once

	mu    sync.Mutex
	musts []*Pattern // those of Must
}

// NewGrammar returns the grammar of a text with one definition a line, as in
//
//	BE: is|are|was|were
//
// where # begins a comment. A definition may use those above it and the classes.
// Anchors are names for the words that Pattern.On is given.
func NewGrammar(text string, anchors, classes []string) (*Grammar, error) {
	g := newGrammar(anchors, classes)
	return g, g.read(text)
}

func newGrammar(anchors, classes []string) *Grammar {
	g := &Grammar{anchors: anchors, classes: map[string]bool{}, named: map[string]sequence{}, define: func() {}}
	for _, c := range classes {
		g.classes[c] = true
	}
	return g
}

func (g *Grammar) read(text string) error {
	for line := range wordfile.Lines(text) {
		name, pattern, ok := strings.Cut(line, ": ")
		if !ok {
			return fmt.Errorf("pattern %q has no name, expected NAME: PATTERN", line)
		}
		p := newParser(g, pattern)
		p.depth++ // other patterns will contain it
		if g.named[name] = p.all(); p.err != nil {
			return fmt.Errorf("%s: %w", name, p.err)
		}
	}
	return nil
}

// MustGrammar is NewGrammar for grammars that are part of the program. They and their
// patterns are read when they are first used: most commands use none.
func MustGrammar(text string, anchors, classes []string) *Grammar {
	g := newGrammar(anchors, classes)
	g.define = sync.OnceFunc(func() {
		if err := g.read(text); err != nil {
			panic("phrase: " + err.Error())
		}
	})
	return g
}

// Must is Parse for patterns that are part of the program.
func (g *Grammar) Must(pattern string) *Pattern {
	p := &Pattern{sync.OnceValue(func() parsed {
		p, err := g.parse(pattern)
		if err != nil {
			panic("phrase: " + err.Error())
		}
		return p
	})}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.musts = append(g.musts, p)
	return p
}

// Check reads all patterns that Must was given, for tests: it panics on one that is wrong.
func (g *Grammar) Check() {
	for _, p := range g.musts {
		p.read()
	}
}

// Parse reads a pattern.
func (g *Grammar) Parse(pattern string) (*Pattern, error) {
	p, err := g.parse(pattern)
	return &Pattern{func() parsed { return p }}, err
}

func (g *Grammar) parse(pattern string) (parsed, error) {
	g.define()
	p := newParser(g, pattern)
	elements := p.all()
	at := slices.IndexFunc(elements, func(e element) bool {
		_, ok := e.(anchor)
		return ok
	})
	return parsed{elements, at}, p.err
}

// Symbols are brackets with what belongs to them, the signs between elements, and
// elements of one word.
var symbols = lazyregexp.New(`!?(?:[a-zA-Z]+=)?\(|\)(?:[?*+]|\{\d,\d\})?|[\[\]/]|[^\s\[\]()/]+`)

// An element is a sign, a name, a word or an open bracket, and how often it comes.
var elementParts = lazyregexp.New(`^(!?)(?:([a-zA-Z]+)=)?(.+?)([?*+]|\{\d,\d\})?$`)

// The name of a class or pattern, and classes that are joined.
var (
	class   = lazyregexp.New(`^[A-Z]+$`)
	classes = lazyregexp.New(`^[A-Z]+(?:&!?[A-Z]+)*$`)
)

type parser struct {
	*Grammar
	pattern string
	symbols []string // those that are left; the last is empty
	depth   int      // of brackets
	err     error
}

func newParser(g *Grammar, pattern string) *parser {
	return &parser{Grammar: g, pattern: pattern, symbols: append(symbols.FindAllString(pattern, -1), "")}
}

// all reads the whole pattern.
func (p *parser) all() sequence {
	s := p.choice()
	if rest := p.take(); rest != "" {
		p.fail("%q closes nothing", rest)
	}
	return s
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("pattern %q: "+format, append([]any{p.pattern}, args...)...)
	}
}

// take returns the symbol at hand and goes on to the next.
func (p *parser) take() string {
	s := p.symbols[0]
	if s != "" {
		p.symbols = p.symbols[1:]
	}
	return s
}

// choice reads sequences up to a closing bracket or the end.
func (p *parser) choice() sequence {
	all := choice{p.sequence()}
	for p.symbols[0] == "/" {
		p.take()
		all = append(all, p.sequence())
	}
	if len(all) == 1 {
		return all[0]
	}
	return sequence{all}
}

func (p *parser) sequence() (out sequence) {
	for {
		switch s := p.symbols[0]; {
		case s == "", s == "/", s[0] == ')':
			return out
		case s == "[", s == "]":
			out = append(out, mark{s == "]"})
		case s == "^", s == "$":
			out = append(out, edge{s == "$"})
		default:
			out = append(out, p.element(p.depth == 0 && len(out) == 0))
			continue
		}
		p.take()
	}
}

func (p *parser) element(first bool) (e element) {
	parts := elementParts.FindStringSubmatch(p.take())
	sign, name, text, times := parts[1], parts[2], parts[3], parts[4]
	if head, traits, _ := strings.Cut(text, "&"); slices.Contains(p.anchors, head) {
		return anchor{p.term(traits), head}
	}
	if text == "(" {
		p.depth++
		e = p.choice()
		p.depth--
		var closed bool
		if times, closed = strings.CutPrefix(p.take(), ")"); !closed {
			p.fail("a bracket is open")
		}
	} else {
		e = p.word(text)
		if name == "" && class.MatchString(text) {
			name = text
		}
	}
	switch times {
	case "":
	case "?":
		e = repeat{e, 0, 1}
	case "*":
		e = repeat{e, 0, unbounded}
	case "+":
		e = repeat{e, 1, unbounded}
	default:
		e = repeat{e, int(times[1] - '0'), int(times[3] - '0')}
	}
	if name != "" {
		e = named{e, name}
	}
	if sign != "" {
		e = not{e, first}
	}
	return e
}

// word reads alternatives of one word, or the name of a pattern.
func (p *parser) word(text string) element {
	if s, ok := p.named[text]; ok {
		return s
	}
	var out word
	for alternative := range strings.SplitSeq(text, "|") {
		s, ok := p.named[alternative]
		switch {
		case ok && len(s) == 1:
			list, isList := s[0].(word)
			if !isList {
				p.fail("%s is more than a list of words", alternative)
			}
			out = append(out, list...)
		case classes.MatchString(alternative):
			out = append(out, p.term(alternative))
		default:
			out = append(out, term{word: alternative})
		}
	}
	return out
}

// term reads classes joined by "&".
func (p *parser) term(text string) (t term) {
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '&' }) {
		name, other := strings.CutPrefix(name, "!")
		if !p.classes[name] {
			p.fail("no class %s", name)
		}
		if other {
			t.otherThan = append(t.otherThan, name)
		} else {
			t.class = append(t.class, name)
		}
	}
	return t
}
