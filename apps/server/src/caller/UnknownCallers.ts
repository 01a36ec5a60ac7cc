/**
 * Limits the requests that come without a key or token in force, by the address that they come from.
 *
 * A text that was never recognised takes from the bucket of its address before anything is looked up, so that guesses
 * cost the store and the identity provider no more than the rate permits. One that is recognised gives it back, and its
 * digest is remembered: from then on no flood from its address, which may be that of a proxy, keeps it out. One whose
 * look-up fails gives it back, too: an outage says nothing of the caller.
 */
import type * as Access from "@backstitch/api/Access"
import * as Problem from "@backstitch/api/Problem"
import * as Digest from "@backstitch/trace/Digest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Limits from "../Limits.ts"
import * as RateLimit from "./RateLimit.ts"
import * as SenderAddress from "./SenderAddress.ts"

const unknown = Problem.make("CallerUnknown", 401, {
  detail:
    "No key that is in force came with the request. Send one as `Authorization: Bearer KEY`. An admin of the tenant makes keys"
})

/** Creates the limit of a server. Each process has its own. */
export const make = Effect.map(RateLimit.make, (rates) => {
  const recognised = new Set<Digest.Digest>()
  return {
    /** Answers the caller that `look` finds for a text; fails if there is none, or too many came from the address. */
    refuse: Effect.fnUntraced(function* <E>(text: string, look: Effect.Effect<Access.CallerFacts | undefined, E>) {
      const digest = Digest.ofBytes(text)
      const isKnown = recognised.has(digest)
      const address = yield* SenderAddress.of(yield* HttpServerRequest.HttpServerRequest)
      if (!isKnown) yield* rates.take(address)
      const giveBack = Effect.sync(() => {
        if (!isKnown) rates.giveBack(address)
      })
      const caller = yield* Effect.tapError(look, () => giveBack)
      recognised.delete(digest)
      if (caller === undefined) return yield* Effect.fail(unknown)
      yield* giveBack
      recognised.add(digest)
      // The least recently used comes first, and goes first.
      const [oldest = digest] = recognised
      if (recognised.size > Limits.refusing.ratedCallersMax) recognised.delete(oldest)
      return caller
    })
  }
})
