/**
 * Finds what led to an onset.
 *
 * @since 0.1.0
 */
import * as Contributing from "@backstitch/runtime/Contributing"
import * as Effect from "effect/Effect"
import * as Asking from "../Asking.ts"
import * as ContributorsView from "../ContributorsView.ts"
import type { Input } from "../commands/contributors.ts"
import type { Handler } from "../Handler.ts"
import * as Session from "../Session.ts"
import * as Terminal from "../Terminal.ts"

/**
 * Bisects a run and finds what led to the onset.
 *
 * @category handlers
 * @since 0.1.0
 */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* (input, globals) {
    const run = yield* Session.find(input.run, globals)
    const asked = yield* Asking.one(Asking.asked(input))
    const answer = yield* Contributing.contributors(run, asked, { budget: input.budget })
    if (globals.json) Terminal.document(answer)
    else ContributorsView.print(answer)
    return 0
  },
  (effect, _, globals) => Effect.provide(effect, Session.reading(globals))
)
