/**
 * White space as Unicode defines it, the same on every platform.
 *
 * JavaScript's own `trim` leaves U+0085 and takes U+FEFF, which is none.
 *
 * @source Unicode Character Database, PropList.txt, White_Space
 * @since 0.1.0
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

/** Text without white space at either end. */
export const trim = (text: string): string => {
  let from = 0
  let to = text.length
  while (from < to && isSpace(text.charCodeAt(from))) from++
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}
