/**
 * Deaths during undoing: the card is refused for good, and the agent is killed at a place of the commit path while it
 * cancels seat and room.
 */

import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as HeldActions from "@backstitch/runtime/HeldActions"
import * as History from "@backstitch/runtime/History"
import * as Report from "@backstitch/runtime/Report"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as World from "../world/World.ts"
import type * as Crew from "./Crew.ts"
import * as Job from "./Job.ts"
import * as Services from "./Services.ts"
import * as TravelPack from "./TravelPack.ts"
import * as Truth from "./Truth.ts"

/**
 * A trial: the store of the run, and the place at which its agent dies, if it does. With `stubborn`, the hotel
 * refuses to cancel; with `isApart`, a cancellation has a record of its own.
 */
export interface Trial {
  readonly store: Job.Store
  readonly death?: Pick<Job.Death, "nth" | "place"> | undefined
  readonly stubborn?: boolean | undefined
  readonly isApart?: boolean | undefined
  /** The decision of a person about an undoing that failed, before the run is resumed once more. */
  readonly verdict?: "reopened" | "failure" | "abandoned" | undefined
}

/**
 * The verdict on a trial: the end of the agent, the rows of the world's own database, and the report.
 *
 * **Details**
 *
 * `cancelled` lists the tools that undid something, in the order in which the world committed it.
 */
export interface Verdict {
  readonly killed: boolean
  readonly ended: string | undefined
  readonly bookings: ReadonlyArray<string>
  readonly stays: ReadonlyArray<string>
  readonly cancelled: ReadonlyArray<string>
  readonly charges: number
  readonly report: Report.Report
  readonly divergences: number
  /** Predicates of the contract that were violated during the trial. */
  readonly violated: ReadonlyArray<string>
}

const times = TravelPack.brief

/** Carries out a trial in a world of its own. */
export const run = async (trial: Trial, crew: Crew.Crew): Promise<Verdict> => {
  const world = await World.start({ settleAfterMillis: times.settleAfterMillis })
  const { death, isApart = false, store, stubborn = false } = trial
  try {
    await Truth.arm(world.url, { tool: "charge_card", kind: "refuse", times: 1 })
    if (stubborn) await Truth.arm(world.url, { tool: "cancel_hotel", kind: "refuse", times: 1 })
    const job = { store, tenant: "default", times, world: world.url, isApart }
    const first =
      death === undefined
        ? undefined
        : await crew.mortal((worker) => worker.do({ ...job, death: { ...death, tool: "charge_card" } }))
    const held = await crew.immortals[0].do(job)
    const { ended, signal } = trial.verdict === undefined ? held : await decided(trial, job, crew)
    const truth = await Truth.read(world.url)
    const statuses = (table: string) => (truth[table] ?? []).map(({ status }) => String(status))
    const told = await Effect.runPromise(
      recorded.pipe(Effect.scoped, Effect.provide(Services.layer(Job.storeLayer(store)), { local: true }))
    )
    return {
      killed: first?.signal === "SIGKILL",
      ended: ended ?? signal,
      bookings: statuses("bookings"),
      stays: statuses("stays"),
      cancelled: (truth["requests"] ?? [])
        .filter(({ committed, tool }) => committed === 1 && String(tool).startsWith("cancel_"))
        .map(({ tool }) => String(tool)),
      charges: (truth["charges"] ?? []).length,
      ...told
    }
  } finally {
    await world.close()
  }
}

/** The stay is held as an action that could not be undone. A person decides, and another process continues. */
const decided = async ({ store, verdict }: Trial, job: Omit<Job.Job, "id">, crew: Crew.Crew) => {
  const decision = Effect.gen(function* () {
    const run = Run.make("trip", "default")
    const [held] = yield* HeldActions.list(run.tenant, run)
    const handle = yield* Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(run))
    const data = { action: held?.action ?? "", as: verdict ?? "", by: "Ada", evidence: "ticket 311" }
    return yield* handle.propose({ author: "user", data, type: "review.decided" })
  })
  const outcome = await Effect.runPromise(
    decision.pipe(Effect.scoped, Effect.provide(Services.layer(Job.storeLayer(store)), { local: true }))
  )
  if (outcome._tag !== "Done") throw new Error(`The decision was not taken: ${JSON.stringify(outcome)}`)
  return crew.immortals[1].do(job)
}

const recorded = Effect.gen(function* () {
  const run = Run.make("trip", "default")
  const history = yield* History.History
  const { divergences, misfit } = yield* StrictReplay.of(run)
  const violated = (yield* history.transitions(run)).flatMap(({ body }) =>
    body.type === "predicate.violation" ? [String(body.data?.["predicate"])] : []
  )
  return { divergences: divergences.length + (misfit === undefined ? 0 : 1), report: yield* Report.of(run), violated }
})
