/**
 * Plots as SVG text: lines, points with error bars, bars, heatmaps and rows of tiles.
 *
 * A plot is made from numbers alone, and the same numbers make the same text.
 */

/** A point of a series; `spread` is the half height of its error bar. */
export interface Point {
  readonly x: number
  readonly y: number
  readonly spread?: number | undefined
}

/** The named points of one series. */
export interface Series {
  readonly name: string
  readonly points: ReadonlyArray<Point>
}

/** Labels of a plot. */
export interface Labels {
  readonly title: string
  readonly x: string
  readonly y: string
}

/** A group of bars, one for each series, each made of parts from the bottom up. */
export interface Group {
  readonly name: string
  readonly bars: ReadonlyArray<ReadonlyArray<number>>
}

/** A row of a heatmap or of tiles. */
export interface Row<A> {
  readonly name: string
  readonly cells: ReadonlyArray<A>
}

/** A tile: its colour, and one or two letters. */
export interface Tile {
  readonly colour: string
  readonly text: string
}

/** Colours that people with other colour vision can tell apart. */
export const colours = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#e69f00",
  "#56b4e9",
  "#7f7f7f",
  "#8c564b",
  "#000000",
  "#b5bd00"
] as const

const frame = { width: 720, height: 400, left: 70, right: 210, top: 44, bottom: 56 } as const
const inner = { width: frame.width - frame.left - frame.right, height: frame.height - frame.top - frame.bottom }

/** Draws series as lines. */
export const lines = (labels: Labels, series: ReadonlyArray<Series>): string => xy(labels, series, true)

/** Draws series as points. */
export const points = (labels: Labels, series: ReadonlyArray<Series>): string => xy(labels, series, false)

/** Draws groups of bars. `names` are those of the parts of a bar from below, or of the bars, if each has one part. */
export const bars = (labels: Labels, names: ReadonlyArray<string>, groups: ReadonlyArray<Group>): string => {
  const top = Math.max(1e-9, ...groups.flatMap(({ bars }) => bars.map((bar) => sum(bar))))
  const scale = scaleOf(0, top, frame.top + inner.height, frame.top)
  const band = inner.width / Math.max(1, groups.length)
  const drawn = groups.flatMap(({ bars, name }, group) => {
    const width = (band * 0.8) / Math.max(1, bars.length)
    const left = frame.left + group * band + band * 0.1
    const boxes = bars.flatMap((bar, place) =>
      bar.map((value, part) => {
        const below = sum(bar.slice(0, part))
        const [low, high] = [scale.at(below), scale.at(below + value)]
        const fill = colourOf(bar.length === 1 ? place : part)
        return box({ x: left + place * width, y: high, width: width - 1, height: low - high, fill })
      })
    )
    // Neighbours stand in two lines, so that long names do not run into one another.
    const line = frame.top + inner.height + 16 + (group % 2) * 13
    return [...boxes, text(left + band * 0.4, line, name, "middle", 10)]
  })
  return svg(labels.title, frame, [...axes(labels, undefined, scale), ...drawn, ...legend(names)])
}

/** Draws values as shades between the least and the most; each cell shows its number. */
export const heatmap = (title: string, columns: ReadonlyArray<string>, rows: ReadonlyArray<Row<number>>): string => {
  const values = rows.flatMap(({ cells }) => cells)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const cell = { width: 104, height: 30, left: 170, top: 76 }
  const drawn = rows.flatMap(({ cells, name }, row) => [
    text(cell.left - 8, cell.top + row * cell.height + 20, name, "end"),
    ...cells.flatMap((value, column) => {
      const share = most > least ? (value - least) / (most - least) : 0
      const [x, y] = [cell.left + column * cell.width, cell.top + row * cell.height]
      const shade = Math.round(255 - 150 * share)
      return [
        box({ x, y, width: cell.width - 2, height: cell.height - 2, fill: `rgb(${shade},${shade},255)` }),
        text(x + cell.width / 2, y + 20, short(value), "middle")
      ]
    })
  ])
  const heads = columns.map((name, column) =>
    text(cell.left + (column + 0.5) * cell.width, cell.top - 10, name, "middle", 11)
  )
  const height = cell.top + rows.length * cell.height + 20
  return svg(title, { width: cell.left + columns.length * cell.width + 20, height }, [...heads, ...drawn])
}

/** Draws rows of tiles, such as the steps of a run. `key` explains the colours. */
export const tiles = (
  title: string,
  rows: ReadonlyArray<Row<Tile>>,
  key: ReadonlyArray<Row<Tile>["cells"][number]>
): string => {
  const cell = { width: 24, height: 30, left: 170, top: 56 }
  const tile = (x: number, y: number, { colour, text: letters }: Tile) => [
    box({ x, y, width: cell.width - 2, height: cell.height - 6, fill: colour }),
    text(x + cell.width / 2 - 1, y + 16, letters, "middle", 10)
  ]
  const drawn = rows.flatMap(({ cells, name }, row) => [
    text(cell.left - 8, cell.top + row * cell.height + 17, name, "end"),
    ...cells.flatMap((each, column) => tile(cell.left + column * cell.width, cell.top + row * cell.height, each))
  ])
  const below = cell.top + rows.length * cell.height + 14
  const explained = key.flatMap(({ colour, text: words }, index) => [
    box({ x: 20 + index * 150, y: below, width: 14, height: 14, fill: colour }),
    text(40 + index * 150, below + 12, words, "start", 11)
  ])
  const longest = Math.max(...rows.map(({ cells }) => cells.length), 1)
  const width = Math.max(cell.left + longest * cell.width + 20, 20 + key.length * 150)
  return svg(title, { width, height: below + 30 }, [...drawn, ...explained])
}

const xy = (labels: Labels, series: ReadonlyArray<Series>, isJoined: boolean): string => {
  const all = series.flatMap(({ points }) => points)
  const ys = all.flatMap(({ spread = 0, y }) => [y - spread, y + spread])
  const xs = all.map(({ x }) => x)
  const across = scaleOf(Math.min(0, ...xs), Math.max(...xs, 1e-9), frame.left, frame.left + inner.width)
  const up = scaleOf(Math.min(0, ...ys), Math.max(...ys, 1e-9), frame.top + inner.height, frame.top)
  const drawn = series.flatMap(({ points }, index) => {
    const fill = colourOf(index)
    const marks = points.flatMap(({ spread, x, y }) => {
      const [at, high] = [across.at(x), up.at(y)]
      const bar = spread === undefined ? [] : [stroke([at, up.at(y - spread)], [at, up.at(y + spread)], fill)]
      return [...bar, `<circle cx="${place(at)}" cy="${place(high)}" r="4" fill="${fill}"/>`]
    })
    const joined = points.map(({ x, y }) => `${place(across.at(x))},${place(up.at(y))}`).join(" ")
    return isJoined ? [`<polyline points="${joined}" fill="none" stroke="${fill}" stroke-width="2"/>`, ...marks] : marks
  })
  const names = legend(series.map(({ name }) => name))
  return svg(labels.title, frame, [...axes(labels, across, up), ...drawn, ...names])
}

/** A scale from values to places, with about five round marks. */
interface Scale {
  readonly at: (value: number) => number
  readonly marks: ReadonlyArray<number>
}

const scaleOf = (least: number, most: number, from: number, to: number): Scale => {
  const rough = (most - least || 1) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10)
  const [low, high] = [Math.floor(least / step) * step, Math.ceil(most / step) * step]
  const span = high - low || 1
  const marks = Array.from({ length: Math.round(span / step) + 1 }, (_, index) => low + index * step)
  return { at: (value) => from + ((value - low) / span) * (to - from), marks }
}

const axes = ({ x, y }: Labels, across: Scale | undefined, up: Scale): ReadonlyArray<string> => {
  const [right, bottom] = [frame.left + inner.width, frame.top + inner.height]
  return [
    ...up.marks.flatMap((mark) => [
      stroke([frame.left, up.at(mark)], [right, up.at(mark)], "#dddddd"),
      text(frame.left - 8, up.at(mark) + 4, short(mark), "end", 11)
    ]),
    ...(across?.marks ?? []).map((mark) => text(across?.at(mark) ?? 0, bottom + 18, short(mark), "middle", 11)),
    stroke([frame.left, bottom], [right, bottom], "#000000"),
    text(frame.left + inner.width / 2, bottom + 42, x, "middle"),
    `<g transform="rotate(-90)">${text(-(frame.top + inner.height / 2), 18, y, "middle")}</g>`
  ]
}

const legend = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.flatMap((name, index) => {
    const [x, y] = [frame.left + inner.width + 16, frame.top + index * 20]
    return [box({ x, y, width: 12, height: 12, fill: colourOf(index) }), text(x + 18, y + 10, name, "start", 12)]
  })

const text = (x: number, y: number, words: string, anchor: "end" | "middle" | "start", size = 12): string =>
  `<text x="${place(x)}" y="${place(y)}" text-anchor="${anchor}" font-size="${size}">${escaped(words)}</text>`

const box = (at: Readonly<Record<"height" | "width" | "x" | "y", number>> & { readonly fill: string }): string =>
  `<rect x="${place(at.x)}" y="${place(at.y)}" width="${place(at.width)}" height="${place(at.height)}" fill="${at.fill}"/>`

const stroke = (from: readonly [number, number], to: readonly [number, number], colour: string): string =>
  `<line x1="${place(from[0])}" y1="${place(from[1])}" x2="${place(to[0])}" y2="${place(to[1])}" stroke="${colour}"/>`

const svg = (
  title: string,
  { height, width }: { readonly height: number; readonly width: number },
  parts: ReadonlyArray<string>
): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(20, 24, title, "start", 15),
    ...parts,
    "</svg>\n"
  ].join("\n")

const colourOf = (index: number): string => colours[index % colours.length] ?? colours[0]

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, each) => total + each, 0)

const place = (value: number): string => String(Number(value.toFixed(2)))

const short = (value: number): string => String(Number(value.toFixed(2)))

const escaped = (words: string): string =>
  words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
