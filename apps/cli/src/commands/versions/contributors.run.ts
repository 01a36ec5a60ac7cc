/** Finds what led to an onset. */
import * as Contributing from "@backstitch/runtime/Contributing"
import * as Effect from "effect/Effect"
import * as ContributorsView from "../../output/ContributorsView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as Session from "../../program/Session.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as Asking from "./Asking.ts"
import type { Input } from "./contributors.ts"

/** Bisects a run and finds what led to the onset. */
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
