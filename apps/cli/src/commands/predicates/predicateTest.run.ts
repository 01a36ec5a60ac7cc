/** Shows how a predicate judges a run. */
import * as Predicates from "@backstitch/runtime/Predicates"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as PredicateText from "./PredicateText.ts"
import type { Input } from "./predicateTest.ts"

const print = ({ changes, declared, evaluations, id, isMonotone, run, ticks }: Predicates.Course): void => {
  Terminal.print(`${Terminal.bold("TESTING:")} ${id} | run=${run} | evaluated at ${evaluations} of ${ticks} ticks`)
  for (const { tick, type, verdict } of changes) {
    const word = verdict === "ok" ? Terminal.good("ok") : Terminal.bad(verdict)
    Terminal.print(`  tick ${String(tick).padStart(String(ticks).length)}  ${word.padEnd(9)}  ${type}`)
  }
  if (!changes.some(({ verdict }) => verdict === "violation")) {
    Terminal.print(`${Terminal.good("NEVER:")} it did not hold in this run`)
  } else if (isMonotone) Terminal.print(`${Terminal.bold("KEPT:")} it did not recover in this run`)
  else {
    const onset = changes.find(({ verdict }) => verdict === "violation")?.tick
    const advice =
      declared === null
        ? "watch it, or register it as a lift, which bisect can rely on"
        : declared === "lift"
          ? `the pack has it as a lift, so bisect answers tick ${onset}`
          : `the pack has it as monotone, which it is not; bisect answers tick ${onset}. Declare it as a lift`
    Terminal.print(`${Terminal.wary("RECOVERED:")} ${advice}`)
  }
}

/** Evaluates a predicate along a run. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* (input, globals) {
    const run = yield* StoreSession.find(input.run, globals)
    const when = yield* PredicateText.read(input)
    const asked = typeof when === "string" ? when : { id: input.function ?? "", when, monotone: "lift" as const }
    const course = yield* Predicates.course(run, asked)
    return Printer.answer(course, () => print(course))
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
