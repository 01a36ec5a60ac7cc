/**
 * Tells when a crack was treated, by what stands behind it in the trace.
 *
 * | crack | is treated once |
 * | --- | --- |
 * | `lost_handoff`, `worker_silence`, a `boss_death` whose worker had reported | the result of the task is taken over |
 * | the same, of a stage or of a step of a plan | another pass of the stage is judged, or a new plan is made |
 * | `cascading_poison` | the whole is green, of every item of which it was red |
 * | `stale_plan` | a new plan is made, behind the last step that failed |
 * | `deadlock`, `capitulation` | the goal is declared reached: a draft was shipped |
 *
 * Of all other cracks no trace shows a treatment: the damage is done, or the run has ended in its own way.
 */
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as Crack from "./Crack.ts"
import type { Noted, TopologyEvent } from "./TopologyEvent.ts"

/** The ways in which a crack is treated. */
export const ways = ["collected", "judged", "planned", "shipped"] as const

/** The treatment of a crack: its tick, and the way. */
export interface Treatment extends JsonObject {
  readonly tick: number
  readonly way: (typeof ways)[number]
}

/** The treatment of a crack; `undefined` if the trace does not show it. */
export const of = (crack: Crack.Crack, events: ReadonlyArray<TopologyEvent>): Treatment | undefined => {
  const notes = events.flatMap((event) => (event._tag === "Noted" ? [event] : []))
  const behind = notes.filter(({ tick }) => tick >= crack.tick)
  switch (crack.crack) {
    case "boss_death":
    case "lost_handoff":
    case "worker_silence":
      return crack.signal === "dispatched_again" ? undefined : handedOver(crack, notes)
    case "cascading_poison":
      return made("judged", green(behind))
    case "stale_plan":
      return made("planned", planned(behind))
    case "capitulation":
    case "deadlock":
      return made(
        "shipped",
        events.find(({ _tag, tick }) => _tag === "Finished" && tick >= crack.tick)
      )
    default:
      return undefined
  }
}

const made = (way: Treatment["way"], at: Pick<TopologyEvent, "tick"> | undefined): Treatment | undefined =>
  at && { tick: at.tick, way }

/** The collection of a task, or what took its place: another pass of its stage, or a new plan. */
const handedOver = (
  { agent, evidence: [ordered = 0], signal, subject, tick }: Crack.Crack,
  notes: ReadonlyArray<Noted>
): Treatment | undefined => {
  const before = notes.findLast(({ memo, tick }) => tick < ordered && (memo.memo === "step" || memo.memo === "plan"))
  const isStep = before?.memo.memo === "step" && before.memo.status === "begun"
  // An echo that is taken over as it is was believed, and not treated.
  let isReported = signal !== "echoed_brief"
  for (const note of notes) {
    const { memo } = note
    if (note.tick < tick) continue
    if (memo.memo === "report" && memo.task === subject && note.tick > tick) isReported = true
    if (memo.memo === "collect" && memo.task === subject && isReported) return made("collected", note)
    if (memo.memo === "gate" && agent !== undefined && note.agent === agent) return made("judged", note)
    if (memo.memo === "plan" && isStep) return made("planned", note)
  }
  return undefined
}

/** The verdict by which the last item became green as a whole. */
const green = (notes: ReadonlyArray<Noted>): Noted | undefined => {
  const last = new Map<string | undefined, Noted>()
  let isAllGreen = true
  for (const note of notes) if (note.memo.memo === "gate" && note.memo.whole === true) last.set(note.memo.item, note)
  for (const { memo } of last.values()) isAllGreen &&= memo.memo === "gate" && memo.green
  return isAllGreen ? [...last.values()].at(-1) : undefined
}

const planned = (notes: ReadonlyArray<Noted>): Noted | undefined => {
  const failed = notes.findLastIndex(({ memo }) => memo.memo === "step" && memo.status === "failed")
  return notes.slice(failed + 1).find(({ memo }) => memo.memo === "plan")
}
