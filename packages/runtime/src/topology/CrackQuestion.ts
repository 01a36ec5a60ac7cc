/**
 * Questions to a person about a crack that its own medicine could not treat.
 *
 * A question is on record, as a doubt that an agent flags. So whoever watches the run sees it, and work that begins
 * behind it is somebody's answer.
 */
import * as Finding from "@backstitch/kernel/Finding"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import * as Crack from "@backstitch/topology/Crack"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import { shortened } from "../ports/evidenceSize.ts"
import type * as RunHandle from "../run/RunHandle.ts"

/** A question: the crack, the tasks, steps or tools concerned, and the last error of one of them. */
export interface CrackQuestion {
  readonly crack: Crack.CrackName
  readonly subjects: ReadonlyArray<string>
  readonly error?: string | undefined
}

/** The finding of a question, which holds its run. */
export type Why = Extract<Finding.Finding, { readonly code: "topology.asked" }>

/** Records a question, and answers the hold of the run, or the refusal of the kernel to record it. */
export const ask = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  { crack, error: whole, subjects }: CrackQuestion
) {
  const error = whole === undefined ? undefined : shortened(whole)
  const data = { asked: crack, subjects, ...(error === undefined ? {} : { error }) }
  const outcome: Outcome = yield* handle.propose({ type: "anomaly.flag", data })
  yield* handle.flush
  if (outcome._tag !== "Done") return outcome
  const why = findingOf({ crack, subjects, error })
  const held: Outcome = { _tag: "Held", tick: outcome.tick, action: Crack.predicateOf(crack), why }
  return held
})

/** The question that a transition puts on record, in the words of its crack; `undefined` if it is none. */
const recorded = ({ body }: Transition): Why | undefined => {
  const { asked, error, subjects } = Payload.of(body, "anomaly.flag") ?? {}
  if (typeof asked !== "string") return undefined
  return findingOf({
    crack: asked,
    subjects: Array.isArray(subjects) ? subjects.filter((each) => typeof each === "string") : [],
    error: typeof error === "string" ? error : undefined
  })
}

const findingOf = ({ crack, error, subjects }: Omit<CrackQuestion, "crack"> & { readonly crack: string }): Why =>
  Finding.make("topology.asked", { crack, subjects, ...(error === undefined ? {} : { error }) })

/** A question on record to which nobody has answered, and its tick. */
export interface OpenQuestion {
  readonly tick: number
  readonly why: Why
}

/** The question behind which nobody has said or done anything; notes of the kernel answer none. */
export const openIn = (transitions: ReadonlyArray<Transition>): OpenQuestion | undefined => {
  const last = transitions.findLast(({ body }) => body.author !== "kernel")
  const why = last && recorded(last)
  return last === undefined || why === undefined ? undefined : { tick: last.tick, why }
}
