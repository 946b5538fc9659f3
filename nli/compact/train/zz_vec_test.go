package train

import "github.com/tabperturb/tabperturb/lexicon"

func devVectors() lexicon.Vectors { return lexicon.Default() }
