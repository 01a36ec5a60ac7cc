/**
 * The nineteen measures as metrics of Effect, so that any exporter of Effect can send them.
 *
 * Each measure is two counters, `backstitch.NAME.numerator` and `.denominator`: counts can be added over processes,
 * ratios cannot. With {@link layer}, a run handle passes on its commits, and an action is counted once, when it is
 * settled. Without the layer nothing is counted, at no cost.
 *
 * **Gotchas**
 *
 * A held action is counted only when it is settled. `RunMetrics` counts from the traces themselves and misses
 * nothing.
 *
 * @source Action Verification, "Platform Metrics"
 */

import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Payload from "@backstitch/kernel/Payload"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import type { State } from "@backstitch/reducer/State"
import type { Run, Tenant } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Wording from "@backstitch/wording/Wording"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import type { HistoryError } from "../history/History.ts"
import * as Limits from "../Limits.ts"

/** The counters of each measure. */
const counters: {
  readonly [Name in ActionMetrics.Metric]: {
    readonly numerator: Metric.Counter<number>
    readonly denominator: Metric.Counter<number>
  }
} = Object.fromEntries(
  ActionMetrics.names.map((name) => {
    const { denominator, numerator } = Wording.measure(name)
    const attributes = { unit: ActionMetrics.units[name] === "millis" ? "ms" : "1" }
    const part = (which: string, description: string) =>
      Metric.counter(`backstitch.${name}.${which}`, { description, attributes, incremental: true })
    return [name, { numerator: part("numerator", numerator), denominator: part("denominator", denominator) }]
  })
) as typeof counters

/**
 * Adds measures to the counters, under labels such as the tenant. A counter that is added to is there, also at zero,
 * unless `skipsZeros` says that it is known.
 */
export const add = Effect.fnUntraced(function* (
  measures: ActionMetrics.Measures,
  labels: Readonly<Record<string, string>>,
  { skipsZeros = false }: { readonly skipsZeros?: boolean } = {}
) {
  for (const name of ActionMetrics.names) {
    for (const part of ["denominator", "numerator"] as const) {
      const count = measures[name][part]
      if (count === 0 && skipsZeros) continue
      yield* Metric.update(Metric.withAttributes(counters[name][part], labels), count)
    }
  }
})

/**
 * A commit to count: the state before it, the pack in force, and a function that reads earlier transitions if
 * needed.
 */
export interface CountedCommit {
  readonly run: Run
  readonly pack: TaskPack.TaskPack | undefined
  readonly before: State
  readonly transitions: ReadonlyArray<Transition>
  readonly read: (from: number) => Effect.Effect<ReadonlyArray<Transition>, HistoryError>
}

/** The counter of commits; `undefined` if nothing is counted. */
export const MetricsExport = Context.Reference<Counting | undefined>("@backstitch/runtime/MetricsExport", {
  defaultValue: () => undefined
})

/** A counter of commits, by the measures of the actions that they settle. */
export interface Counting {
  readonly count: (committed: CountedCommit) => Effect.Effect<void, HistoryError>
}

/** Layer that counts commits. */
export const layer = (options: { readonly pendingMillisMax?: number | undefined } = {}): Layer.Layer<never> =>
  Layer.sync(MetricsExport, () => {
    /** Tenants whose counters are all there. */
    const known = new Set<Tenant>()
    return {
      count: Effect.fnUntraced(function* (committed: CountedCommit) {
        const { pack, run, transitions } = committed
        const settled = new Set(transitions.flatMap(settledBy))
        const claims = transitions.filter(
          ({ body }) => (Payload.of(body, "message.sent") ?? Payload.of(body, "goal.complete"))?.reports !== undefined
        )
        if (settled.size + claims.length === 0) return
        const about = yield* history(committed, { settled, claims: claims.length })
        const ticks = new Set(claims.map(({ tick }) => tick))
        const measures = ActionMetrics.measure(
          about.filter(
            ({ body, tick }) => ticks.has(tick) || (body.action !== undefined && settled.has(body.action.id))
          ),
          ActionHistories.all(about),
          {
            ledger: {
              run: run.id,
              tenant: run.tenant,
              termsAt: () => ({ pack })
            },
            now: yield* Clock.currentTimeMillis,
            pendingMillisMax: options.pendingMillisMax ?? Limits.showing.pendingMillisMax
          }
        )
        const { tenant } = run
        yield* add(measures, { tenant }, { skipsZeros: known.has(tenant) })
        known.add(tenant)
      })
    }
  })

/** Answers the action that a transition settles: one that is reconciled or dropped. None of any other type. */
const settledBy = ({ body }: Transition): ReadonlyArray<string> => {
  const id = body.action?.id
  if (id === undefined) return []
  return body.type === "action.reconciled" || body.type === "intent.dropped" ? [id] : []
}

/**
 * Reads the transitions since the first settled action began; for a message all of them, since it may claim any
 * action.
 */
const history = (
  { before, read, transitions }: CountedCommit,
  about: { readonly settled: ReadonlySet<string>; readonly claims: number }
): Effect.Effect<ReadonlyArray<Transition>, HistoryError> => {
  const first = transitions[0]?.tick ?? 1
  const open = OpenActions.of(before)
  const began = [...about.settled].map((id) => open[id]?.tick ?? first)
  const from = about.claims > 0 ? 1 : Math.min(first, ...began)
  return from === first ? Effect.succeed(transitions) : read(from)
}
