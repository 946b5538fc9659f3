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
	anchors []string            // names of anchors
	classes map[string]bool     // names of classes
	named   map[string]sequence // the definitions by name
	define  func()              // reads the definitions at the first call

	mu    sync.Mutex
	musts []*Pattern // all patterns, for Check
}

// read parses the definitions of a grammar, which may use those above them.
func (g *Grammar) read(text string) error {
	for line := range wordfile.Lines(text) {
		name, pattern, ok := strings.Cut(line, ": ")
		if !ok {
			return fmt.Errorf("pattern %q has no name, expected NAME: PATTERN", line)
		}
		p := newParser(g, pattern)
		p.depth++ // as in brackets: other patterns contain it, so that its first element is not theirs
		if g.named[name] = p.all(); p.err != nil {
			return fmt.Errorf("%s: %w", name, p.err)
		}
	}
	return nil
}

// MustGrammar returns the grammar of a text with one definition per line, as in
//
//	BE: is|are|was|were
//
// where # begins a comment. A definition may use those above it and the classes. Anchors are names for
// the words that [Pattern.On] is given. The grammar is part of the program: it and its patterns are read
// when they are first used, as most commands use none, and a wrong one panics.
func MustGrammar(text string, anchors, classes []string) *Grammar {
	g := &Grammar{anchors: anchors, classes: wordfile.Set(classes), named: map[string]sequence{}}
	g.define = sync.OnceFunc(func() {
		if err := g.read(text); err != nil {
			panic("phrase: " + err.Error())
		}
	})
	return g
}

// Must returns a pattern that is part of the program. It is parsed when it is first used, and a wrong one
// panics then; [Grammar.Check] parses all at once.
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

// parse reads the definitions of the grammar and then a pattern, and finds its anchor.
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

// symbols matches a symbol of a pattern: a bracket with its sign, name or repetition, one of [ ] and /,
// or an element of one word.
var symbols = lazyregexp.New(`!?(?:[a-zA-Z]+=)?\(|\)(?:[?*+]|\{\d,\d\})?|[\[\]/]|[^\s\[\]()/]+`)

// elementParts matches a symbol and captures its sign, name, word or open bracket, and repetition.
var elementParts = lazyregexp.New(`^(!?)(?:([a-zA-Z]+)=)?(.+?)([?*+]|\{\d,\d\})?$`)

// class matches the name of a class or pattern, classes one or several names of classes joined by "&".
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

// newParser returns a parser of a pattern, which may use the names of g.
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

// fail stores the first error of the pattern.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("pattern %q: "+format, append([]any{p.pattern}, args...)...)
	}
}

// take returns the next symbol and moves past it; "" at the end of the pattern.
func (p *parser) take() string {
	s := p.symbols[0]
	if s != "" {
		p.symbols = p.symbols[1:]
	}
	return s
}

// choice reads sequences with "/" between them, up to a closing bracket or the end.
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

// sequence reads elements up to "/", a closing bracket or the end.
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
			out = append(out, p.element(p.depth == 0 && len(out) == 0)) // takes its own symbols
			continue
		}
		p.take()
	}
}

// element reads an element with its sign "!", its name before "=" and its repetition: "?", "*", "+" or "{2,4}". first is
// whether it is the first of the whole pattern, where "!" looks at the words before the phrase.
func (p *parser) element(first bool) (e element) {
	parts := elementParts.FindStringSubmatch(p.take())
	sign, name, text, times := parts[1], parts[2], parts[3], parts[4]
	if head, traits, _ := strings.Cut(text, "&"); slices.Contains(p.anchors, head) { // ANCHOR&A&!B
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
		if name == "" && class.MatchString(text) { // Match.Get finds a class by its own name
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
	default: // "{1,3}"
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

// word reads alternatives of one word, "a|b|CLASS", or the name of a pattern. A pattern among alternatives must be one of words alone.
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
