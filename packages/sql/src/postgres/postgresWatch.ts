/**
 * Notices commits that other processes make to a schema of Postgres.
 *
 * They announce their commits, and a connection listens. Announcements may be missing: while that connection is down,
 * through a proxy that carries no notifications, or if a process was killed. Then a query each second finds whether
 * anything was committed. Both run while somebody follows, and for a while after. Otherwise each of several followers
 * in a row would begin to listen anew, and would miss for up to a second a commit that was not announced.
 */
import type * as CommitSignal from "@backstitch/trace/CommitSignal"
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import type { Query } from "../queries/Queries.ts"
import type * as StoreReader from "../queries/StoreReader.ts"
import { keysOf } from "./announcements.ts"
import type * as Postgres from "./Postgres.ts"

/** Two equal snapshots show the same rows. */
const snapshot: Query<{ readonly snapshot: string }> = {
  name: "current-snapshot",
  sql: "select pg_current_snapshot()::text as snapshot"
}

/** Creates the watch on commits of others that all followers share. It ends with the last follower. */
export const watching = (
  postgres: Postgres.Postgres,
  reader: Pick<StoreReader.StoreReader, "named">,
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
    Effect.andThen(postgres.listen({ ready: signal.missed, heard }), Effect.sleep(Limits.pacing.serverLookMillis))
  )

  const look = Effect.suspend(() => {
    let seen: string | undefined
    const once = Effect.match(
      Effect.tryPromise(() => postgres.execute(snapshot, [])),
      {
        // The following read reports the fault.
        onFailure: signal.missed,
        onSuccess: ({ rows: [row] }) => {
          if (row?.snapshot === seen) return
          seen = row?.snapshot
          signal.missed()
        }
      }
    )
    return Effect.forever(Effect.andThen(once, Effect.sleep(Limits.pacing.serverLookMillis)))
  })

  const acquire = Effect.forkScoped(Effect.all([listen, look], { concurrency: "unbounded" }))
  const idleTimeToLive = Limits.pacing.listeningIdleMillis
  return Effect.map(RcRef.make({ acquire, idleTimeToLive }), RcRef.get)
}
