/** Records that a person approved or denied an intent that waits: the handlers of `approve` and `deny`. */
import * as ReviewDecision from "@backstitch/runtime/ReviewDecision"
import * as Effect from "effect/Effect"
import type { Input } from "../../input/DecisionFlags.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
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
}: ReviewDecision.Decided): string => {
  if (!ok) return `${Terminal.bad("REFUSED:")} ${why}`
  const said = `run=${run} | review=${review} | ${tool} | by ${by} (${role})`
  if (already) return `${Terminal.wary(`ALREADY ${verdict.toUpperCase()}:`)} ${said}; nothing was committed`
  const word = verdict === "approved" ? Terminal.good("APPROVED:") : Terminal.wary("DENIED:")
  return `${word} ${said}${reason === undefined ? "" : `: ${reason}`}`
}

const print = (decided: ReviewDecision.Decided): void => {
  Terminal.print(headline(decided))
  Terminal.print(`${Terminal.dim("next")} ${Spelling.of(decided.next)}`)
}

/** Commits a verdict. */
const deciding =
  (verdict: ReviewDecision.Request["verdict"]): Handler<Input> =>
  ({ run: name, ...said }, globals) =>
    Effect.gen(function* () {
      const run = yield* StoreSession.find(name, globals)
      const decided = yield* ReviewDecision.decide(run, { ...said, verdict })
      const document = { ...decided, next: Spelling.told(decided.next) }
      return Printer.answer(document, () => print(decided), decided.ok ? 0 : 1)
    }).pipe(Effect.provide(StoreSession.writing(globals)))

/** Handler of `backstitch approve`. */
export const approve = { handler: deciding("approved") }

/** Handler of `backstitch deny`. */
export const deny = { handler: deciding("denied") }
