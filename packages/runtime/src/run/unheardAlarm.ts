/** The alarm of a topology to which no person has written since, as the hold of its run. */
import * as Finding from "@backstitch/kernel/Finding"
import type { Held } from "@backstitch/kernel/Outcome"
import * as Alarms from "@backstitch/topology/Alarms"
import * as Crack from "@backstitch/topology/Crack"
import * as Effect from "effect/Effect"
import type * as RunHandle from "./RunHandle.ts"

/** The hold of a run at its head; `undefined` if nothing holds it at an alarm. */
export const of = Effect.fnUntraced(function* (handle: RunHandle.RunHandle) {
  // Alarms follow from what is durable, and a call too many is not made while others wait for their commit.
  yield* handle.flush
  const crack = Alarms.unheard((yield* handle.alarms) ?? Alarms.none)
  if (crack === undefined) return undefined
  const { tick } = yield* handle.standing
  const predicate = Crack.predicateOf(crack.crack)
  const held: Held = {
    _tag: "Held",
    tick,
    action: predicate,
    why: Finding.make("alarm.unheard", { predicate, since: crack.tick })
  }
  return held
})
