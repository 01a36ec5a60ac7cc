/**
 * Judges what a cluster, or a server, has left behind: the traces against the acknowledged commits, and the world's
 * database.
 */

import * as Goal from "@backstitch/kernel/Goal"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Limits from "@backstitch/runtime/Limits"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Services from "../crash/Services.ts"
import * as Truth from "../crash/Truth.ts"
import * as Line from "./Line.ts"

/** The verdict. `problems` is empty if every claim held. */
export interface Verdict {
  readonly ended: number
  readonly transitions: number
  readonly acknowledged: number
  readonly lost: number
  readonly doubled: number
  readonly problems: ReadonlyArray<string>
}

/** A commit that was acknowledged. */
interface Acknowledged {
  readonly tenant: string
  readonly tick: number
  readonly link: string
}

/** Judges the runs of tenants. */
export const judge = async (
  tenants: ReadonlyArray<string>,
  options: { readonly store: string; readonly world: string; readonly acknowledged: ReadonlyArray<Acknowledged> }
): Promise<Verdict> => {
  const { acknowledged, store, world } = options
  const recorded = await Effect.runPromise(
    Effect.forEach(tenants, read).pipe(
      Effect.scoped,
      Effect.provide(Services.layer(SqlTraceStore.layerFromAddress(store)), { local: true })
    )
  )
  const truth = await Truth.read(world)
  const problems = recorded.flatMap((run) => run.problems)
  const links = new Map(recorded.map((run) => [run.tenant, run.links]))
  const lost = acknowledged.filter(({ link, tenant, tick }) => links.get(tenant)?.get(tick) !== link)
  problems.push(...lost.map(({ tenant, tick }) => `tick ${tick} of ${tenant} was acknowledged, and is not stored`))
  let doubled = 0
  for (const tool of Truth.tools) {
    const { id, table } = Truth.mutations[tool]
    const effects = (truth[table] ?? []).map((row) => String(row[id]))
    const believed = recorded.flatMap((run) => run.believed(table))
    doubled += Math.max(0, effects.length - tenants.length)
    if (effects.length !== tenants.length)
      problems.push(`${effects.length} effects of ${tool} for ${tenants.length} runs`)
    const unreal = believed.filter((name) => !effects.includes(name))
    if (unreal.length > 0) problems.push(`${tool}: ${unreal.length} are believed, and the world does not hold them`)
    if (new Set(believed).size !== believed.length) problems.push(`${tool}: two runs believe in one effect`)
  }
  return {
    ended: recorded.filter((run) => run.isReached).length,
    transitions: recorded.reduce((sum, run) => sum + run.links.size, 0),
    acknowledged: acknowledged.length,
    lost: lost.length,
    doubled,
    problems
  }
}

const read = Effect.fnUntraced(function* (tenant: string) {
  const run = Run.make(Line.run, tenant)
  const store = yield* TraceStore.TraceStore
  const { divergences, misfit, state } = yield* StrictReplay.of(run)
  const sealed = yield* store.read(run, { from: 1, limit: Limits.pacing.pageRowsMax })
  const open = Object.keys(OpenActions.of(state))
  const isReached = Goal.isReached(state)
  return {
    tenant,
    isReached,
    links: new Map(sealed.map(({ link, tick }): [number, string] => [tick, link])),
    believed: (table: string): ReadonlyArray<string> => {
      const rows = state.world[table]
      return Table.is(rows) ? [...rows.keys()] : []
    },
    problems: [
      ...(divergences.length > 0 || misfit !== undefined ? [`the trace of ${tenant} does not verify`] : []),
      ...open.map((action) => `action ${action} of ${tenant} is open`),
      ...(isReached ? [] : [`the run of ${tenant} has not reached its goal`])
    ]
  }
})
