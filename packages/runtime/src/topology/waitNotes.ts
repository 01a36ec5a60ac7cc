/**
 * Notes, in the trace, how long a role has been waited for, where the topology declares no `silence`: otherwise nobody
 * would be told of a wait without an end.
 *
 * A note ends nothing and blames nobody, since a role may work long. The first one is due once the role has called and
 * noted nothing for a time, and each next one after twice the time.
 */
import type * as Memo from "@backstitch/topology/Memo"
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
