/** Runs that are open in this process: one handle each, shared by all that use it. */
import * as Coordinator from "@backstitch/runtime/Coordinator"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import type { Run } from "@backstitch/trace/Run"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"

interface Kept {
  readonly scope: Scope.Closeable
  readonly handle: Deferred.Deferred<RunHandle.RunHandle, Coordinator.OpenError>
  users: number
}

/** Runs that are open. */
export interface OpenRuns {
  /**
   * Opens a run, or joins its open handle; the handle is in use until the scope is closed. Without an opening, the run
   * has to exist.
   */
  readonly use: (
    run: Run,
    opening: Coordinator.Opening | undefined
  ) => Effect.Effect<RunHandle.RunHandle, Coordinator.OpenError, Coordinator.Coordinator | Scope.Scope>
  /** Closes all runs. */
  readonly close: Effect.Effect<void>
}

/** Keeps handles that are not in use for the next caller, up to a maximum. */
export const make = (): OpenRuns => {
  const kept = new Map<string, Kept>()

  const closeIdle = Effect.gen(function* () {
    for (const [id, each] of kept) {
      if (kept.size <= Limits.pacing.openRunsMax) return
      if (each.users > 0) continue
      kept.delete(id)
      yield* Scope.close(each.scope, Exit.void)
    }
  })

  /** Counts its user before it waits for anything: what has none is closed by the next call that ends. */
  const opened = (run: Run, opening: Coordinator.Opening | undefined) =>
    Effect.gen(function* () {
      const known = kept.get(run.id)
      if (known !== undefined) {
        known.users++
        return known
      }
      const own: Kept = { scope: Scope.makeUnsafe(), handle: Deferred.makeUnsafe(), users: 1 }
      kept.set(run.id, own)
      const coordinator = yield* Coordinator.Coordinator
      const opens = opening === undefined ? coordinator.reopen(run) : coordinator.open(run, opening)
      const exit = yield* Effect.exit(Effect.provideService(opens, Scope.Scope, own.scope))
      if (Exit.isFailure(exit)) {
        kept.delete(run.id)
        yield* Scope.close(own.scope, exit)
      }
      yield* Deferred.done(own.handle, exit)
      return own
    })

  const left = (own: Kept) =>
    Effect.suspend(() => {
      own.users--
      return Effect.ignore(closeIdle)
    })

  return {
    use: Effect.fnUntraced(function* (run, opening) {
      const own = yield* Effect.acquireRelease(opened(run, opening), left)
      // The handle that was used last is the last one to be closed.
      if (kept.get(run.id) === own) {
        kept.delete(run.id)
        kept.set(run.id, own)
      }
      const handle = yield* Deferred.await(own.handle)
      const pinned = yield* handle.packDigest
      if (opening?.pack !== undefined && pinned !== opening.pack.digest) {
        return yield* new Coordinator.PackChanged({ run: run.id, pinned, given: opening.pack.digest })
      }
      return handle
    }),
    close: Effect.gen(function* () {
      const all = [...kept.values()]
      kept.clear()
      for (const { scope } of all) yield* Scope.close(scope, Exit.void)
    })
  }
}
