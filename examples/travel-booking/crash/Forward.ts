/**
 * Trips whose card charge is final. The traveller is told in any case: by the kernel if the agent does not tell, and
 * whatever process dies.
 */

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
 * A trial: the store of the run, the faults of the messenger, the place at which the agent dies, if it does, and the
 * number of processes that resume the run. With `silent`, the agent never tells the traveller itself.
 */
export interface Trial {
  readonly store: Job.Store
  readonly faults: ReadonlyArray<{ readonly kind: string; readonly times?: number }>
  readonly death?: Pick<Job.Death, "nth" | "place"> | undefined
  readonly silent?: boolean | undefined
  readonly resumedBy?: 1 | 2 | undefined
}

/**
 * The verdict on a trial: the end of the agent, the rows of the world's own database, the remaining steps, and the
 * report.
 */
export interface Verdict {
  readonly killed: boolean
  readonly ended: ReadonlyArray<string | undefined>
  readonly messages: ReadonlyArray<string>
  readonly charges: number
  /** Keys under which the messenger was asked to send. */
  readonly keys: number
  readonly remaining: ReadonlyArray<string>
  readonly report: Report.Report
  readonly divergences: number
}

const times = TravelPack.brief

/** Carries out a trial in a world of its own. */
export const run = async (trial: Trial, crew: Crew.Crew): Promise<Verdict> => {
  const world = await World.start({ settleAfterMillis: times.settleAfterMillis })
  const { death, faults, resumedBy = 1, silent = false, store } = trial
  try {
    for (const fault of faults) await Truth.arm(world.url, { tool: "send_confirmation", ...fault })
    const without = silent ? ["send confirmation"] : []
    const job = { store, tenant: "default", times, world: world.url, pivot: "charge_card", without } as const
    const first =
      death === undefined
        ? undefined
        : await crew.mortal((worker) => worker.do({ ...job, death: { ...death, tool: "charge_card" } }))
    const resumed = await Promise.all(crew.immortals.slice(0, resumedBy).map((worker) => worker.do(job)))
    const truth = await Truth.read(world.url)
    const sent = (truth["requests"] ?? []).filter(({ tool }) => tool === "send_confirmation")
    const told = await Effect.runPromise(
      recorded.pipe(Effect.scoped, Effect.provide(Services.layer(Job.storeLayer(store)), { local: true }))
    )
    return {
      killed: first?.signal === "SIGKILL",
      ended: resumed.map(({ ended, signal }) => ended ?? signal),
      messages: (truth["messages"] ?? []).map(({ status, to }) => `${status} to ${to}`),
      charges: (truth["charges"] ?? []).length,
      keys: new Set(sent.map(({ key }) => key)).size,
      ...told
    }
  } finally {
    await world.close()
  }
}

const recorded = Effect.gen(function* () {
  const run = Run.make("trip", "default")
  const { divergences, misfit } = yield* StrictReplay.of(run)
  const report = yield* Report.of(run)
  const remaining = report.remaining.flatMap(({ state, steps }) => steps.map((step) => `${step} ${state}`))
  return { divergences: divergences.length + (misfit === undefined ? 0 : 1), remaining, report }
})
