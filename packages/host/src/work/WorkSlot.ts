/**
 * Bounds how many runs of a process are worked on at once, and lets a run that pauses give its place to another.
 *
 * Tenants take turns at places, and each tenant leaves some places to the others: work may take hours, and a tenant
 * that begins many runs would otherwise hold all places for as long.
 *
 * A pause is part of the work on a run, such as the minutes until a system of record is asked again. It ends at once
 * when the run is given up: everything known is durable by then.
 */
import * as Pause from "@backstitch/runtime/Pause"
import type { Tenant } from "@backstitch/trace/Run"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import * as Semaphore from "effect/Semaphore"
import * as Limits from "../Limits.ts"

/** The places of a process. */
export interface WorkSlots {
  /** Waits for a place for a run of a tenant. */
  readonly take: (tenant: Tenant) => Effect.Effect<void>
  readonly release: (tenant: Tenant) => Effect.Effect<void>
}

/** The places of one tenant, and how many of its runs have one or wait for one. */
interface Share {
  readonly places: Semaphore.Semaphore
  runs: number
}

/** Creates the places of a process. */
export const make = (runsMax: number): Effect.Effect<WorkSlots> =>
  Effect.map(PartitionedSemaphore.make<Tenant>({ permits: runsMax }), (room) => {
    const shares = new Map<Tenant, Share>()
    const left = Math.floor(runsMax / Limits.pacing.placesPerOther)
    const enter = (tenant: Tenant): Share => {
      const share = shares.get(tenant) ?? { places: Semaphore.makeUnsafe(runsMax - left), runs: 0 }
      shares.set(tenant, share)
      share.runs++
      return share
    }
    const leave = (tenant: Tenant, share: Share) =>
      Effect.sync(() => {
        share.runs--
        if (share.runs === 0) shares.delete(tenant)
      })
    const give = (tenant: Tenant, share: Share) => Effect.andThen(share.places.release(1), leave(tenant, share))
    return {
      take: (tenant) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.suspend(() => {
            const share = enter(tenant)
            return restore(share.places.take(1)).pipe(
              Effect.onInterrupt(() => leave(tenant, share)),
              Effect.andThen(Effect.onInterrupt(restore(room.take(tenant, 1)), () => give(tenant, share)))
            )
          })
        ),
      release: (tenant) => Effect.suspend(() => Effect.andThen(room.release(1), give(tenant, shares.get(tenant)!)))
    }
  })

/** Does the work on a run in a place of its tenant. `leaving` ends its pauses, and interrupts the work there. */
export const within =
  (slots: WorkSlots, tenant: Tenant, leaving: Effect.Effect<void>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      let isHeld = false
      const take = Effect.uninterruptibleMask((restore) =>
        Effect.map(restore(slots.take(tenant)), () => {
          isHeld = true
        })
      )
      const release = Effect.suspend(() => {
        if (!isHeld) return Effect.void
        isHeld = false
        return slots.release(tenant)
      })
      const pause = (millis: number) =>
        millis === 0
          ? Effect.void
          : Effect.gen(function* () {
              yield* release
              const isLeft = yield* Effect.race(
                Effect.as(Effect.sleep(Duration.millis(millis)), false),
                Effect.as(leaving, true)
              )
              yield* isLeft ? Effect.interrupt : take
            })
      const paused = Effect.provideService(work, Pause.Pause, pause)
      return Effect.ensuring(Effect.andThen(take, paused), release)
    })
