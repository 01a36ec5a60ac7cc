/**
 * A store with a power cut: commits that were not flushed are lost, and no later call is answered.
 *
 * A process that dies may still close its files. After a power cut that is impossible: unflushed data never reach the
 * disk.
 */
import { TraceStore } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The n-th flush, counted from 1, and whether the power is cut before or after it. */
export interface Cut {
  readonly flush: number
  readonly when: "before" | "after"
}

/** A store and its power. */
export interface Powered {
  /** The store while the power is on. */
  readonly layer: Layer.Layer<TraceStore>
  /** Cuts the power and ends the caller. */
  readonly cut: Effect.Effect<never>
  /** Counts the flushes so far. */
  readonly flushes: () => number
}

/** The defect with which a process ends when its power is cut. */
export const defect = "the power is off"

/** Powers a store until the power is cut by hand or at a flush. The store then holds all flushed data. */
export const make = (disk: TraceStore["Service"], at?: Cut): Powered => {
  let isOff = false
  let flushes = 0
  const cut = Effect.suspend(() => {
    isOff = true
    return Effect.die(defect)
  })
  const reads =
    <Input extends ReadonlyArray<unknown>, A, E>(call: (...input: Input) => Effect.Effect<A, E>) =>
    (...input: Input): Effect.Effect<A, E> =>
      Effect.suspend(() => (isOff ? Effect.die(defect) : call(...input)))
  const writes =
    <Input extends ReadonlyArray<unknown>, A, E>(call: (...input: Input) => Effect.Effect<A, E>) =>
    (...input: Input): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        if (isOff) return Effect.die(defect)
        if (++flushes !== at?.flush) return call(...input)
        return at.when === "before" ? cut : Effect.andThen(Effect.exit(call(...input)), cut)
      })
  const powered = TraceStore.of({
    ...disk,
    append: writes(disk.append),
    putBlobs: writes(disk.putBlobs),
    putSnapshot: writes(disk.putSnapshot),
    putFingerprint: writes(disk.putFingerprint),
    putIdentity: writes(disk.putIdentity),
    info: reads(disk.info),
    read: reads(disk.read),
    runs: reads(disk.runs),
    claims: reads(disk.claims),
    getBlobs: reads(disk.getBlobs),
    nearestSnapshot: reads(disk.nearestSnapshot),
    snapshotTicks: reads(disk.snapshotTicks),
    fingerprint: reads(disk.fingerprint),
    identity: reads(disk.identity)
  })
  return { layer: Layer.succeed(TraceStore, powered), cut, flushes: () => flushes }
}
