/**
 * Tells when a crack was treated, by what stands behind it in the trace.
 *
 * | crack | is treated once |
 * | --- | --- |
 * | `lost_handoff`, `worker_silence`, a `boss_death` by its report | the result of the task is taken over |
 * | `cascading_poison` | the whole is green, of every item of which it was red |
 * | `stale_plan` | a new plan is made, behind the last step that failed |
 *
 * Of all other cracks no trace shows a treatment: the damage is done, or the run has ended in its own way.
 */
import type * as Crack from "./Crack.ts"
import type { Noted, TopologyEvent } from "./TopologyEvent.ts"

/** The tick at which a crack was treated; `undefined` if the trace does not show it. */
export const tickOf = (crack: Crack.Crack, events: ReadonlyArray<TopologyEvent>): number | undefined => {
  const notes = events.flatMap((event) => (event._tag === "Noted" && event.tick >= crack.tick ? [event] : []))
  switch (crack.crack) {
    case "boss_death":
    case "lost_handoff":
    case "worker_silence":
      return crack.signal === "dispatched_again" ? undefined : collected(notes, crack.subject)
    case "cascading_poison":
      return green(notes)
    case "stale_plan":
      return planned(notes)
    default:
      return undefined
  }
}

const collected = (notes: ReadonlyArray<Noted>, task: string | undefined): number | undefined =>
  notes.find(({ memo }) => memo.memo === "collect" && memo.task === task)?.tick

/** The tick at which the last item became green as a whole. */
const green = (notes: ReadonlyArray<Noted>): number | undefined => {
  const last = new Map<string | undefined, Noted>()
  let isAllGreen = true
  for (const note of notes) if (note.memo.memo === "gate" && note.memo.whole === true) last.set(note.memo.item, note)
  for (const { memo } of last.values()) isAllGreen &&= memo.memo === "gate" && memo.green
  return isAllGreen ? [...last.values()].at(-1)?.tick : undefined
}

const planned = (notes: ReadonlyArray<Noted>): number | undefined => {
  const failed = notes.findLastIndex(({ memo }) => memo.memo === "step" && memo.status === "failed")
  return notes.slice(failed + 1).find(({ memo }) => memo.memo === "plan")?.tick
}
