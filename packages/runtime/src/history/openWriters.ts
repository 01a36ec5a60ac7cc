/** The writers of a process, by run. Before a read they are asked to make their decisions durable. */
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Writers of this process with decisions that are not durable yet. */
export interface OpenWriters {
  /** Registers how to make a writer's decisions on a run durable, until the scope is closed. */
  readonly written: (run: Run, flush: Effect.Effect<void, unknown>) => Effect.Effect<void, never, Scope.Scope>
  /** Reads after all decisions on a run are durable. If they cannot be made durable, nothing is read. */
  readonly settled: <A, E>(run: Run, read: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Makes a registry without writers. */
export const make = (): OpenWriters => {
  const writers = new Map<string, Set<Effect.Effect<void, unknown>>>()
  return {
    written: (run, flush) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => {
            const own = writers.get(nameOf(run)) ?? new Set()
            writers.set(nameOf(run), own.add(flush))
            return own
          }),
          (own) =>
            Effect.sync(() => {
              own.delete(flush)
              if (own.size === 0) writers.delete(nameOf(run))
            })
        )
      ),
    settled: (run, read) =>
      Effect.suspend(() => {
        const own = writers.get(nameOf(run))
        return own === undefined
          ? read
          : Effect.andThen(
              Effect.forEach([...own], (flush) => Effect.ignore(flush)),
              read
            )
      })
  }
}

const nameOf = ({ id, tenant }: Run): string => JSON.stringify([tenant, id])
