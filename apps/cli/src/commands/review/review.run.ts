/** Lists held actions, with the reasons. */
import * as HeldActions from "@backstitch/runtime/HeldActions"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Table from "../../terminal/Table.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./review.ts"

/** As wide as the label of an action, so that the following lines align with its text. */
const rail = " ".repeat("HELD:".length)

const print = (held: ReadonlyArray<HeldActions.HeldAction>): void => {
  if (held.length === 0) Terminal.print("Nothing is held")
  for (const { action, decision, discrepancy, next, run, settled, target, tool, triggers, why } of held) {
    const what = target === null ? "" : ` | target=${target}`
    const found = discrepancy === null ? "" : ` | ${discrepancy}: ${decision ?? "undecided"}`
    const label = Terminal.wary(settled ? "LOOK:" : "HELD:")
    Table.sentence(label, `run=${run} | ${Terminal.name(tool)} (${action})${what}${found}`)
    Table.sentence(rail, why)
    if (triggers.length > 0) Table.sentence(rail, `a person is asked to look: ${triggers.join(", ")}`)
    Terminal.print(`${Terminal.dim("next:")} ${Spelling.of(next)}`)
  }
}

/** Prints each held action with its reason and the next step. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* (input, globals) {
    const only = input.run === "" ? undefined : yield* StoreSession.run(input.run, globals)
    const { tenant } = only ?? (yield* StoreSession.run("any", globals))
    const held = yield* HeldActions.list(tenant, only)
    return Printer.answer({ held: Spelling.rows(held) }, () => print(held))
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
