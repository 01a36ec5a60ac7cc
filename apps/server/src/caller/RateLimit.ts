/**
 * Limits the requests of each caller: a bucket that fills at a steady rate, and that each request takes from.
 *
 * A caller is a key or, for requests without one in force, the address that they come from.
 */
import * as Problem from "@backstitch/api/Problem"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"

/** Requests of a key in a second, on average. */
export const Rate = Context.Reference<number>("@backstitch/server/Rate", {
  defaultValue: () => Limits.refusing.requestsPerSecond
})

/** Creates the buckets of a server. Each process has its own. */
export const make = Effect.gen(function* () {
  const perSecond = yield* Rate
  const burstMax = perSecond * Limits.refusing.burstSecondsMax
  const buckets = new Map<string, { readonly left: number; readonly at: number }>()
  return {
    /** Takes from the bucket of a caller; fails if it is empty. */
    take: Effect.fnUntraced(function* (caller: string) {
      const now = yield* Clock.currentTimeMillis
      const { at, left } = buckets.get(caller) ?? { at: now, left: burstMax }
      const filled = Math.min(burstMax, left + ((now - at) * perSecond) / 1000)
      buckets.delete(caller)
      // A refused request takes nothing, or a caller that asks a little too often would never be answered again.
      buckets.set(caller, { at: now, left: filled < 1 ? filled : filled - 1 })
      // The least recently used comes first, and goes first.
      const [oldest = caller] = buckets.keys()
      if (buckets.size > Limits.refusing.ratedCallersMax) buckets.delete(oldest)
      if (filled < 1) return yield* Effect.fail(problem(perSecond))
    }),
    /** Gives back what a request has taken from the bucket of another caller than its own. */
    giveBack: (caller: string): void => {
      const bucket = buckets.get(caller)
      if (bucket !== undefined) buckets.set(caller, { ...bucket, left: bucket.left + 1 })
    }
  }
})

const problem = (perSecond: number) =>
  Problem.make("RequestsTooMany", 429, {
    detail: `A caller may make ${perSecond} requests in a second on average. Wait a second, and repeat`
  })
