/**
 * Notices commits that other processes make to a schema of Postgres.
 *
 * They announce their commits, and a connection listens. An announcement may be missing: that connection is down, a
 * proxy carries no notifications, or a process was killed before it announced. So a query each second asks, too,
 * whether anything was committed. Both go on for a while after the last follower has left. A follower that comes soon
 * after finds them at work, and need not wait a second for a commit that was not announced.
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

/** Tells of commits of all processes until the caller interrupts it: of those that are announced, and of any others. */
export const watch = (
  postgres: Pick<Postgres.Postgres, "execute" | "listen">,
  { heard, ready }: Postgres.Listener
): Effect.Effect<never> => {
  const listen = Effect.forever(
    Effect.andThen(postgres.listen({ ready, heard }), Effect.sleep(Limits.pacing.serverLookMillis))
  )
  const look = Effect.suspend(() => {
    let seen: string | undefined
    const once = Effect.match(
      Effect.tryPromise(() => postgres.execute(snapshot, [])),
      {
        // The following read reports the fault.
        onFailure: ready,
        onSuccess: ({ rows: [row] }) => {
          if (row?.snapshot === seen) return
          seen = row?.snapshot
          ready()
        }
      }
    )
    return Effect.forever(Effect.andThen(once, Effect.sleep(Limits.pacing.serverLookMillis)))
  })
  return Effect.andThen(Effect.all([listen, look], { concurrency: "unbounded" }), Effect.never)
}

/** Creates the watch on commits of others that all followers share. It ends with the last follower. */
export const watching = (
  postgres: Postgres.Postgres,
  reader: Pick<StoreReader.StoreReader, "named">,
  signal: CommitSignal.CommitSignal
): Effect.Effect<Effect.Effect<unknown, never, Scope.Scope>, never, Scope.Scope> => {
  // A key that one tenant does not know is most likely that of another. The next look finds it if it is not.
  const isAlone = postgres.tenant !== undefined
  const heard = (payload: string): void => {
    const keys = keysOf(payload)
    const runs = keys === "any" ? [undefined] : keys.map(reader.named)
    for (const run of runs) {
      if (run !== undefined) signal.moved(run)
      else if (keys === "any" || !isAlone) signal.missed()
    }
  }
  const told: Postgres.Listener = { ready: signal.missed, heard }
  const acquire = Effect.forkScoped(postgres.shared?.watch(told) ?? watch(postgres, told))
  const idleTimeToLive = Limits.pacing.listeningIdleMillis
  return Effect.map(RcRef.make({ acquire, idleTimeToLive }), RcRef.get)
}
