/**
 * The runs of a store as a graph of forks, one line a tick, newest first.
 *
 * @source Dendrer, section 4.1
 */
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as LogGraph from "@backstitch/version-control/LogGraph"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as Steps from "../history/Steps.ts"
import * as Limits from "../Limits.ts"

/** One line of a log: a tick with its content, or the place where a fork joins its parent. */
export interface GraphLine {
  readonly lanes: string
  readonly run: string
  /** Absent if a fork joins. */
  readonly step?: Step
  /** `true` for the last tick of its run. */
  readonly isHead: boolean
}

/** A log. `omitted` is the number of ticks beyond the limit. */
export interface ForkGraph {
  readonly lines: ReadonlyArray<GraphLine>
  readonly omitted: number
}

/** A tick of a log, for programs. */
export interface Tick {
  readonly run: string
  readonly tick: number
  readonly type: string
  /** `true` for the last tick of its run. */
  readonly head: boolean
}

/** Shows the ticks of a log, without its lanes. */
export const shown = ({
  lines,
  omitted
}: ForkGraph): { readonly ticks: ReadonlyArray<Tick>; readonly omitted: number } => ({
  ticks: lines.flatMap(({ isHead, run, step }) =>
    step === undefined ? [] : [{ run, tick: step.transition.tick, type: step.transition.body.type, head: isHead }]
  ),
  omitted
})

/** Reads the log of a run's family, ancestors and forks included, or of every run of the tenant. */
export const read = Effect.fn("ForkGraph.read")(function* (
  tenant: Run.Tenant,
  options: { readonly run?: Run.Run | undefined; readonly limit: number }
) {
  const history = yield* History.History
  const branches = yield* everyRun(tenant)
  if (options.run !== undefined) yield* history.info(options.run)
  const shown = options.run === undefined ? branches : familyOf(options.run.id, branches)
  const rows: Array<LogGraph.GraphRow> = []
  const spans = new Map<string, { from: number; to: number }>()
  let omitted = 0
  let ticks = 0
  for (const row of LogGraph.rows(shown)) {
    if (row.kind === "tick" && ++ticks > options.limit) omitted++
    if (ticks > options.limit) continue
    rows.push(row)
    if (row.kind === "join") continue
    const span = spans.get(row.run)
    spans.set(row.run, { from: row.tick, to: span?.to ?? row.tick })
  }
  const steps = new Map<string, Step>()
  for (const [id, span] of spans) {
    yield* Steps.walk(Run.make(id, tenant), span, (step) => void steps.set(`${id}@${step.transition.tick}`, step))
  }
  const heads = new Map(shown.map(({ id, last }) => [id, last]))
  const lines = rows.map((row): GraphLine => {
    if (row.kind === "join") return { lanes: row.lanes, run: row.run, isHead: false }
    const step = steps.get(`${row.run}@${row.tick}`)
    const isHead = heads.get(row.run) === row.tick
    return { lanes: row.lanes, run: row.run, isHead, ...(step === undefined ? {} : { step }) }
  })
  const log: ForkGraph = { lines, omitted }
  return log
})

const everyRun = Effect.fnUntraced(function* (tenant: Run.Tenant) {
  const store = yield* TraceStore.TraceStore
  const branches: Array<LogGraph.RunLine> = []
  let after: Run.RunId | undefined
  for (;;) {
    const page = yield* store.runs(tenant, { after, limit: Limits.pacing.pageRowsMax })
    for (const { head, parent, run } of page) branches.push({ id: run.id, last: head.tick, parent })
    after = page.at(-1)?.run.id
    if (page.length < Limits.pacing.pageRowsMax) return branches
  }
})

const familyOf = (id: string, branches: ReadonlyArray<LogGraph.RunLine>): ReadonlyArray<LogGraph.RunLine> => {
  const parents = new Map(branches.map(({ id, parent }) => [id, parent?.id]))
  const rootOf = (name: string): string => {
    const parent = parents.get(name)
    return parent === undefined ? name : rootOf(parent)
  }
  const root = rootOf(id)
  return branches.filter((branch) => rootOf(branch.id) === root)
}
