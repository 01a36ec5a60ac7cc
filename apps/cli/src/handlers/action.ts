/**
 * Prints one action on one page.
 *
 * @since 0.1.0
 */
import * as ActionPage from "@backstitch/runtime/ActionPage"
import * as Effect from "effect/Effect"
import * as ActionView from "../ActionView.ts"
import type { Input } from "../commands/action.ts"
import type { Handler } from "../Handler.ts"
import * as Session from "../Session.ts"
import * as Terminal from "../Terminal.ts"
import { version } from "../Version.ts"

/**
 * Prints everything that is known of an action.
 *
 * @category handlers
 * @since 0.1.0
 */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const tenant = yield* Session.tenant(globals)
    const run = input.run === undefined ? undefined : yield* Session.find(input.run, globals)
    const page = yield* ActionPage.of(input.id, { tenant, run, wrapper: version })
    if (globals.json) Terminal.document(page)
    else ActionView.print(page)
    return 0
  }).pipe(Effect.provide(Session.reading(globals)))
