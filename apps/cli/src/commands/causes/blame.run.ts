/** Finds the transition that set a field. */
import * as Blaming from "@backstitch/runtime/Blaming"
import type { Json } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as ValueText from "../../output/ValueText.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./blame.ts"

const print = ({ field, run, settings, tick, value }: Blaming.Blamed): void => {
  Terminal.print(`${Terminal.bold("BLAME:")} run=${run} | ${field} at tick ${tick} is ${shown(value)}`)
  const rows = settings.map(({ about, after, author, before, tick, type }) => [
    `tick ${tick}`,
    type,
    author,
    about ?? "",
    `${shown(before)} → ${shown(after)}`
  ])
  TextTable.print(rows, { rail: "  " })
}

const shown = (value: Json | undefined): string => (value === undefined ? "nothing" : ValueText.full(value) || "empty")

/** Prints the transitions that set a field. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* ({ field, history, run }, globals) {
    const blamed = yield* Blaming.blame(yield* StoreSession.place(run, globals), field, { history })
    return Printer.answer(blamed, () => print(blamed))
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
