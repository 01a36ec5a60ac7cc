/**
 * Limits the streams that are open at the same time, so that many readers of long runs hold up nobody.
 *
 * A stream goes on only after everything else that waits for the process.
 */
import * as Problem from "@backstitch/api/Problem"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Limits from "../Limits.ts"
import * as ServerMetrics from "../upkeep/ServerMetrics.ts"

const { streamsMax, keyStreamsMax } = Limits.refusing

/** The count of a server. */
export type OpenStreams = Effect.Success<typeof make>

/** Creates the count of a server. Each process has its own. */
export const make = Effect.sync(() => {
  const opened = new Map<string, number>()
  const next = Semaphore.makeUnsafe(1)
  let all = 0
  const place = (caller: string) =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        const own = opened.get(caller) ?? 0
        if (own >= keyStreamsMax) return Effect.fail(ofKey)
        if (all >= streamsMax) return Effect.fail(ofProcess)
        opened.set(caller, own + 1)
        all++
        return Effect.void
      }),
      () =>
        Effect.sync(() => {
          const left = (opened.get(caller) ?? 1) - 1
          if (left > 0) opened.set(caller, left)
          else opened.delete(caller)
          all--
        })
    )
  return {
    /** Opens a stream of a caller until the scope is closed; fails if too many are open. */
    open: (caller: string) => Effect.andThen(place(caller), ServerMetrics.stream),
    /** Waits until the process has looked at its connections, one stream after the other. */
    afterOthers: next.withPermit(
      Effect.callback<void>((resume) => {
        const handle = setImmediate(() => resume(Effect.void))
        return Effect.sync(() => clearImmediate(handle))
      })
    )
  }
})

const tooMany = (detail: string) => Problem.make("StreamsTooMany", 429, { detail })
const ofKey = tooMany(`A key may have ${keyStreamsMax} streams open. Close one, and repeat`)
const ofProcess = tooMany(
  `The server has its ${streamsMax} streams open. Repeat later, or read the transitions in pages`
)
