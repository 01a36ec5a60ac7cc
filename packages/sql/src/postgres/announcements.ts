/**
 * Notifies other processes about the runs of a schema that have new commits.
 *
 * An announcement is no part of a commit: it would hold a lock of the whole server while the commit is flushed, and
 * serialise all commits. It follows the commit, no caller waits for it, and the announcements of a short time are
 * combined. If no process listens, there is at most one statement per second, which finds that nobody listens. If a
 * process is killed before its announcement, a follower finds the commit by its own next look.
 *
 * Any role of a database can listen to it, so runs are announced by their keys.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import type * as Postgres from "./Postgres.ts"

/** Keys as one payload, in order. An unknown key gives an empty payload, which means any run. */
const payloadOf = (keys: ReadonlySet<number> | "any"): string => (keys === "any" ? "" : [...keys].join(" "))

/** The keys of a payload; `"any"` if it names none. */
export const keysOf = (payload: string): ReadonlyArray<number> | "any" =>
  /^\d+( \d+)*$/.test(payload) ? payload.split(" ").map(Number) : "any"

/** Begins to announce. The rest is announced when the scope closes. */
export const make = Effect.fnUntraced(function* (
  postgres: Postgres.Postgres
): Effect.fn.Return<Postgres.Announcements, never, Scope.Scope> {
  let due: Set<number> | "any" = new Set()
  let sending: Promise<void> = Promise.resolve()
  let pause: NodeJS.Timeout | undefined
  let isPausing = false

  const send = () => {
    if (due !== "any" && due.size === 0) return
    const payload = payloadOf(due)
    due = new Set()
    isPausing = true
    sending = postgres
      .notify(payload)
      .catch(() => false)
      .then((isHeard) => {
        // A pause that no caller waits for does not keep the process alive.
        pause = setTimeout(resume, isHeard ? Limits.pacing.announcementMillis : Limits.pacing.unheardMillis).unref()
      })
  }
  const resume = () => {
    isPausing = false
    send()
  }

  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      await sending
      send()
      await sending
      clearTimeout(pause)
    })
  )

  return {
    announce: (key) => {
      if (key === undefined || due === "any" || due.size === Limits.pacing.announcedRunsMax) due = "any"
      else due.add(key)
      if (!isPausing) send()
    }
  }
})
