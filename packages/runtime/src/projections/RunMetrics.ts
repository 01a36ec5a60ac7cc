/**
 * The nineteen measures over runs as a store holds them: one run, some, or all of a tenant.
 *
 * Runs are measured one by one and added up. A fork is measured from its own first tick: the shared history counts
 * for its parent. What is counted is judged by the whole history of its run: a message may report an action that was
 * proposed before the fork, or before the period.
 *
 * @source Action Verification, "Platform Metrics"
 */
import * as Payload from "@backstitch/kernel/Payload"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import * as Alarms from "@backstitch/topology/Alarms"
import * as Crack from "@backstitch/topology/Crack"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as Limits from "../Limits.ts"
import * as Ledger from "./Ledger.ts"

/**
 * The actions to measure: those proposed at `since` (epoch milliseconds) or later; without `since`, all. Earlier
 * actions are the baseline of a regression.
 */
export interface Options {
  readonly since?: number | undefined
  /** The longest time that an action may be pending before it counts as pending too long. */
  readonly pendingMillisMax?: number | undefined
}

/** The measures, with the number of runs and actions behind them. */
export interface Measured {
  readonly runs: number
  readonly actions: number
  /** The number of anomalies of each kind. */
  readonly anomalies: Readonly<Record<string, number>>
  /** The number of runs in which each alarm of a topology is on record, by the id of its crack. */
  readonly alarms: Readonly<Record<string, number>>
  readonly measures: ActionMetrics.Measures
}

/** A measure as a row, as plain JSON: its value if there were cases, as a count over a count. */
export interface MeasureRow extends ActionMetrics.Measure {
  readonly name: ActionMetrics.Metric
  readonly value: number | null
  readonly unit: ActionMetrics.Unit
}

/** Lists the measures in their order. */
export const rows = ({ measures }: Measured): ReadonlyArray<MeasureRow> =>
  ActionMetrics.names.map((name) => ({
    name,
    ...measures[name],
    value: ActionMetrics.value(measures[name]) ?? null,
    unit: ActionMetrics.units[name]
  }))

/** Measures one run, with the history that it shares with its parent. */
export const ofRun = Effect.fnUntraced(function* (run: Run, options: Options = {}) {
  const history = yield* History.History
  return total([yield* measured(run, { all: yield* history.transitions(run), from: 1 }, options)])
})

/** Measures runs together, each without the history that it shares with its parent. */
export const ofRuns = Effect.fnUntraced(function* (runs: ReadonlyArray<TraceStore.RunInfo>, options: Options = {}) {
  const history = yield* History.History
  return total(
    yield* Effect.forEach(
      runs,
      Effect.fnUntraced(function* ({ parent, run }) {
        return yield* measured(run, { all: yield* history.transitions(run), from: (parent?.tick ?? 0) + 1 }, options)
      })
    )
  )
})

/** Measures every run of a tenant. */
export const ofTenant = Effect.fn("RunMetrics.ofTenant")(function* (tenant: Tenant, options: Options = {}) {
  const store = yield* TraceStore.TraceStore
  return yield* ofRuns(yield* store.runs(tenant), options)
})

/** A request for the measures of a run, or of a tenant without one: those of the last time, or all. */
export interface MetricsRequest extends Omit<Options, "since"> {
  readonly tenant: Tenant
  readonly run?: Run | undefined
  readonly lastMillis?: number | undefined
}

/** The measures of a run or a tenant: `since` is the time from which on they count. */
export interface RunMetrics extends Measured {
  readonly tenant: string
  readonly run: string | null
  readonly since: number | null
}

/** Measures a run, or every run of a tenant. */
export const of = Effect.fn("RunMetrics.of")(function* ({ lastMillis, run, tenant, ...rest }: MetricsRequest) {
  const since = lastMillis === undefined ? undefined : (yield* Clock.currentTimeMillis) - lastMillis
  const options = { ...rest, since }
  const measured = run === undefined ? yield* ofTenant(tenant, options) : yield* ofRun(run, options)
  const found: RunMetrics = { tenant, run: run?.id ?? null, since: since ?? null, ...measured }
  return found
})

/** One run: the steps to measure, and the steps before them. */
interface Part {
  readonly actions: number
  readonly anomalies: Readonly<Record<string, number>>
  readonly alarms: Readonly<Record<string, number>>
  readonly measures: ActionMetrics.Measures
  readonly before: ActionMetrics.Measures | undefined
}

const total = (parts: ReadonlyArray<Part>): Measured => {
  const before = parts.flatMap((part) => (part.before === undefined ? [] : [part.before]))
  return {
    runs: parts.length,
    actions: parts.reduce((sum, { actions }) => sum + actions, 0),
    anomalies: parts.reduce((sum, { anomalies }) => added(sum, anomalies), {}),
    alarms: parts.reduce((sum, { alarms }) => added(sum, alarms), {}),
    measures: ActionMetrics.sum(
      parts.map(({ measures }) => measures),
      before.length === 0 ? undefined : ActionMetrics.sum(before)
    )
  }
}

type Counts = Readonly<Record<string, number>>

const added = (one: Counts, other: Counts): Counts =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])]
      .sort()
      .map((kind) => [kind, (one[kind] ?? 0) + (other[kind] ?? 0)])
  )

/**
 * Counts the anomalies of a trace by kind. A repeated anomaly is recorded at powers of two, with the count since the
 * last record.
 */
const anomaliesOf = (transitions: ReadonlyArray<Transition>): Measured["anomalies"] =>
  transitions.reduce<Measured["anomalies"]>((sum, { body }) => {
    const anomaly = Payload.of(body, "kernel.anomaly")
    return anomaly === undefined ? sum : added(sum, { [anomaly.kind]: anomaly.count ?? 1 })
  }, {})

/** Each alarm once. */
const alarmsOf = (transitions: ReadonlyArray<Transition>): Measured["alarms"] => {
  const cracks = transitions.flatMap(({ body }) => Alarms.recordedIn(body)?.crack ?? [])
  return Object.fromEntries([...new Set(cracks)].sort().map((crack) => [Crack.predicateOf(crack), 1]))
}

/** The whole trace of a run, and the first tick to measure. */
interface Measurable {
  readonly all: ReadonlyArray<Transition>
  readonly from: number
}

const measured = Effect.fnUntraced(function* (run: Run, { all, from }: Measurable, options: Options) {
  const { since } = options
  const histories = ActionHistories.all(all)
  const about = {
    ledger: yield* Ledger.context(run, all),
    now: yield* Clock.currentTimeMillis,
    pendingMillisMax: options.pendingMillisMax ?? Limits.showing.pendingMillisMax
  }
  const own = all.filter(({ tick }) => tick >= from)
  const transitions = since === undefined ? own : proposed(own, (at) => at >= since)
  const part: Part = {
    actions: ActionMetrics.proposedIn(transitions, histories).filter(ActionHistory.isMutating).length,
    anomalies: anomaliesOf(transitions),
    alarms: alarmsOf(transitions),
    measures: ActionMetrics.measure(transitions, histories, about),
    before:
      since === undefined
        ? undefined
        : ActionMetrics.measure(
            proposed(own, (at) => at < since),
            histories,
            about
          )
  }
  return part
})

/**
 * An action counts at the time of its proposal, with all its later events. Every other event counts at its own time.
 */
const proposed = (all: ReadonlyArray<Transition>, counts: (at: number) => boolean): ReadonlyArray<Transition> => {
  const left = new Set<string>()
  return all.filter(({ body, stamp }) => {
    const id = body.action?.id
    if (id === undefined) return counts(stamp.asOf)
    if (body.type === "action.request" && counts(stamp.asOf)) left.add(id)
    return left.has(id)
  })
}
