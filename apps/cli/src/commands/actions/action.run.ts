/** Prints one action on one page. */
import * as ActionPage from "@backstitch/runtime/ActionPage"
import * as AuditConfirmation from "@backstitch/runtime/AuditConfirmation"
import * as RunVerification from "@backstitch/runtime/RunVerification"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as HeadFlag from "../../input/HeadFlag.ts"
import * as ActionView from "../../output/ActionView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import type { Input } from "./action.ts"

/** Prints all that is known of an action. */
export const handler: Handler<Input> = (input, globals) => {
  const read = Effect.gen(function* () {
    const tenant = yield* StoreSession.tenant(globals)
    const run = input.run === undefined ? undefined : yield* StoreSession.find(input.run, globals)
    const page = yield* ActionPage.of(input.id, { tenant, run })
    if (input.head === undefined) return Printer.answer(page, () => ActionView.print(page))
    const found = yield* AuditConfirmation.of(Run.make(page.run, tenant), input.head)
    const audit = { ...found, actions: found.actions.filter(({ action }) => action === page.action) }
    const isSound = RunVerification.isSound(audit.verification)
    return Printer.answer({ ...page, audit }, () => ActionView.print(page, audit), ExitCode.of(isSound))
  })
  return Effect.andThen(HeadFlag.check(input.head), Effect.provide(read, StoreSession.reading(globals)))
}
