/**
 * Tells other processes which runs of a schema have moved.
 *
 * An announcement is no part of a commit: it would hold a lock of the whole
 * server while the commit is flushed, and make all commits wait for one
 * another. It follows the commit, nobody waits for it, and those of a short
 * while go together. Where nobody listens there is one statement a second at
 * most, which announces nothing. A process that is killed before it can say
 * so is found out by the next look of a follower.
 *
 * Any role of a database can listen to it, so runs are told by their keys.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Postgres from "./Postgres.ts"

/** A payload is shorter than 8,000 bytes; a key has 16 digits at most. */
const namedMax = 400

/** Keys in the order of a payload; one that is not known names nothing, which means any. */
const payloadOf = (keys: ReadonlySet<number> | "any"): string => (keys === "any" ? "" : [...keys].join(" "))

/** The keys of a payload; `"any"` if it names none. */
export const keysOf = (payload: string): ReadonlyArray<number> | "any" =>
  /^\d+( \d+)*$/.test(payload) ? payload.split(" ").map(Number) : "any"

// A follower hears of a commit within so many milliseconds, and a writer speaks no more often.
const pauseMillis = 50

// Where nobody listens it is tried as often as a follower looks by itself.
const silenceMillis = 1000

/** Begins to announce. What is left when the scope closes is announced then. */
export const make = Effect.fnUntraced(function* (
  postgres: Postgres.Postgres
): Effect.fn.Return<{ readonly announce: (key: number | undefined) => void }, never, Scope.Scope> {
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
        // What nobody waits for does not keep the process.
        pause = setTimeout(resume, isHeard ? pauseMillis : silenceMillis).unref()
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
      if (key === undefined || due === "any" || due.size === namedMax) due = "any"
      else due.add(key)
      if (!isPausing) send()
    }
  }
})
