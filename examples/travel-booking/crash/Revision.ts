/**
 * Deaths during the absorption of a revision: seat and room are booked when the traveller wants to leave a day later,
 * and the agent is killed at a place of the commit path while it cancels them.
 *
 * The traveller is another process than the agent. An agent that lives then searches, books, pays and confirms the trip
 * of the new day.
 */

import * as Goal from "@backstitch/kernel/Goal"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import type * as Planner from "@backstitch/runtime/Planner"
import * as Report from "@backstitch/runtime/Report"
import * as Revising from "@backstitch/runtime/Revising"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as agent from "../agent.ts"
import * as World from "../world/World.ts"
import type * as Crew from "./Crew.ts"
import * as Job from "./Job.ts"
import * as Services from "./Services.ts"
import * as TravelPack from "./TravelPack.ts"
import * as Truth from "./Truth.ts"

/** The day on which the traveller wants to leave after all. */
export const date = "2026-12-19"

const booked = agent.steps.findIndex(({ id }) => id === "book hotel") + 1
const again = agent.steps.slice(0, booked).map((step): Planner.ScriptStep => ({ ...step, id: `${step.id} again` }))

/** The steps of an agent that searches and books once more before it pays. */
export const steps: ReadonlyArray<Planner.ScriptStep> = [
  ...agent.steps.slice(0, booked),
  ...again,
  ...agent.steps.slice(booked)
]

/** A trial: the store of the run, and the place at which its agent dies. */
export interface Trial {
  readonly store: Job.Store
  readonly death: Pick<Job.Death, "nth" | "place">
}

/** Rows of the world's own database: each booking, stay and charge, and the cancellations in their order. */
export interface Ledger {
  readonly bookings: ReadonlyArray<string>
  readonly stays: ReadonlyArray<string>
  /** Tools that undid something, in the order in which the world committed it. */
  readonly cancelled: ReadonlyArray<string>
  readonly charged: ReadonlyArray<number>
  readonly messages: number
}

/** The verdict on a trial: the world at the death and at the end, and what the record says. */
export interface Verdict {
  readonly killed: boolean
  readonly ended: string | undefined
  readonly atDeath: Ledger
  readonly atEnd: Ledger
  readonly divergences: number
  readonly absorptions: number
  readonly clauses: JsonObject
  readonly isPending: boolean
  readonly report: Report.Report
}

/** Carries out a trial in a world of its own. */
export const run = async ({ death, store }: Trial, crew: Crew.Crew): Promise<Verdict> => {
  const times = TravelPack.brief
  const world = await World.start({ settleAfterMillis: times.settleAfterMillis })
  try {
    const job = { isRevisable: true, store, tenant: "default", times, world: world.url }
    await crew.immortals[0].do({ ...job, without: steps.slice(booked).map(({ id }) => id) })
    const provided = Services.layer(Job.storeLayer(store))
    await Effect.runPromise(injected.pipe(Effect.scoped, Effect.provide(provided, { local: true })))
    const first = await crew.mortal((worker) => worker.do({ ...job, death }))
    const atDeath = await ledgerOf(world.url)
    const { ended, signal } = await crew.immortals[1].do(job)
    const told = await Effect.runPromise(recorded.pipe(Effect.scoped, Effect.provide(provided, { local: true })))
    return {
      killed: first.signal === "SIGKILL",
      ended: ended ?? signal,
      atDeath,
      atEnd: await ledgerOf(world.url),
      ...told
    }
  } finally {
    await world.close()
  }
}

const trip = Run.make("trip", "default")

const injected = Effect.gen(function* () {
  const handle = yield* Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(trip))
  const changes = [{ change: "set", clause: "date", value: date }] as const
  const outcome = yield* Revising.inject(handle, { changes, by: "Anna", said: "I would rather leave on Saturday" })
  if (outcome._tag !== "Done") return yield* Effect.die(`The revision was not taken: ${JSON.stringify(outcome)}`)
  yield* handle.flush
})

const ledgerOf = async (url: string): Promise<Ledger> => {
  const { bookings = [], charges = [], messages = [], requests = [], stays = [] } = await Truth.read(url)
  return {
    bookings: bookings.map(({ flight, status }) => `${flight} ${status}`),
    stays: stays.map((row) => `${row["hotel"]} ${row["from"]} ${row["status"]}`),
    cancelled: requests
      .filter(({ committed, tool }) => committed === 1 && String(tool).startsWith("cancel_"))
      .map(({ tool }) => String(tool)),
    charged: charges.map(({ amount }) => Number(amount)),
    messages: messages.length
  }
}

const recorded = Effect.gen(function* () {
  const history = yield* History.History
  const { divergences, misfit, state } = yield* StrictReplay.of(trip)
  const transitions = yield* history.transitions(trip)
  const { clauses, pending } = Goal.of(state)
  return {
    divergences: divergences.length + (misfit === undefined ? 0 : 1),
    absorptions: transitions.filter(({ body }) => body.type === "revision.absorbed").length,
    clauses,
    isPending: pending !== undefined,
    report: yield* Report.of(trip)
  }
})
