/** The terms of a request for approval, in words: why a person is asked, how far a yes goes, and how long it counts. */
import * as Duration from "@backstitch/contracts/Duration"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as Lexicon from "../ports/Lexicon.ts"

/** The reason, the reach of a yes, and the time for which it counts; `null` if it does not expire. */
export interface ApprovalTerms {
  readonly why: string
  readonly permits: string
  readonly expiresMillis: number | null
}

/** A request as it is on record: its tool, its reason, and the act that waits for it, if that was done already. */
export interface Requested {
  readonly tool: string
  readonly why?: Parameters<typeof Wording.tell>[0]
  readonly after?: string | undefined
  /** The time that the contract gives a yes. */
  readonly expiresMillis?: number | undefined
}

/** Words the terms of a request. */
export const of = Effect.fnUntraced(function* ({ after, expiresMillis, tool, why }: Requested) {
  const words = yield* Lexicon.Lexicon
  const lasts = expiresMillis === undefined ? {} : { lasts: Duration.format(expiresMillis) }
  const terms: ApprovalTerms = {
    why: Wording.tell(why, words),
    permits: words.approvals.permits({ tool, after, ...lasts }),
    expiresMillis: expiresMillis ?? null
  }
  return terms
})
