/**
 * Notices commits that other connections make to a SQLite file.
 *
 * SQLite sends no notifications, so its data version is queried, which takes microseconds and no lock that a writer
 * waits for. It is queried only while somebody follows.
 */
import type * as CommitSignal from "@backstitch/trace/CommitSignal"
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import type * as Sqlite from "./Sqlite.ts"

/** Creates the watch on commits of others that all followers share. It ends with the last follower. */
export const watching = (
  connection: Sqlite.Sqlite,
  signal: CommitSignal.CommitSignal
): Effect.Effect<Effect.Effect<unknown, never, Scope.Scope>, never, Scope.Scope> =>
  Effect.map(
    RcRef.make({
      acquire: Effect.suspend(() => {
        let seen = versionOf(connection)
        const look = Effect.sync(() => {
          const version = versionOf(connection)
          if (version === seen && version !== undefined) return
          seen = version
          signal.missed()
        })
        return Effect.forkScoped(Effect.repeat(look, Schedule.spaced(Limits.pacing.fileLookMillis)))
      })
    }),
    RcRef.get
  )

/** Reads the data version of a file. `undefined` if that fails: the next read reports the fault, or waits. */
const versionOf = (connection: Sqlite.Sqlite): string | undefined => {
  try {
    return connection.version()
  } catch {
    return undefined
  }
}
