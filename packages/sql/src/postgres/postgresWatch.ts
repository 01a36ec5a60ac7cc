/**
 * Hears of commits that other processes make to a schema of Postgres.
 *
 * They announce them, and a connection listens. What is announced while that
 * connection is down, through a proxy that carries no notifications, or not at
 * all because its process was killed, is found by asking each second whether
 * anything was committed at all. Both happen while somebody follows, and not
 * otherwise.
 */
import type * as CommitSignal from "@backstitch/trace/CommitSignal"
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import type * as Scope from "effect/Scope"
import type { Query } from "../queries/Queries.ts"
import type * as Reader from "../queries/Reader.ts"
import { keysOf } from "./announcements.ts"
import type * as Postgres from "./Postgres.ts"

/** Two that are equal show the same rows. */
const snapshot: Query<{ readonly snapshot: string }> = {
  name: "current-snapshot",
  sql: "select pg_current_snapshot()::text as snapshot"
}

/** Creates what a follower opens to hear of others' commits: one watch for all of them, which ends with the last. */
export const watching = (
  postgres: Postgres.Postgres,
  reader: Pick<Reader.Reader, "named">,
  signal: CommitSignal.CommitSignal
): Effect.Effect<Effect.Effect<unknown, never, Scope.Scope>, never, Scope.Scope> => {
  const heard = (payload: string): void => {
    const keys = keysOf(payload)
    const runs = keys === "any" ? [undefined] : keys.map(reader.named)
    for (const run of runs) {
      if (run === undefined) signal.missed()
      else signal.moved(run)
    }
  }

  const listen = Effect.forever(
    Effect.andThen(postgres.listen({ ready: signal.missed, heard }), Effect.sleep("1 second"))
  )

  const look = Effect.suspend(() => {
    let seen: string | undefined
    const once = Effect.match(
      Effect.tryPromise(() => postgres.execute(snapshot, [])),
      {
        // A read says what is wrong.
        onFailure: signal.missed,
        onSuccess: ({ rows: [row] }) => {
          if (row?.snapshot === seen) return
          seen = row?.snapshot
          signal.missed()
        }
      }
    )
    return Effect.forever(Effect.andThen(once, Effect.sleep("1 second")))
  })

  const acquire = Effect.forkScoped(Effect.all([listen, look], { concurrency: "unbounded" }))
  return Effect.map(RcRef.make({ acquire }), RcRef.get)
}
