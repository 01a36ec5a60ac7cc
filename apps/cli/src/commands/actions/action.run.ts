/** Prints one action on one page. */
import * as ActionPage from "@backstitch/runtime/ActionPage"
import * as Effect from "effect/Effect"
import * as ActionView from "../../output/ActionView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import type { Input } from "./action.ts"

/** Prints all that is known of an action. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const tenant = yield* StoreSession.tenant(globals)
    const run = input.run === undefined ? undefined : yield* StoreSession.find(input.run, globals)
    const page = yield* ActionPage.of(input.id, { tenant, run })
    return Printer.answer(page, () => ActionView.print(page))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
