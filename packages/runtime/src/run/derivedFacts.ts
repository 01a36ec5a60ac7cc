/**
 * Records what follows from the record of an open run: facts about its subtasks, and alarms of its topology.
 *
 * They are derived from durable transitions, and become durable with the next commit. If the process ends before that,
 * the next one derives them again.
 */
import type * as Command from "@backstitch/kernel/Command"
import * as Alarms from "@backstitch/topology/Alarms"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Writer } from "../engine/writer.ts"
import * as OpenRecord from "../history/openRecord.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as SubtaskLift from "../history/subtaskLift.ts"

/** Makes the recorder of an open run, from its writer and its record. */
export const make = Effect.fnUntraced(function* <E>(writer: Writer<E>, { alarms, subtasks }: OpenRecord.OpenRecords) {
  const library = yield* PackLibrary.PackLibrary
  const raising = yield* Semaphore.make(1)

  const isWatched = Effect.suspend(() => {
    const { head, state } = writer.at()
    return library.folding(() => OpenRecord.isWatched(library.packAt(state, head.tick + 1)))
  })
  const alarmsNow = Effect.flatMap(isWatched, (isOn) => (isOn ? alarms : Effect.succeed(undefined)))

  const stage = (fact: Omit<Command.Annotation, "_tag">) =>
    writer.decide(() => ({ _tag: "Annotate", ...fact }) as Command.Annotation, { action: "" })

  const noteSubtasks = Effect.suspend(() =>
    SubtaskLift.isOn(writer.at().state)
      ? Effect.flatMap(subtasks.fresh, (facts) => Effect.forEach(facts, stage, { discard: true }))
      : Effect.void
  )

  /**
   * Stages the alarms that are due; answers whether there are any. Fibers of one handle take turns, so that none stages
   * an alarm between what another one reads and what it stages.
   */
  const raise = Effect.gen(function* () {
    const waiting = new Set(writer.standing().staged.map(({ body }) => Alarms.recordedIn(body)?.crack))
    const fresh = Alarms.due((yield* alarmsNow) ?? Alarms.none).filter(({ crack }) => !waiting.has(crack))
    for (const crack of fresh) yield* stage({ type: "predicate.violation", data: Alarms.dataOf(crack) })
    return fresh.length > 0
  }).pipe(raising.withPermits(1))

  return {
    /** The alarms of the run by what is durable; `undefined` if its pack declares no topology. */
    alarms: alarmsNow,
    /** Stages the facts and the alarms that nobody has recorded. */
    note: Effect.andThen(noteSubtasks, raise),
    /** Makes everything durable, with the alarms that are due by then. */
    flush: Effect.andThen(
      writer.flush,
      Effect.flatMap(raise, (isRaised) => (isRaised ? writer.flush : Effect.void))
    )
  }
})
