/**
 * Holds the bodies of questions in memory: few at once, by tenants in turn. The others wait unread, and no more of one
 * tenant than questions of it may wait.
 */
import type * as Problem from "@backstitch/api/Problem"
import type { Tenant } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import * as Limits from "../Limits.ts"
import * as QuestionPool from "./QuestionPool.ts"

/** Carries out what reads a body and is done with it at its end, once there is room. */
export type HeldBodies = (
  tenant: Tenant
) => <A, E, R>(question: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Problem.Typed, R>

/** Creates the room. */
export const make: Effect.Effect<HeldBodies> = Effect.map(
  PartitionedSemaphore.make<Tenant>({ permits: Limits.pacing.heldBodiesMax }),
  (room) => {
    const waiting = new Set<{ readonly tenant: Tenant }>()
    return (tenant) =>
      <A, E, R>(question: Effect.Effect<A, E, R>) =>
        Effect.suspend((): Effect.Effect<A, E | Problem.Typed, R> => {
          const ofTenant = [...waiting].filter((each) => each.tenant === tenant)
          if (ofTenant.length >= Limits.refusing.waitingQuestionsMax) return Effect.fail(QuestionPool.tooMany)
          const own = { tenant }
          waiting.add(own)
          const leave = Effect.sync(() => waiting.delete(own))
          return Effect.ensuring(room.withPermit(tenant)(Effect.andThen(leave, question)), leave)
        })
  }
)
