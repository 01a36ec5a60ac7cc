/** A host over a store that outlives it, with agents that follow a script in a world that counts what is done to it. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Reviews from "@backstitch/kernel/Reviews"
import type * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Planner from "@backstitch/runtime/Planner"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Leases from "@backstitch/trace/Leases"
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as lab from "../../runtime/test/lab.ts"
import * as ProcessHost from "../src/ProcessHost.ts"
import * as RunHost from "../src/work/RunHost.ts"

export const trip = Run.make("trip")

/** An agent that follows a script. */
export const agent = (world: lab.World, steps: ReadonlyArray<Planner.ScriptStep>): AgentFile.AgentFile => ({
  agent: { pack: "pack.yaml", goal: "goal", steps, tools: world.tools },
  pack,
  planner: Planner.layerScript(steps),
  executor: ToolExecutor.layerFrom(world.tools)
})

/** Steps of a script, by their proposals. */
export const script = (...proposals: ReadonlyArray<Proposal>): ReadonlyArray<Planner.ScriptStep> => [
  ...proposals.map((propose, index) => ({ id: `step ${index + 1}`, propose })),
  { id: "done", propose: { type: "goal.complete" } }
]

/** A call for which a person is asked. */
export const launch: Proposal = { tool: "fax", params: { to: "the harbour" } }

/** The contract: of the laboratory, and a fax needs an approval. */
export const pack = Result.getOrThrow(TaskPack.make({ ...lab.definition, approvals: { fax: { by: ["operator"] } } }))

/** The services of a store. */
export type Stored = Leases.Leases | Notes.Notes | TraceStore.TraceStore

/** A store in memory that several hosts can be given. */
export const store: Effect.Effect<Layer.Layer<Stored>> = Effect.gen(function* () {
  return Layer.mergeAll(
    Layer.succeed(TraceStore.TraceStore, yield* TraceStore.makeMemory),
    Layer.succeed(Leases.Leases, yield* Leases.makeMemory),
    Layer.succeed(Notes.Notes, yield* Notes.makeMemory)
  )
})

/** The services of a process over a store. */
export const process = <E>(stored: Layer.Layer<Stored, E>) =>
  History.layer(Kernel.standard).pipe(Layer.provideMerge(PackLibrary.layer), Layer.provideMerge(stored))

/** A host over a store, with its agents by name. */
export const host = <E>(
  stored: Layer.Layer<Stored, E>,
  agents: ProcessHost.Settings["agents"],
  settings: Partial<ProcessHost.Settings> = {}
) =>
  ProcessHost.layer({ secretOf: () => Effect.succeed("secret"), leaveMillis: 2000, ...settings, agents }).pipe(
    Layer.provideMerge(process(stored))
  )

/** Lets a host live for an effect, and gives its runs up. */
export const within =
  <R, E2>(layer: Layer.Layer<R, E2>) =>
  <A, E, R1>(effect: Effect.Effect<A, E, R1>) =>
    Effect.provide(effect, layer, { local: true })

/** Lets the fibers of this process go on. */
export const turns = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 2)))

/** Waits until a run is at something, and answers where it stands. */
export const until = Effect.fnUntraced(function* (doing: RunHost.Hosted["doing"], run: Run.Run = trip) {
  const host = yield* RunHost.RunHost
  for (let tries = 0; tries < 5000; tries++) {
    const hosted = yield* host.status(run)
    if (hosted.doing === doing) return hosted
    yield* turns
  }
  return yield* Effect.die(new Error(`Run ${run.id} is never ${doing}, but ${(yield* host.status(run)).doing}`))
})

/** Decides the only review of a run as a person does it in another process. */
export const decide = <E>(stored: Layer.Layer<Stored, E>, verdict: "approved" | "denied", run: Run.Run = trip) =>
  lab.as(lab.process(Layer.orDie(stored)))(
    Effect.gen(function* () {
      const handle = yield* Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(run))
      const { state } = yield* handle.position
      const [review] = Reviews.pending(state)
      const data = { review: review?.[0] ?? "", verdict, by: "Ada", role: "operator" }
      return yield* handle.propose({ type: "review.decided", author: "user", data })
    })
  )
