/**
 * Holds a run at an alarm of its topology, if its pack says `on_alarm: hold`.
 *
 * A run is held from its first alarm on until a person has written to it: a message, a decision or a revision. That
 * follows from the record, so a crash lifts no hold. A script and a recording are held like a model.
 *
 * @source Crash Recovery, "pre-wire recovery and alarms"
 */
import * as Finding from "@backstitch/kernel/Finding"
import * as Goal from "@backstitch/kernel/Goal"
import type { Held } from "@backstitch/kernel/Outcome"
import * as Alarms from "@backstitch/topology/Alarms"
import * as Crack from "@backstitch/topology/Crack"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as PackLibrary from "../history/PackLibrary.ts"
import type * as RunHandle from "./RunHandle.ts"

/** A person's word on an alarm, with which the run goes on: the id of the crack, the person and the reason. */
export interface Passing {
  readonly alarm: string
  readonly by: string
  readonly reason: string
}

/** An alarm on record, by the id of its crack, and the tick since which the crack is there. */
export interface Alarm {
  readonly predicate: string
  readonly tick: number
}

/** Error for an alarm that does not hold the run: there is none of this name, or a person has written since. */
export class AlarmNotStanding extends Schema.TaggedError<AlarmNotStanding>("@backstitch/runtime/AlarmNotStanding")(
  "AlarmNotStanding",
  { run: Schema.String, alarm: Schema.String, standing: Schema.optionalKey(Schema.String) }
) {
  override get message(): string {
    const { alarm, run, standing } = this
    const instead =
      standing === undefined
        ? "No alarm holds it: resume it without passing one"
        : `The alarm that holds it is ${standing}: look at it, and pass that one`
    return `Run ${run} is not held at ${alarm}. ${instead}`
  }
}

/** The hold of a run at its head; `undefined` if its goal is reached, or if nothing holds it at an alarm. */
export const of = Effect.fnUntraced(function* (handle: RunHandle.RunHandle) {
  const library = yield* PackLibrary.PackLibrary
  const { state, tick } = yield* handle.standing
  const pack = yield* library.inForce(state, tick + 1)
  return pack?.topology?.holds !== true || Goal.isReached(state) ? undefined : yield* unheard(handle)
})

/** The hold of a run at an alarm to which no person has written since, whatever its pack says. */
export const unheard = Effect.fnUntraced(function* (handle: RunHandle.RunHandle) {
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

/** The alarms of a run that are on record, the earliest first. */
export const recorded = (handle: RunHandle.RunHandle) =>
  Effect.map(handle.alarms, (alarms): ReadonlyArray<Alarm> => {
    const { raised, recorded } = alarms ?? Alarms.none
    return [...raised.values()]
      .filter(({ crack }) => recorded.has(crack))
      .map(({ crack, tick }) => ({ predicate: Crack.predicateOf(crack), tick }))
  })

/** Puts on record that a person has looked at the alarm that holds a run, so that the run goes on. */
export const pass = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, { alarm, by, reason }: Passing) {
  const standing = (yield* of(handle))?.action
  if (standing !== alarm) {
    const instead = standing === undefined ? {} : { standing }
    return yield* new AlarmNotStanding({ run: handle.run.id, alarm, ...instead })
  }
  return yield* handle.propose({
    author: "user",
    type: "message.received",
    data: { by, content: reason, past: alarm }
  })
})
