/**
 * Tells the operator, in the log, why the store did not do what it was asked. Callers are told no more than that it did
 * not: the reason names the place of the store.
 *
 * A store that fails is asked again and again. So one reason is logged once a minute at most, however many ask.
 */
import * as Branded from "@backstitch/trace/Branded"
import { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Limits from "../Limits.ts"

/** The moments at which the reasons were logged last, by the words of each. */
const Logged = Context.Reference<Map<string, number>>("@backstitch/server/LoggedStoreFaults", {
  defaultValue: () => new Map()
})

/** Layer that begins the log of a server: its first failure is logged, whatever another server has logged. */
export const layer: Layer.Layer<never> = Layer.sync(Logged, () => new Map())

/** Logs why a store has failed, if it has. */
export const log = Effect.fnUntraced(function* (error: unknown) {
  if (!Branded.isError(error, TraceStoreError)) return
  const logged = yield* Logged
  const now = yield* Clock.currentTimeMillis
  const reason = `${error.operation} ${error.reason}`
  const last = logged.get(reason)
  if (last !== undefined && now - last < Limits.pacing.storeFaultMillis) return
  logged.set(reason, now)
  yield* Effect.logError(`The store did not do what it was asked. ${error.forLogs}`)
})
