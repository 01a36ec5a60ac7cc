/**
 * The laws of what people decide: a payment that waits for a person, and a failure that its provider contradicts. They
 * are judged by the record alone, and not by the reviews that the kernel folds.
 *
 * @source docs/decisions/0042, 0082
 */
import * as Payload from "@backstitch/kernel/Payload"
import type * as ExploredLog from "./ExploredLog.ts"
import type { Law } from "./ExplorerLaws.ts"
import { once } from "./once.ts"
import * as Scenario from "./Scenario.ts"

/** The laws, in the order in which they are checked. */
export const all: ReadonlyArray<Law> = [
  {
    name: "nothing is begun without the approval of a person, after a denial, or once the approval has expired (decision 0042)",
    holds: (setting, { heads }) => heads.every((head) => isApproved(head, setting))
  },
  {
    name: "a question to a person is decided once",
    holds: (setting, { heads }) => heads.every((head) => isDecidedOnce(head, setting))
  },
  {
    name: "a failure that its provider contradicts is not begun again before a person says that it did not happen (L14)",
    holds: (setting, { heads }) => heads.every((head) => isLeftAlone(head, setting))
  }
]

type Transitions = ExploredLog.Node["transitions"]

/** The first attempt of each payment. What is begun may be sent again after its approval. */
const beginnings = (transitions: Transitions): Transitions => {
  const begun = new Set<string>()
  return transitions.filter(({ body: { action, type } }) => {
    if (type !== "action.started" || action === undefined || begun.has(action.id)) return false
    begun.add(action.id)
    return true
  })
}

const isApproved = once(({ transitions }, { scenario: { approvedFor } }) => {
  if (approvedFor === undefined) return true
  return beginnings(transitions).every(({ stamp, tick }) => {
    const last = transitions.findLast((each) => each.tick < tick && verdictOf(each) !== undefined)
    const until = (last?.stamp.asOf ?? 0) + approvedFor * Scenario.unitMillis
    return last !== undefined && verdictOf(last) === "approved" && stamp.asOf < until
  })
})

const isDecidedOnce = once(({ transitions }) => {
  const open = new Set<string>()
  return transitions.every((each) => {
    const { review } = Payload.of(each.body, "review.requested") ?? {}
    if (review !== undefined) open.add(review)
    return verdictOf(each) === undefined || open.delete(Payload.of(each.body, "review.decided")?.review ?? "")
  })
})

/** The verdict on a review of a call; `undefined` for anything else. */
const verdictOf = ({ body }: Transitions[number]): "approved" | "denied" | undefined =>
  Payload.of(body, "review.decided")?.verdict

const isLeftAlone = once(({ transitions }) => {
  const disputed = new Set<string>()
  const begun = new Set(beginnings(transitions))
  return transitions.every((each) => {
    const { action, type } = each.body
    const { why } = Payload.of(each.body, "review.requested") ?? {}
    if (why?.code === "verification.disputed" && why.args.said === "done") disputed.add(action?.id ?? "")
    if (Payload.of(each.body, "review.decided")?.as === "failure") disputed.delete(action?.id ?? "")
    return type !== "action.started" || !begun.has(each) || disputed.size === 0
  })
})
