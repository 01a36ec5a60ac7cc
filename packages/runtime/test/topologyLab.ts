/** An open run in memory under a pack with a topology, for the tests of topologies that run. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Topology from "@backstitch/contracts/Topology"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as TopologyEvent from "@backstitch/topology/TopologyEvent"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Agent from "../src/agent/Agent.ts"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as RunDiagnosis from "../src/reporting/RunDiagnosis.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as CrackQuestion from "../src/topology/CrackQuestion.ts"
import * as Roles from "../src/topology/Roles.ts"

/** The tool that answers when it is told to. */
export const waits = (() => {
  const { promise, resolve } = Promise.withResolvers<number>()
  return { answer: () => resolve(1), answered: promise }
})()

const layers = Coordinator.layer({ secret: "s" }).pipe(
  Layer.provideMerge(
    ToolExecutor.layerFrom({
      count: { execute: () => 1 },
      turn: { execute: () => 1 },
      wait: { execute: () => waits.answered }
    })
  ),
  Layer.provideMerge(History.layer(Kernel.standard)),
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)

/** A run that is open, and what opens it again, as another process would. */
export interface Lab {
  readonly run: Run.Run
  readonly declared: Topology.Topology
  readonly handle: RunHandle.RunHandle
  readonly reopen: Effect.Effect<RunHandle.RunHandle, Coordinator.OpenError, Coordinator.Coordinator | Scope.Scope>
  /** Memos on record, as `dispatch plan 1` or `step 2 done`. */
  readonly memos: Effect.Effect<ReadonlyArray<string>, History.HistoryError, History.History>
}

/** Services of a test. */
export type Services = Layer.Success<typeof layers> | Scope.Scope

/** Work that answers 1 after a turn, and the most of it that was under way at the same time. */
export const counting = () => {
  let [now, most] = [0, 0]
  const work = Effect.sync(() => {
    most = Math.max(most, ++now)
  }).pipe(
    Effect.andThen(Effect.promise(() => new Promise((later) => setImmediate(later)))),
    Effect.map(() => {
      now--
      return 1
    })
  )
  return { work, most: () => most }
}

/** Waits without a clock, in a bounded loop. */
export const until = (isSo: () => boolean) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < 100_000 && !isSo(); turn++) await new Promise((later) => setImmediate(later))
    assert.isTrue(isSo())
  })

type Definition = Parameters<typeof TaskPack.make>[0]

/** Runs a test in a store of its own. */
export const within = <A, E>(
  topology: NonNullable<Definition["topology"]>,
  test: (lab: Lab) => Effect.Effect<A, E, Services>,
  guards: NonNullable<Definition["guards"]> = []
) =>
  Effect.gen(function* () {
    const tools = {
      count: { class: "read_only", input: {} },
      turn: { class: "read_only", input: { page: "int" } },
      wait: { class: "read_only", input: {} }
    } as const
    const pack = Result.getOrThrow(TaskPack.make({ pack: "acme.press", version: "1.0.0", tools, topology, guards }))
    const coordinator = yield* Coordinator.Coordinator
    const run = Run.make("book-1")
    const reopen = Effect.flatMap(Coordinator.Coordinator, (opener) => opener.reopen(run))
    const handle = yield* coordinator.open(run, { pack, goal: "the book" })
    const memos = Effect.gen(function* () {
      const history = yield* History.History
      return (yield* history.transitions(run)).flatMap(({ body }) => {
        const memo = body.data?.["topology"] as { readonly [field: string]: unknown } | undefined
        if (memo === undefined) return []
        const { brief: _, draft: __, memo: name, result: ___, ...rest } = memo
        return [[name, ...Object.values(rest)].flatMap(word).join(" ")]
      })
    })
    return yield* test({ run, declared: pack.topology as Topology.Topology, handle, reopen, memos })
  }).pipe(Effect.scoped, Effect.provide(layers))

const word = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? [String(value)] : []

/** No planner at all. */
export const idle = Planner.layerScript([])

/** An agent with roles on a run under a topology, begun once more as often as it is asked to. */
export const works = (topology: Parameters<typeof within>[0], roles: Roles.Roles["Service"]) =>
  within(topology, ({ handle, memos, run }) =>
    Effect.gen(function* () {
      const outcome = yield* Agent.run(handle)
      const transitions = yield* (yield* History.History).transitions(run)
      const questions = transitions.filter(({ body }) => TopologyEvent.isQuestion(body))
      const open = CrackQuestion.openIn(transitions)
      return { outcome, memos: yield* memos, open, questions, diagnosis: yield* RunDiagnosis.of(run) }
    }).pipe(Effect.provide(Layer.merge(idle, Roles.layerFrom(roles))))
  )

/** The result of a goal that is reached, or else the outcome. */
export const resultOf = (outcome: { readonly _tag: string; readonly output?: unknown } | undefined): unknown =>
  outcome?._tag === "Done" ? (outcome.output as { readonly result: unknown }).result : outcome
