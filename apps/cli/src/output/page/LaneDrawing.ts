/** Draws the picture of a run as SVG: ticks from left to right, and one lane below the other. */
import { type Html, html } from "./Html.ts"
import type { Lane, Mark, Picture } from "./RunPicture.ts"

/** Pixels of a lane from its top to the next one. */
export const laneHeight = 26

const margin = 14
const middle = laneHeight / 2

/** Pixels of a tick: the more ticks, the fewer. */
const widthOf = ({ from, to }: Picture): number => {
  const ticks = to - from + 1
  return ticks <= 200 ? 18 : ticks <= 1000 ? 9 : 4
}

/** Draws a picture. Each mark links to the row of its tick. */
export const draw = (picture: Picture): Html => {
  const width = widthOf(picture)
  const x = (tick: number): number => margin + (tick - picture.from) * width
  const actions = new Map(picture.lanes.flatMap(({ id, of }, index) => (of === "action" ? [[id, index + 1]] : [])))
  const height = laneHeight * (picture.lanes.length + 1)
  const right = x(picture.to) + margin
  const lines = picture.run.flatMap((mark) => lineOf(mark, x(mark.tick), height))
  const undone = picture.lanes.flatMap(({ marks, undoes }, index) => {
    const target = undoes === undefined ? undefined : actions.get(undoes)
    const from = marks[0]
    return target === undefined || from === undefined ? [] : [arrow(x(from.tick), index + 1, target)]
  })
  const marksOfRun = picture.run.map((mark) =>
    link(mark, html`<circle cx="${x(mark.tick)}" cy="${middle}" r="4" class="${mark.tone}"/>`)
  )
  const marks = picture.lanes.flatMap((lane, index) =>
    lane.marks.map((mark) => link(mark, shape(mark, x(mark.tick), index + 1, lane.tone)))
  )
  const size = html`width="${right}" height="${height + 18}" viewBox="0 0 ${right} ${height + 18}"`
  return html`<svg ${size} role="img" aria-label="What happened to each action, by ticks">
${lines}
${picture.lanes.map((lane, index) => bar(lane, x, index + 1))}
${undone}
${marksOfRun}
${marks}
${numbers(picture, width).map((tick) => html`<text x="${x(tick)}" y="${height + 12}" text-anchor="middle">${tick}</text>`)}
</svg>`
}

const heightOf = (lane: number): number => lane * laneHeight + middle

const link = ({ tick, told, type }: Mark, drawn: Html): Html =>
  html`<a href="#t${tick}"><title>${tick} ${type} ${told}</title>${drawn}</a>`

const bar = ({ marks, tone }: Lane, x: (tick: number) => number, lane: number): Html => {
  const [first, last] = [marks[0]?.tick ?? 0, marks.at(-1)?.tick ?? 0]
  const y = heightOf(lane)
  return html`<line x1="${x(first)}" y1="${y}" x2="${x(last)}" y2="${y}" class="bar ${tone}"/>`
}

/** A reversal points to the action that it takes back. */
const arrow = (x: number, lane: number, target: number): Html => {
  const [from, to] = [heightOf(lane), heightOf(target)]
  const head = from > to ? 6 : -6
  const tip = `M${x - 4} ${to + 2 * head} L${x} ${to + head} L${x + 4} ${to + 2 * head}`
  return html`<path class="undo" d="M${x} ${from} L${x} ${to + head} ${tip}"/>`
}

/** The shape of a mark in the lane of an action, by what it is evidence of. */
const shape = ({ sign }: Mark, x: number, lane: number, tone: string): Html => {
  const y = heightOf(lane)
  switch (sign) {
    case "asked":
      return html`<circle cx="${x}" cy="${y}" r="4.5" class="hollow ${tone}"/>`
    case "sent":
      return html`<path d="M${x - 4} ${y - 5} L${x + 5} ${y} L${x - 4} ${y + 5} Z" class="${tone}"/>`
    case "answered":
      return html`<rect x="${x - 4}" y="${y - 4}" width="8" height="8" class="hollow ${tone}"/>`
    case "read":
      return html`<path d="M${x} ${y - 6} L${x + 6} ${y} L${x} ${y + 6} L${x - 6} ${y} Z" class="hollow ${tone}"/>`
    case "settled":
      return html`<circle cx="${x}" cy="${y}" r="6" class="${tone}"/>`
    default:
      return html`<circle cx="${x}" cy="${y}" r="3" class="other"/>`
  }
}

/** The line of a mark that concerns the whole run, across all lanes. */
const lineOf = (mark: Mark, x: number, height: number): ReadonlyArray<Html> => {
  const { tone } = mark
  return tone === "other" || tone === "look"
    ? []
    : [html`<line x1="${x}" y1="0" x2="${x}" y2="${height}" class="across ${tone}"/>`]
}

/** Ticks whose numbers stand below the lanes, with room between two. */
const numbers = ({ from, to }: Picture, width: number): ReadonlyArray<number> => {
  const each = [1, 5, 10, 50, 100, 500].find((step) => step * width >= 30) ?? 1000
  return Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((tick) => tick % each === 0)
}
