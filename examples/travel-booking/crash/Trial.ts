/**
 * One death and its consequences: an agent is killed at a place of the commit path during a tool, the run is resumed,
 * and the world's own database shows the effects.
 */

import * as Limits from "@backstitch/runtime/Limits"
import * as OpenActionStatus from "@backstitch/runtime/OpenActionStatus"
import * as Receipt from "@backstitch/runtime/Receipt"
import * as ToldReport from "@backstitch/runtime/Report"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as English from "@backstitch/wording/English"
import * as Effect from "effect/Effect"
import * as World from "../world/World.ts"
import type * as Crew from "./Crew.ts"
import * as Job from "./Job.ts"
import * as Services from "./Services.ts"
import * as TravelPack from "./TravelPack.ts"
import * as Truth from "./Truth.ts"
import type { Report } from "./Worker.ts"

/**
 * The resumption after the death: by one process, by two at once, or by one that is killed again and then another
 * one.
 */
export type Resumption = "one" | "two" | "again"

/** A trial: the store of the run, the place at which its agent dies, and the resumption. */
export interface Trial {
  readonly store: Job.Store
  readonly tenant: string
  readonly death: Job.Death & { readonly tool: Truth.Mutation }
  readonly resumption: Resumption
  /** The control: tools that send no key. Its claims have to fail. */
  readonly isKeyless?: boolean
  /** Faults that the world is told to have. */
  readonly armed?: ReadonlyArray<Parameters<typeof Truth.arm>[1]>
}

/**
 * The verdict on a trial. `effects` counts the effects of the tool during which the agent died. `killed` tells
 * whether it died. `problems` is empty if every claim held.
 */
export interface Verdict {
  readonly trial: Trial
  readonly killed: boolean
  readonly effects: number
  readonly end: "reconciled" | "held"
  /** The reasons for which it is held. */
  readonly why: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
}

/** Carries out a trial in a world of its own. */
export const run = async (trial: Trial, crew: Crew.Crew): Promise<Verdict> => {
  const world = await World.start({ settleAfterMillis: TravelPack.brief.settleAfterMillis })
  try {
    const { armed = [], death, isKeyless = false, resumption, store, tenant } = trial
    const job = { store, tenant, times: TravelPack.brief, world: world.url, isKeyless }
    const problems: Array<string> = []
    // The status of a key is not asked for if its answer arrived.
    if (death.place.startsWith("status/")) {
      await Truth.arm(world.url, { tool: death.tool, kind: "lost_response", times: 1 })
    }
    for (const fault of armed) await Truth.arm(world.url, fault)
    const reports = await play(job, { crew, death, resumption })
    const killed = reports[0]?.signal === "SIGKILL"
    if (!killed) problems.push(`it was not killed: ${reports[0]?.ended ?? reports[0]?.signal}`)
    for (const { ended, signal } of reports.slice(resumption === "again" ? 2 : 1)) {
      if (ended !== "Done" && ended !== "Held") problems.push(`a resumed process ended with ${ended ?? signal}`)
    }
    const found = await judge(trial, world.url, reports)
    return { trial, killed, ...found, problems: [...problems, ...found.problems] }
  } finally {
    await world.close()
  }
}

/** A job that is killed at its moment, and its continuation. The first report is that of the process that died. */
export const play = async (
  job: Omit<Job.Job, "death" | "id">,
  { crew, death, resumption }: { readonly crew: Crew.Crew; readonly death: Job.Death; readonly resumption: Resumption }
): Promise<ReadonlyArray<Report>> => {
  const reports = [await crew.mortal((worker) => worker.do({ ...job, death }))]
  const second = { place: death.place, nth: 1 }
  if (resumption === "again") reports.push(await crew.mortal((worker) => worker.do({ ...job, death: second })))
  const living = crew.immortals.slice(0, resumption === "two" ? 2 : 1)
  return [...reports, ...(await Promise.all(living.map((worker) => worker.do(job))))]
}

/** Reads the trace and the world, and compares them. */
const judge = async (trial: Trial, world: string, reports: ReadonlyArray<Report>) => {
  const trace = await Effect.runPromise(
    recorded(Run.make("trip", trial.tenant)).pipe(
      Effect.scoped,
      Effect.provide(Services.layer(Job.storeLayer(trial.store)), { local: true })
    )
  )
  const truth = await Truth.read(world)
  const problems: Array<string> = trace.divergences.map(({ tick }) => `tick ${tick} folds to another state`)
  for (const { acknowledged } of reports) {
    for (const { link, tick } of acknowledged) {
      if (trace.links.get(tick) !== link) problems.push(`tick ${tick} was acknowledged, and is not what is stored`)
    }
  }
  for (const tool of Truth.tools) {
    const { id, table } = Truth.mutations[tool]
    const effects = (truth[table] ?? []).map((row) => String(row[id]))
    const believed = trace.believed(table)
    if (effects.length > 1) problems.push(`${effects.length} effects of ${tool}`)
    const unreal = believed.filter((name) => !effects.includes(name))
    if (unreal.length > 0) problems.push(`${tool}: ${unreal} is believed, and the world does not hold it`)
    if (trace.open.length > 0) continue
    if (effects.length === 0) problems.push(`no effect of ${tool}`)
    if (believed.length < effects.length) problems.push(`${tool}: an effect is in the world and not in the trace`)
  }
  const sum = (table: string, field: string) =>
    (truth[table] ?? []).reduce((total, row) => total + Number(row[field]), 0)
  const [charged, owed] = [sum("charges", "amount"), sum("bookings", "price") + sum("stays", "price")]
  if (trace.open.length === 0 && charged !== owed) problems.push(`${charged} charged for what costs ${owed}`)
  const end = trace.open.length === 0 ? ("reconciled" as const) : ("held" as const)
  const effects = (truth[Truth.mutations[trial.death.tool].table] ?? []).length
  return { effects, end, why: trace.why, problems }
}

const recorded = Effect.fnUntraced(function* (run: Run.Run) {
  const store = yield* TraceStore.TraceStore
  const { divergences, misfit, state } = yield* StrictReplay.of(run)
  const sealed = yield* store.read(run, { from: 1, limit: Limits.pacing.pageRowsMax })
  const { held } = yield* ToldReport.of(run)
  return {
    divergences: [...divergences, ...(misfit === undefined ? [] : [misfit])],
    why: held.map(({ tool, why }) => `${tool}: ${why}`),
    links: new Map(sealed.map(({ link, tick }): [number, string] => [tick, link])),
    open: Receipt.openOf(
      { run, tick: 0, state, pack: undefined, now: 0, words: English.words },
      OpenActionStatus.known([])
    ).map(({ action }) => action),
    believed: (table: string): ReadonlyArray<string> => {
      const rows = state.world[table]
      return Table.is(rows) ? [...rows.keys()] : []
    }
  }
})
