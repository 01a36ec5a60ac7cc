/**
 * Compares the arguments of a call with those that a person approved earlier for the same tool.
 *
 * An approval is for exactly one intent. If the same tool was approved with other arguments, the next reviewer sees
 * which arguments have changed since.
 */
import * as Check from "@backstitch/kernel/Check"
import * as Payload from "@backstitch/kernel/Payload"
import * as Reviews from "@backstitch/kernel/Reviews"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import type { Body } from "@backstitch/trace/Transition"
import type * as Step from "@backstitch/version-control/Step"
import * as English from "@backstitch/wording/English"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as Lexicon from "../ports/Lexicon.ts"

/** An argument that differs: the approved value, its approver and review, and the requested value. */
export interface ArgumentDifference {
  readonly path: string
  readonly approved: string
  readonly asked: string
  readonly by: string
  readonly review: string
}

/**
 * Compares the arguments that a step asks a person to approve with those last approved for the same tool; nothing for
 * any other step.
 */
export const differ = Effect.fn("ApprovedArguments.differ")(function* (
  run: Run,
  { before, transition: { body } }: Pick<Step.Step, "before" | "transition">
) {
  const asks = askingOf(body)
  const none: ReadonlyArray<ArgumentDifference> = []
  if (asks === undefined) return none
  const { params = null, tool } = asks
  const approved = [...Reviews.of(before)]
    .filter(([, each]) => each.tool === tool && each.verdict === "approved" && each.after === undefined)
    .sort(([, one], [, other]) => one.tick - other.tick)
    .at(-1)
  if (approved === undefined) return none
  const [review, { by = "", tick }] = approved
  const history = yield* History.History
  const [asked] = yield* history.transitions(run, { from: tick, to: tick })
  return between(asked && askingOf(asked.body)?.params, params, yield* Lexicon.Lexicon).map(
    (each): ArgumentDifference => ({ ...each, by: String(by), review })
  )
})

/** Puts a difference into a sentence. */
export const say = (self: ArgumentDifference, words: Words = English.words): string => words.approvals.differs(self)

/**
 * Says why an earlier approval does not count for a call that needs one: it has expired, was used, or was for
 * something else. `null` if there was no approval. Differing arguments are reported by {@link differ}.
 */
export const lapsed = (body: Body, words: Words = English.words): string | null => {
  const checks = Payload.of(body, "policy.decision")?.checks ?? []
  const failed = Check.failing(checks as ReadonlyArray<Check.Check>).find(({ why }) => lapses.has(why?.code ?? ""))
  return (failed && Wording.check(failed, words)?.found) ?? null
}

const lapses: ReadonlySet<string> = new Set([
  "approval.expired",
  "approval.other_binding",
  "approval.role",
  "approval.used"
])

/** Reads the question to a person from a body: a call that needs an approval, or a review. */
export const askingOf = (body: Body) => Payload.of(body, "policy.decision") ?? Payload.of(body, "review.requested")

/** Lists the arguments that differ between two calls of a tool. */
export const between = (
  approved: Json | undefined = null,
  asked: Json | undefined = null,
  words: Words = English.words
): ReadonlyArray<{ readonly path: string; readonly approved: string; readonly asked: string }> => {
  const [before, after] = [Canonical.objectOf(approved), Canonical.objectOf(asked)]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((path) => {
    const [was, is] = [before[path], after[path]].map((value) =>
      value === undefined ? words.approvals.nothing : Canonical.encode(value)
    )
    return was === is ? [] : [{ path, approved: was!, asked: is! }]
  })
}
