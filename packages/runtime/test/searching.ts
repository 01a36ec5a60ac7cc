/** A run that searches for the same thing again and again, under a pack that declares a topology. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Alarms from "@backstitch/topology/Alarms"
import * as Leases from "@backstitch/trace/Leases"
import * as Run from "@backstitch/trace/Run"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"

export const packOf = (topology?: object) =>
  Result.getOrThrow(
    TaskPack.make({
      pack: "acme.desk",
      version: "1.0.0",
      tools: { search: { class: "read_only", input: { q: "string" } } },
      ...(topology === undefined ? {} : { topology: topology as never })
    })
  )

export const run = Run.make("desk-1")
export const search: Proposal = { tool: "search", params: { q: "lugano" } }
export const declared = { kind: "react", steps: 40 }

/** A process over a store that outlives it. */
export const processOf = (store: Layer.Layer<TraceStore.TraceStore, TraceStore.TraceStoreError>, turns = 0) => {
  let left = turns
  const next = () => Effect.sync(() => (left-- > 0 ? search : undefined))
  return Coordinator.layer({ secret: "s" }).pipe(
    Layer.provideMerge(Layer.succeed(Planner.Planner, { next: () => next() } as Planner.Planner["Service"])),
    Layer.provideMerge(ToolExecutor.layerFrom({ search: { execute: () => [] } })),
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(Leases.layerMemory),
    Layer.provideMerge(store)
  )
}

export const opened = (topology: object | undefined = declared) =>
  Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
    coordinator.open(run, { pack: packOf(topology), goal: "find" })
  )

export const searches = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, times: number) {
  for (let index = 0; index < times; index++) yield* handle.propose(search)
})

export const alarmsIn = (transitions: ReadonlyArray<Transition>) =>
  transitions.flatMap(({ body, tick }) => {
    const alarm = Alarms.recordedIn(body)
    return alarm === undefined ? [] : [{ ...alarm, tick }]
  })

export const recorded = Effect.flatMap(History.History, (history) => Effect.map(history.transitions(run), alarmsIn))
