/**
 * A run as one page for a browser: its picture, what may be told of it, and each transition.
 *
 * The page is a file by itself. It loads nothing and runs no script, and its own policy forbids both, since it shows
 * texts of models, tools and people.
 */
import * as Report from "@backstitch/runtime/Report"
import type * as HashChain from "@backstitch/trace/HashChain"
import type { Step } from "@backstitch/version-control/Step"
import * as ShownText from "@backstitch/wording/ShownText"
import * as Limits from "../../Limits.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as TickLine from "../TickLine.ts"
import { type Html, html } from "./Html.ts"
import * as LaneDrawing from "./LaneDrawing.ts"
import * as RunPicture from "./RunPicture.ts"
import { style } from "./style.ts"

/** The content of a page: a part of a run, with the report of the whole run. */
export interface PageContent {
  readonly head: HashChain.Head
  readonly report: Report.Report
  readonly steps: ReadonlyArray<Step>
}

/** The beginning of each page, by which an earlier one is recognised. */
export const beginning = `<!doctype html>
<html lang="en" data-of="backstitch">`

/** Writes the page. */
export const write = (shown: PageContent): string => {
  const { head, report, steps } = shown
  const picture = RunPicture.of(steps, report)
  return html`${{ markup: beginning }}
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${report.run}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${report.run} <span class="pill ${RunPicture.toneOf(report.standing)}">${Report.headline(report)}</span></h1>
<p>${report.say}${report.unfinished === null ? "" : ` ${report.unfinished}`}</p>
<p class="dim">${partOf(shown)} · head <code>${head.link}</code></p>
</header>
<main>
${drawn(picture)}
${told(shown)}
${asked(shown)}
${transitions(steps)}
</main>
</body>
</html>
`.markup
}

const partOf = ({ head, steps }: PageContent): string => {
  const first = steps[0]?.transition
  const last = steps.at(-1)?.transition
  if (first === undefined || last === undefined) return `none of ${head.tick} ticks`
  const part = steps.length === head.tick ? `${head.tick} ticks` : `${steps.length} of ${head.tick} ticks`
  // Some recordings of others have no times.
  if (last.envelope.ts === 0) return part
  return `${part}, ${ShownText.moment(first.envelope.ts)} to ${ShownText.moment(last.envelope.ts)}`
}

const legend: ReadonlyArray<readonly [string, string]> = [
  ["○", "asked for"],
  ["▶", "its key is durable, and it is sent"],
  ["□", "answered"],
  ["◇", "read back"],
  ["●", "settled"]
]

const drawn = (picture: RunPicture.Picture): Html => html`<section>
<h2>Picture</h2>
<div class="picture">
<div class="names">
<div class="name dim">the run</div>
${picture.lanes.map(
  ({ by, id, say, tone }) =>
    html`<div class="name" title="${say}"><span class="dot ${tone}"></span>${by} <span class="dim">${id}</span></div>`
)}
</div>
<div class="lanes">${LaneDrawing.draw(picture)}</div>
</div>
<p class="dim">${legend.map(([sign, meaning]) => html`<span class="sign">${sign} ${meaning}</span>`)}
<span class="sign"><span class="dot done"></span> done</span>
<span class="sign"><span class="dot open"></span> open, or not verified</span>
<span class="sign"><span class="dot look"></span> for a person</span>
<span class="sign"><span class="dot failed"></span> failed</span>
<span class="sign"><span class="dot back"></span> taken back</span></p>
</section>`

const told = ({ report, steps }: PageContent): Html => {
  const { actions, remaining, repeated, residue, unmet } = report
  const more = [...[...unmet, ...remaining, ...repeated].map(({ say }) => say), ...residue]
  if (actions.length + more.length === 0) return html``
  return html`<section>
<h2>May be told</h2>
<table>
<thead><tr><th>action</th><th>tool</th><th>standing</th><th>may be said</th></tr></thead>
<tbody>
${actions.map(
  (each) => html`<tr><td>${linked(steps, each.pointer, each.action)}</td><td>${each.tool}</td>
<td><span class="pill ${RunPicture.toneOf(each.standing)}">${Report.headline(each)}</span></td><td>${Report.sentence(each)}</td></tr>`
)}
</tbody>
</table>
${more.map((say) => html`<p>${say}</p>`)}
</section>`
}

/** Links a tick, if it is on the page: the report is of the whole run. */
const linked = (steps: ReadonlyArray<Step>, tick: number, label: string): Html =>
  steps.some(({ transition }) => transition.tick === tick) ? html`<a href="#t${tick}">${label}</a>` : html`${label}`

/** The acts that a person has to settle, look at, or permit, each with the next step. */
const asked = ({ report, steps }: PageContent): Html => {
  const { held, reviews } = report
  const waits = Report.unbegun(report)
  if (held.length + reviews.length + waits.length === 0) return html``
  return html`<section>
<h2>For a person</h2>
<ul>
${[...held, ...reviews].map(
  ({ action, next, tool, why }) =>
    html`<li><b>${tool}</b> <span class="dim">${action}</span>: ${why}<br><code>${Spelling.of(next)}</code></li>`
)}
${waits.map(
  ({ needs, next, tick, tool }) =>
    html`<li><b>${tool}</b> ${linked(steps, tick, `tick ${tick}`)} needs the approval of ${needs.join(" or ")}<br><code>${Spelling.of(next)}</code></li>`
)}
</ul>
</section>`
}

const transitions = (steps: ReadonlyArray<Step>): Html => html`<section>
<h2>Transitions</h2>
<table class="ticks">
<thead><tr><th>tick</th><th>after</th><th>type</th><th>tool</th><th>effect</th></tr></thead>
<tbody>
${steps.map((step) => row(step, steps[0]?.transition.envelope.ts ?? 0))}
</tbody>
</table>
</section>`

const row = (step: Step, since: number): Html => {
  const { body, envelope, tick } = step.transition
  const { notes, tool, type } = TickLine.parts(step)
  return html`<tr id="t${tick}"><td>${tick}</td><td class="dim">${afterOf(envelope.ts - since)}</td><td>${type}</td><td>${tool}</td>
<td><details><summary>${notes === "" ? "–" : notes}</summary><pre>${cut(JSON.stringify(body, null, 2))}</pre></details></td></tr>`
}

/** Shows a time in the largest units that matter: a run may take weeks. */
export const afterOf = (millis: number): string => {
  const seconds = Math.abs(millis) / 1000
  if (seconds < 10) return `${millis} ms`
  if (seconds < 100) return `${(millis / 1000).toFixed(1)} s`
  const sign = millis < 0 ? "-" : ""
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${sign}${minutes} min ${Math.floor(seconds % 60)} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${sign}${hours} h ${minutes % 60} min`
  return `${sign}${Math.floor(hours / 24)} d ${hours % 24} h ${minutes % 60} min`
}

const cut = (text: string): string => {
  const most = Limits.showing.pageValueCharactersMax
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters: show --json has all)`
}
