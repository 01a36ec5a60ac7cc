/** A store in memory with an intake over it, and its runs as lines. */
import * as Kernel from "@backstitch/kernel/Kernel"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as spans from "./spans.ts"

/** Services over a store. */
export const over = <E, R>(store: Layer.Layer<TraceStore.TraceStore, E, R>) =>
  History.layer(Kernel.standard).pipe(Layer.provideMerge(PackLibrary.layer), Layer.provideMerge(store))

/** Services over a store of one test. */
export const memory = over(TraceStore.layerMemory)

/** Runs something with services of its own, at a time after that of the spans. */
export const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.andThen(TestClock.setTime(1_700_000_100_000), effect).pipe(Effect.provide(memory, { local: true }))

/** The transitions of the run of a trace. */
export const transitions = Effect.fnUntraced(function* (trace: number) {
  const history = yield* History.History
  return yield* history.transitions(Run.make(`trace-${spans.traceOf(trace)}`))
})

/** Lists what a run tells, one line a transition. */
export const told = (all: ReadonlyArray<Transition>): ReadonlyArray<string> =>
  all.map(({ body: { action, data, result, type } }) => {
    if (type === "message.received") return `${data?.["role"]}: ${data?.["content"]}`
    if (type === "message.sent") return `agent: ${data?.["content"]}`
    if (type === "action.request") return `${action?.tool}(${action?.id})`
    return type === "action.result" ? `${action?.id} => ${result?.status} ${result?.output}` : type
  })

/** The lines of a trace of `spans.paysTwice`. */
export const whole = [
  "run.started",
  "user: pay order 7",
  "pay(c1)",
  "c1 => error timed out",
  "pay(c2)",
  "c2 => ok paid",
  "agent: paid"
]
