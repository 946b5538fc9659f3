package defence

import "image/color"

// shades tell the sets of a drawing apart, also in print.
var shades = []color.Color{color.Gray{60}, color.RGBA{70, 120, 180, 255}, color.RGBA{220, 140, 60, 255}, color.RGBA{120, 170, 110, 255}}
