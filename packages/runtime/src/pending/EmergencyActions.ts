/**
 * Emergency actions: those for which the glass was broken, with the person, the reason and the result of the review.
 *
 * An action that was started without its required approval is flagged wherever it is shown.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class": critical mutation, human-review trigger
 */
import * as Payload from "@backstitch/kernel/Payload"
import type { Transition } from "@backstitch/trace/Transition"
import * as English from "@backstitch/wording/English"
import type { Words } from "@backstitch/wording/Words"

/** One emergency, as plain JSON. Until a person has decided, `verdict` and `decidedBy` are `null`. */
export interface EmergencyAction {
  readonly action: string
  readonly tool: string
  readonly tick: number
  readonly by: string
  readonly reason: string
  readonly review: string
  readonly needs: ReadonlyArray<string>
  readonly verdict: "approved" | "denied" | null
  readonly decidedBy: string | null
}

/** The emergencies of a run by action, in order. */
export const all = (transitions: Iterable<Transition>): ReadonlyMap<string, EmergencyAction> => {
  const found = new Map<string, EmergencyAction>()
  for (const { body, tick } of transitions) {
    const glass = Payload.of(body, "action.request")?.breakGlass
    if (glass !== undefined && body.action !== undefined) {
      const { id, tool = "" } = body.action
      const about = { action: id, tool, tick, review: "", needs: [], verdict: null, decidedBy: null }
      found.set(id, { ...about, ...glass })
    }
    const { after, needs = [], review } = Payload.of(body, "review.requested") ?? {}
    const asked = after === undefined ? undefined : found.get(after)
    if (asked !== undefined && review !== undefined) found.set(asked.action, { ...asked, review, needs })
    const said = Payload.of(body, "review.decided")
    const decided =
      said?.review === undefined ? undefined : [...found.values()].find((each) => each.review === said.review)
    if (decided !== undefined && (said?.verdict === "approved" || said?.verdict === "denied")) {
      found.set(decided.action, { ...decided, verdict: said.verdict, decidedBy: said.by ?? "" })
    }
  }
  return found
}

/** Puts an emergency into one sentence: who broke the glass, why, and the result of the review. */
export const say = (self: EmergencyAction, words: Words = English.words): string => words.openActions.glass(self)
