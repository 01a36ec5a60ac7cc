/**
 * Notes, in the trace, how long a role has been waited for, where the topology declares no `silence`: otherwise nobody
 * would be told of a wait without an end.
 *
 * A note ends nothing and blames nobody, since a role may work long. The first one is due once the role has called and
 * noted nothing for a time, and each next one after twice the time.
 */
import * as Memo from "@backstitch/topology/Memo"
import type { Transition } from "@backstitch/trace/Transition"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import { commit } from "./committedMemo.ts"
import * as FollowedEvents from "./followedEvents.ts"

/** An agent that is waited for: what it is to do, and who waits. */
export interface Awaited {
  readonly task: string
  readonly worker: string
  readonly boss: string
}

/** A wait for an agent that has given no sign since: its task, and the time and the tick at which that was noted. */
export interface OpenWait {
  readonly agent: string
  readonly task: string
  readonly millis: number
  readonly tick: number
}

/**
 * Lists the agents that are waited for at the end of a trace, in the order of their notes. A look at the world leaves
 * no sign of its own: it has ended once something is ordered or begun behind it.
 */
export const openIn = (transitions: ReadonlyArray<Transition>): ReadonlyArray<OpenWait> => {
  const waits = new Map<string, OpenWait>()
  const ordered = new Set<string>()
  for (const { body, tick } of transitions) {
    waits.delete(body.agent ?? "")
    if (body.type === "goal.complete") waits.clear()
    const memo = Memo.of(body)
    if (memo?.memo === "dispatch" || memo?.memo === "step") {
      for (const { agent, task } of waits.values()) if (!ordered.has(task)) waits.delete(agent)
    }
    if (memo?.memo === "dispatch") ordered.add(memo.task)
    if (memo?.memo !== "wait") continue
    const { millis, task, worker: agent } = memo
    waits.delete(agent)
    waits.set(agent, { agent, millis, task, tick })
  }
  return [...waits.values()]
}

/** Makes the effect that carries work out, and notes meanwhile that its agent is waited for. */
export const make = (handle: RunHandle.RunHandle) => {
  const seen = FollowedEvents.make<Map<string, number>>(handle, {
    init: () => new Map(),
    step: (self, { agent, at }) => (agent === undefined ? self : self.set(agent, at))
  })

  const noting = Effect.fnUntraced(function* ({ boss, task, worker }: Awaited) {
    const begun = yield* Clock.currentTimeMillis
    let since = begun
    let wait: number = Limits.pacing.waitNoteMillis
    while (true) {
      const now = yield* Clock.currentTimeMillis
      yield* Effect.sleep(Math.max(0, since + wait - now))
      const last = (yield* seen).get(worker) ?? 0
      if (last > since) {
        since = last
        wait = Limits.pacing.waitNoteMillis
        continue
      }
      const millis = (yield* Clock.currentTimeMillis) - since
      const memo: Memo.Memo = { memo: "wait", task, worker, millis }
      // A note that is refused is left out: work goes on without it.
      yield* commit(handle, memo, { agent: boss, command: `wait for ${task} from ${begun}, ${since + wait}` })
      wait *= 2
    }
  })

  return <A, E, R>(work: Effect.Effect<A, E, R>, awaited: Awaited): Effect.Effect<A, E, R> =>
    Effect.raceFirst(
      work,
      Effect.catchCause(noting(awaited), () => Effect.never)
    )
}
