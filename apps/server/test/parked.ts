/** A run that waits for a person, made for a test. */
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Begins a run in which calls wait for an operator, one for each code, and answers the names of their reviews. */
export const parkAll = (store: string, run: Run.Run, codes: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.begin(run, { goal: "a launch that somebody approves" })
    const outcomes = yield* Effect.forEach(codes, (code) => handle.propose({ tool: "launch", params: { code } }))
    return outcomes.map((outcome) => (outcome._tag === "Parked" ? outcome.review : ""))
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Coordinator.layer({ secret: "" }).pipe(
        Layer.provideMerge(ToolExecutor.layerFrom({ launch: { execute: () => ({}) } })),
        Layer.provideMerge(History.layer(Kernel.standard)),
        Layer.provideMerge(PackLibrary.layer),
        Layer.provideMerge(SqlTraceStore.layerFromAddress(store))
      )
    )
  )

/** Begins a run in which one call waits for an operator, and answers the name of the review. */
export const park = (store: string, run: Run.Run = Run.make("launch-1")) =>
  Effect.map(parkAll(store, run, ["marker-of-the-owner"]), ([review = ""]) => review)
