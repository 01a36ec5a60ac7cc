/** Lists the runs of a store, each at a glance. */
import * as Payload from "@backstitch/kernel/Payload"
import type { RunId, Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"

/** A run at a glance. */
export interface Listed {
  readonly run: string
  readonly ticks: number
  readonly goal: string
  /** Type of the last transition; `missing` if the store does not have the transition that its head names. */
  readonly last: string
  /** ISO times of its own first transition and of its last; empty for a recording without times. */
  readonly started: string
  readonly ended: string
  readonly head: string
  readonly story: string
  readonly parent: { readonly run: string; readonly tick: number } | null
}

/**
 * The runs to list: at most `limit`, those with names after `after`, and only those that went on at or after `since`,
 * in epoch milliseconds.
 */
export interface Selection {
  readonly after?: RunId | undefined
  readonly limit?: number | undefined
  readonly since?: number | undefined
}

/** Lists runs in order of name. The limit counts the runs that are selected, not those that are read. */
export const runs = Effect.fn("RunList.runs")(function* (
  tenant: Tenant,
  { after: first, limit, since }: Selection = {}
) {
  const store = yield* TraceStore.TraceStore
  const isSelected = ({ ended }: Listed) => since === undefined || ended >= new Date(since).toISOString()
  // Without `since`, one page of `limit` rows is the whole answer.
  const pageRows = since === undefined ? limit : Limits.pacing.pageRowsMax
  const found: Array<Listed> = []
  let after = first
  while (true) {
    const page = yield* store.runs(tenant, { after, limit: pageRows })
    const looked = yield* Effect.forEach(page, look, { concurrency: Limits.pacing.concurrentRunsMax })
    found.push(...looked.filter(isSelected))
    after = page.at(-1)?.run.id
    if (page.length !== pageRows || found.length >= (limit ?? Number.POSITIVE_INFINITY)) return found.slice(0, limit)
  }
})

const look = Effect.fnUntraced(function* ({ head, parent, run }: TraceStore.RunInfo) {
  const store = yield* TraceStore.TraceStore
  const own = (parent?.tick ?? 0) + 1
  const [began] = yield* store.read(run, { from: 1, to: 1 })
  const [first] = own === 1 ? [began] : yield* store.read(run, { from: own, to: own })
  const [last] = yield* store.read(run, { from: head.tick, to: head.tick })
  const goal = began === undefined ? undefined : Payload.of(Transition.open(began).body, "run.started")?.goal
  const listed: Listed = {
    run: run.id,
    ticks: head.tick,
    goal: typeof goal === "string" ? goal : "",
    last: last === undefined || last.link !== head.link ? "missing" : Transition.open(last).body.type,
    started: timeOf(first),
    ended: timeOf(last),
    head: head.link,
    story: head.story,
    parent: parent === undefined ? null : { run: parent.id, tick: parent.tick }
  }
  return listed
})

/** Writes the time of a transition in ISO form; a recording without times has none. */
export const timeOf = (sealed: Transition.Sealed | undefined): string => {
  const ts = sealed === undefined ? 0 : Transition.open(sealed).envelope.ts
  return ts === 0 ? "" : new Date(ts).toISOString()
}
