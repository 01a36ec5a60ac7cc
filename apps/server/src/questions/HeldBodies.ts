/**
 * Holds the bodies of questions in memory: few at once, by tenants in turn, and never all of one tenant, which may send
 * them as slowly as it likes. The others wait unread, and no more of one tenant than questions of it may wait.
 */
import type * as Problem from "@backstitch/api/Problem"
import type { Tenant } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import * as Semaphore from "effect/Semaphore"
import * as Limits from "../Limits.ts"
import * as QuestionPool from "./QuestionPool.ts"

/** Carries out what reads a body and is done with it at its end, once there is room. */
export type HeldBodies = (
  tenant: Tenant
) => <A, E, R>(question: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Problem.TypedProblem, R>

/** The bodies of one tenant: its share of the room, and how many are waiting and held. */
interface Line {
  readonly share: Semaphore.Semaphore
  waiting: number
  held: number
}

const { heldBodiesMax } = Limits.pacing

/** Creates the room. */
export const make: Effect.Effect<HeldBodies> = Effect.map(
  PartitionedSemaphore.make<Tenant>({ permits: heldBodiesMax }),
  (room) => {
    const lines = new Map<Tenant, Line>()
    const lineOf = (tenant: Tenant): Line => {
      const line = lines.get(tenant) ?? { share: Semaphore.makeUnsafe(heldBodiesMax - 1), waiting: 0, held: 0 }
      lines.set(tenant, line)
      return line
    }
    return (tenant) =>
      <A, E, R>(question: Effect.Effect<A, E, R>) =>
        Effect.suspend((): Effect.Effect<A, E | Problem.TypedProblem, R> => {
          const line = lineOf(tenant)
          if (line.waiting >= Limits.refusing.waitingQuestionsMax) return Effect.fail(QuestionPool.tooMany)
          line.waiting++
          let isHeld = false
          const hold = Effect.sync(() => {
            isHeld = true
            line.waiting--
            line.held++
          })
          const leave = Effect.sync(() => {
            if (isHeld) line.held--
            else line.waiting--
            if (line.held + line.waiting === 0) lines.delete(tenant)
          })
          const read = room.withPermit(tenant)(Effect.andThen(hold, question))
          return Effect.ensuring(line.share.withPermit(read), leave)
        })
  }
)
