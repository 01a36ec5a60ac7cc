/** First tick and count of each kind of `kernel.anomaly`, so that "has one ever happened" needs no scan. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Part from "../state/Part.ts"
import type * as Payload from "../state/Payload.ts"
import type { State } from "../state/State.ts"

/** The count of one kind, and its first tick. */
export interface KindCount extends JsonObject {
  readonly count: number
  readonly first: number
}

/** Kinds of anomalies seen so far. */
export interface Anomalies extends JsonObject {
  readonly [kind: string]: KindCount | undefined
}

/** The part of the fold that counts anomalies. */
export const part: Part.Part<Anomalies> = Part.make<Anomalies, typeof Payload.views>("anomalies", {
  version: 1,
  init: {},
  on: {
    "kernel.anomaly": (self, { body, tick }) => {
      const { count = 1, kind } = body.data
      const seen = Object.hasOwn(self, kind) ? self[kind] : undefined
      return { ...self, [kind]: { count: (seen?.count ?? 0) + count, first: seen?.first ?? tick } }
    }
  }
})

/** Kinds of anomalies. */
export const kinds = [
  "action.move",
  "action.unrequested",
  "author",
  "predicate.failed",
  "replay.diverged",
  "replay.missing_output"
] as const

/** A kind of anomaly. Only these kinds are committed. */
export type AnomalyKind = (typeof kinds)[number]

/** First tick of a kind, or of any kind; `undefined` while there was none. */
export const first = (state: State, kind?: string): number | undefined => {
  const seen = Part.get(part, state)
  if (kind !== undefined) return Object.hasOwn(seen, kind) ? seen[kind]?.first : undefined
  const ticks = Object.values(seen).map((entry) => entry!.first)
  return ticks.length === 0 ? undefined : Math.min(...ticks)
}
