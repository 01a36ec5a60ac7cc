/** Shows how a predicate judges a run. */
import * as Predicates from "@backstitch/runtime/Predicates"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as PredicateText from "./PredicateText.ts"
import type { Input } from "./predicateTest.ts"

const tones = { never: Terminal.good, kept: Terminal.bold, recovered: Terminal.wary }

const print = ({ changes, course, evaluations, id, run, says, ticks }: Predicates.Course): void => {
  Terminal.print(`${Terminal.bold("TESTING:")} ${id} | run=${run} | evaluated at ${evaluations} of ${ticks} ticks`)
  for (const { tick, type, verdict } of changes) {
    const word = verdict === "ok" ? Terminal.good("ok") : Terminal.bad(verdict)
    Terminal.print(`  tick ${String(tick).padStart(String(ticks).length)}  ${word.padEnd(9)}  ${type}`)
  }
  Terminal.print(`${tones[course](`${course.toUpperCase()}:`)} ${says}`)
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
