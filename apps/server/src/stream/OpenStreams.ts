/**
 * Limits the streams that are open at the same time, so that many readers of long runs hold up nobody. A tenant makes
 * as many keys as it likes, so it has a limit of its own, which leaves streams to the others.
 *
 * A stream goes on only after everything else that waits for the process.
 */
import type * as Access from "@backstitch/api/Access"
import * as Problem from "@backstitch/api/Problem"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Limits from "../Limits.ts"
import * as ServerMetrics from "../upkeep/ServerMetrics.ts"

const { keyStreamsMax, streamsMax, tenantStreamsMax } = Limits.refusing

/** The count of a server. */
export type OpenStreams = Effect.Success<typeof make>

/** Creates the count of a server. Each process has its own. */
export const make = Effect.sync(() => {
  /** By the callers and the tenants that have any. */
  const opened = new Map<string, number>()
  const change = (name: string, by: number) => {
    const count = (opened.get(name) ?? 0) + by
    if (count > 0) opened.set(name, count)
    else opened.delete(name)
  }
  const next = Semaphore.makeUnsafe(1)
  let all = 0
  const place = ({ key, tenant }: Pick<Access.CallerFacts, "key" | "tenant">) => {
    const [ofCaller, ofTenant] = [`key ${key}`, `tenant ${tenant}`]
    const counted = (by: number) =>
      Effect.sync(() => {
        change(ofCaller, by)
        change(ofTenant, by)
        all += by
      })
    return Effect.acquireRelease(
      Effect.suspend(() => {
        if ((opened.get(ofCaller) ?? 0) >= keyStreamsMax) return Effect.fail(tooManyOfKey)
        if ((opened.get(ofTenant) ?? 0) >= tenantStreamsMax) return Effect.fail(tooManyOfTenant)
        return all >= streamsMax ? Effect.fail(tooManyOfProcess) : counted(1)
      }),
      () => counted(-1)
    )
  }
  return {
    /** Opens a stream of a caller until the scope is closed; fails if too many are open. */
    open: (caller: Pick<Access.CallerFacts, "key" | "tenant">) => Effect.andThen(place(caller), ServerMetrics.stream),
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
const tooManyOfKey = tooMany(`A key may have ${keyStreamsMax} streams open. Close one, and repeat`)
const tooManyOfTenant = tooMany(`A tenant may have ${tenantStreamsMax} streams open. Close one, and repeat`)
const tooManyOfProcess = tooMany(
  `The server has its ${streamsMax} streams open. Repeat later, or read the transitions in pages`
)
