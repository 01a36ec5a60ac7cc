/** The style sheet of a page. */
import { html } from "./Html.ts"
import { laneHeight } from "./LaneDrawing.ts"

/** Rules, for light and for dark. */
export const style = html`
:root { --ink: #1c2024; --dim: #697077; --rule: #d8dce0; --paper: #fff; --done: #1a7f4b; --open: #8a6d00;
  --look: #b35900; --failed: #b3261e; --back: #4957c8; --other: #8b949e }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --dim: #98a2ab; --rule: #343b42; --paper: #15191d;
  --done: #4cc38a; --open: #e3b341; --look: #f0883e; --failed: #ff7b72; --back: #8f9dff; --other: #6e7781 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 1400px; padding: 24px; color: var(--ink); background: var(--paper);
  font: 14px/1.5 system-ui, sans-serif }
h1 { font-size: 22px; margin: 0 0 4px } h2 { font-size: 16px; margin: 28px 0 8px } p { margin: 4px 0 }
a { color: inherit } code, pre, .ticks { font-family: ui-monospace, monospace; font-size: 12px }
code { overflow-wrap: anywhere } pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 4px 0 }
.dim { color: var(--dim) } .sign { margin-right: 14px; white-space: nowrap }
.pill { border: 1px solid; border-radius: 10px; padding: 1px 8px; font-size: 12px; font-weight: 600 }
.pill.done { color: var(--done) } .pill.open { color: var(--open) } .pill.look { color: var(--look) }
.pill.failed { color: var(--failed) } .pill.back { color: var(--back) }
.dot { display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin-right: 6px }
.dot.done { background: var(--done) } .dot.open { background: var(--open) } .dot.look { background: var(--look) }
.dot.failed { background: var(--failed) } .dot.back { background: var(--back) }
.picture { display: flex; border: 1px solid var(--rule); border-radius: 6px; max-height: 80vh; overflow: hidden auto }
.names { flex: none; max-width: 280px; border-right: 1px solid var(--rule) } .lanes { overflow-x: auto }
.name { height: ${laneHeight}px; line-height: ${laneHeight}px; padding: 0 10px; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap }
svg { display: block } svg text { font: 10px ui-monospace, monospace; fill: var(--dim) }
svg .done { fill: var(--done); stroke: var(--done) } svg .open { fill: var(--open); stroke: var(--open) }
svg .look { fill: var(--look); stroke: var(--look) } svg .failed { fill: var(--failed); stroke: var(--failed) }
svg .back { fill: var(--back); stroke: var(--back) } svg .other { fill: var(--other); stroke: var(--other) }
svg .hollow { fill: var(--paper); stroke-width: 1.5 } svg .bar { stroke-width: 3; opacity: .35 }
svg .across { stroke-width: 1; opacity: .5; stroke-dasharray: 3 3 }
svg .undo { fill: none; stroke: var(--back); stroke-width: 1.5 }
table { border-collapse: collapse; width: 100% } th { text-align: left; color: var(--dim); font-weight: 500 }
td, th { padding: 3px 12px 3px 0; border-bottom: 1px solid var(--rule); vertical-align: top }
tr:target { background: color-mix(in srgb, var(--open) 18%, transparent) } summary { cursor: pointer }
td:nth-child(-n + 4) { white-space: nowrap }
@media print { .picture { max-height: none } .lanes { overflow: visible } }
`
