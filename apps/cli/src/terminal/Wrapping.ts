/**
 * Text in lines of a given width: broken between words, measured as a terminal shows it, with its styles on every
 * line.
 *
 * A wide character takes two columns and a combining one none, so lengths are those of the display and not of the
 * string.
 */
import stringWidth from "string-width"

/** The columns that text takes on a terminal, without escape sequences. */
export const width = (text: string): number => (isPlain(text) ? text.length : stringWidth(text))

/**
 * Breaks a line into lines with at most the given number of columns. A longer word is broken, and nothing is dropped.
 */
export const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  if (width(text) <= columns) return [text]
  const most = Math.max(1, columns)
  const lines: Array<string> = []
  let rest = glyphs(text)
  while (rest.length > 0) {
    const end = fitting(rest, most)
    if (end === rest.length) break
    const space = rest.findLastIndex(({ shown }, index) => shown === " " && index > 0 && index <= end)
    const [until, from] = space > 0 ? [space, space + 1] : [end, end]
    lines.push(render(rest.slice(0, until)))
    rest = rest.slice(from)
  }
  return rest.length > 0 || lines.length === 0 ? [...lines, render(rest)] : lines
}

/** Cuts a line to a number of columns. A cut line ends with "…". */
export const cut = (text: string, columns: number): string => {
  if (width(text) <= columns) return text
  const all = glyphs(text)
  const kept = all.slice(0, fitting(all, Math.max(0, columns - 1)))
  return render([...kept, { shown: "…", columns: 1, styles: kept.at(-1)?.styles ?? [] }])
}

/** A glyph on the screen, with the escape sequences that are open at its place. */
interface Glyph {
  readonly shown: string
  readonly columns: number
  readonly styles: ReadonlyArray<string>
}

/** Counts the glyphs that fit: at least one, so that every line makes progress. */
const fitting = (all: ReadonlyArray<Glyph>, columns: number): number => {
  let used = 0
  const end = all.findIndex((glyph, index) => {
    used += glyph.columns
    return used > columns && index > 0
  })
  return end < 0 ? all.length : end
}

const isPlain = (text: string): boolean => /^[\u0020-\u007e]*$/.test(text)

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const sequence = /(\u001b\[[0-9;]*m)/

const glyphs = (text: string): ReadonlyArray<Glyph> => {
  let styles: ReadonlyArray<string> = []
  return text.split(sequence).flatMap((part): ReadonlyArray<Glyph> => {
    if (sequence.test(part)) {
      styles = ending(part) === undefined ? styles.slice(0, -1) : [...styles, part]
      return []
    }
    if (isPlain(part)) return [...part].map((shown) => ({ shown, columns: 1, styles }))
    return [...segmenter.segment(part)].map(({ segment }) => ({ shown: segment, columns: width(segment), styles }))
  })
}

/** The sequence that ends a style; `undefined` for a sequence that begins none. */
const ending = (opening: string): string | undefined => {
  const code = Number(/\d+/.exec(opening)?.[0] ?? 0)
  const end = code === 1 || code === 2 ? 22 : code >= 30 && code <= 37 ? 39 : undefined
  return end === undefined ? undefined : opening.replace(/\d+/, String(end))
}

const render = (line: ReadonlyArray<Glyph>): string => {
  let open: ReadonlyArray<string> = []
  const close = () => open.toReversed().map(ending).join("")
  const text = line.map(({ shown, styles }) => {
    if (styles.join() === open.join()) return shown
    const change = close() + styles.join("")
    open = styles
    return change + shown
  })
  return text.join("").trimEnd() + close()
}
