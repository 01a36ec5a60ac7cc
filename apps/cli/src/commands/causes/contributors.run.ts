/** Finds what led to an onset. */
import * as ContributorSearch from "@backstitch/runtime/ContributorSearch"
import * as Effect from "effect/Effect"
import * as ContributorsView from "../../output/versions/ContributorsView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import type { Input } from "./contributors.ts"
import * as QuestionFlags from "./QuestionFlags.ts"

/** Bisects a run and finds what led to the onset. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* (input, globals) {
    const run = yield* StoreSession.find(input.run, globals)
    const asked = yield* QuestionFlags.one(QuestionFlags.asked(input))
    const answer = yield* ContributorSearch.contributors(run, asked, { budget: input.budget })
    const next = ContributorsView.next(answer).map((step) => Spelling.told(step))
    return Printer.answer({ ...answer, next }, () => ContributorsView.print(answer))
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
