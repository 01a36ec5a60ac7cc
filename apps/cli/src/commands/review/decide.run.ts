/** Records that a person approved or denied an intent that waits: the handlers of `approve` and `deny`. */
import * as ReviewDecision from "@backstitch/runtime/ReviewDecision"
import { defined } from "@backstitch/trace/Defined"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Input } from "../../input/DecisionFlags.ts"
import type { Globals, Server } from "../../input/Globals.ts"
import type { Foreseen, Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"

const headline = ({
  already,
  by,
  ok,
  reason,
  review,
  role,
  run,
  tool,
  verdict,
  why
}: ReviewDecision.DecidedReview): string => {
  if (!ok) return `${Terminal.bad("REFUSED:")} ${why}`
  const said = `run=${run} | review=${review} | ${tool} | by ${by} (${role})`
  if (already) return `${Terminal.wary(`ALREADY ${verdict.toUpperCase()}:`)} ${said}; nothing was committed`
  const word = verdict === "approved" ? Terminal.good("APPROVED:") : Terminal.wary("DENIED:")
  return `${word} ${said}${reason === undefined ? "" : `: ${reason}`}`
}

const print = (decided: ReviewDecision.DecidedReview): void => {
  Terminal.print(headline(decided))
  Terminal.print(`${Terminal.dim("next")} ${Spelling.of(decided.next)}`)
}

/** Commits a verdict. */
const deciding =
  (verdict: ReviewDecision.DecisionRequest["verdict"]): Handler<Input> =>
  ({ run: name, ...said }, globals) =>
    Effect.map(decided({ run: name, ...said }, verdict, globals), (decided) => {
      const document = { ...decided, next: Spelling.told(decided.next) }
      return Printer.answer(document, () => print(decided), ExitCode.of(decided.ok))
    })

const decided = (
  { run: name, ...said }: Input,
  verdict: ReviewDecision.DecisionRequest["verdict"],
  globals: Globals
): Effect.Effect<ReviewDecision.DecidedReview, Foreseen> => {
  const { server } = globals
  if (server !== undefined) return served(server, { run: name, ...said }, verdict)
  return Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    return yield* ReviewDecision.decide(run, { ...said, verdict })
  }).pipe(Effect.provide(StoreSession.writing(globals)))
}

/** On a server the key says who decides, and another name is refused before anything is decided. */
const served = Effect.fnUntraced(function* (
  server: Server,
  { by, digest, reason, review, role, run }: Input,
  verdict: ReviewDecision.DecisionRequest["verdict"]
) {
  yield* ServerCall.signed(server, by, "--by")
  const payload = { verdict, reason: reason ?? verdict, ...defined({ digest, role }) }
  const named = yield* Effect.mapError(
    Schema.decodeUnknownEffect(Run.RunId)(run),
    () => new Usage({ problem: `"${run}" cannot name a run` })
  )
  return yield* ServerCall.ask(server, (api) =>
    api.reviews.decide({ params: { run: named, review }, headers: {}, payload })
  )
})

/** Handler of `backstitch approve`. */
export const approve = { handler: deciding("approved") }

/** Handler of `backstitch deny`. */
export const deny = { handler: deciding("denied") }
