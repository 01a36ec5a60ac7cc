/**
 * White space as Unicode defines it, the same on every platform.
 *
 * JavaScript's own `trim` and `\s` do not include U+0085, and include U+FEFF, which is no white space.
 *
 * @source Unicode Character Database, PropList.txt, White_Space
 */

const isSpace = (unit: number): boolean =>
  (unit >= 0x09 && unit <= 0x0d) ||
  unit === 0x20 ||
  unit === 0x85 ||
  unit === 0xa0 ||
  unit === 0x1680 ||
  (unit >= 0x2000 && unit <= 0x200a) ||
  unit === 0x2028 ||
  unit === 0x2029 ||
  unit === 0x202f ||
  unit === 0x205f ||
  unit === 0x3000

/** Tells whether a text has white space anywhere. */
export const isIn = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (isSpace(text.charCodeAt(at))) return true
  return false
}

/** Text with one space for each run of white space, and none at the ends. */
export const collapse = (text: string): string => {
  let collapsed = ""
  let isParted = false
  for (const letter of trim(text)) {
    const isPart = isSpace(letter.charCodeAt(0))
    if (!isPart) collapsed += letter
    else if (!isParted) collapsed += " "
    isParted = isPart
  }
  return collapsed
}

/** Text without white space at the ends. */
export const trim = (text: string): string => {
  let from = 0
  let to = text.length
  while (from < to && isSpace(text.charCodeAt(from))) from++
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}
