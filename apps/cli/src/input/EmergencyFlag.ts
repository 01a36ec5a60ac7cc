/** Reads that somebody breaks the glass: for which review, in whose name and why. */
import * as Reviews from "@backstitch/kernel/Reviews"
import type { State } from "@backstitch/reducer/State"
import type * as Agent from "@backstitch/runtime/Agent"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import { Usage } from "../terminal/Failure.ts"
import * as Spelling from "../terminal/Spelling.ts"
import * as Terminal from "../terminal/Terminal.ts"

/** What may be typed of it. */
export interface Typed {
  readonly breakGlass: string | undefined
  readonly by: string | undefined
  readonly reason: string | undefined
}

/** The emergency that was typed; nothing where none was. */
export const parse = Effect.fnUntraced(function* ({ breakGlass: review, by = "", reason = "" }: Typed) {
  if (review === undefined) {
    if (by === "" && reason === "") return undefined
    return yield* new Usage({
      problem: "--by and --reason say who breaks the glass and why: give --break-glass REVIEW"
    })
  }
  if (by.trim() === "" || reason.trim() === "") {
    const problem = "Whoever breaks the glass is on record: say who with --by NAME, and why with --reason TEXT"
    return yield* new Usage({ problem })
  }
  const emergency: Agent.Emergency = { review, by: by.trim(), reason: reason.trim() }
  return emergency
})

/** Refuses what was typed of an emergency where nothing acts. */
export const refuse = (input: Typed): Effect.Effect<void, Usage> =>
  Effect.flatMap(parse(input), (emergency) =>
    emergency === undefined
      ? Effect.void
      : Effect.fail(new Usage({ problem: "Breaking the glass lets the agent act: name it with --agent FILE" }))
  )

/** Checks that the review waits, and before anything was done. */
export const check = Effect.fnUntraced(function* (state: State, run: Run, { review }: Agent.Emergency) {
  const waits = Reviews.pending(state).filter(([, { after }]) => after === undefined)
  if (waits.some(([id]) => id === review)) return
  const known = Reviews.of(state).get(review)
  const names = waits.map(([id]) => id)
  const others = names.length === 0 ? "Nothing waits for an approval" : `${names.join(", ")} waits for an approval`
  const accept = Spelling.of({ needs: known?.needs ?? [], review, run: run.id, verb: "decide" })
  const problem =
    known === undefined
      ? `Run ${run.id} has no review "${review}". ${others}`
      : known.verdict === undefined
        ? `The glass was broken for ${review} already: what it did waits to be accepted, with \`${accept}\``
        : `The review ${review} of run ${run.id} was ${known.verdict} by ${known.by}. ${others}`
  return yield* new Usage({ problem })
})

/**
 * Says where the glass stayed whole: the contract reviews that tool before it starts and no later, or nothing that was
 * proposed waits in that review.
 */
export const tell = (state: State, { review }: Agent.Emergency): Effect.Effect<void> =>
  Effect.sync(() => {
    const asked = Reviews.of(state).get(review)
    if (asked === undefined || asked.verdict !== undefined) return
    const why = `it is broken for a critical_mutation alone, and ${asked.tool} may be none, or was not proposed again`
    Terminal.complain(`the glass was not broken for ${review}: ${why}. ${asked.needs.join(" or ")} decides`)
  })
