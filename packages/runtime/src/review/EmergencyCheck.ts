/**
 * Checks an emergency before an agent acts: its review has to wait for an approval, otherwise no glass can be broken
 * for it.
 */
import * as Reviews from "@backstitch/kernel/Reviews"
import type { State } from "@backstitch/reducer/State"
import type { Run } from "@backstitch/trace/Run"
import type { Next } from "@backstitch/wording/Next"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Agent from "../agent/Agent.ts"

/**
 * Error for an emergency whose review does not wait: the run has no such review, it was decided, or the glass was
 * broken for it before.
 */
export class EmergencyUnfit extends Schema.TaggedError<EmergencyUnfit>("@backstitch/runtime/EmergencyUnfit")(
  "EmergencyUnfit",
  {
    run: Schema.String,
    review: Schema.String,
    found: Schema.Literals(["unknown", "broken", "approved", "denied", "ended"]),
    by: Schema.optionalKey(Schema.String),
    waiting: Schema.Array(Schema.String),
    needs: Schema.Array(Schema.String)
  }
) {
  override get message(): string {
    const { by, found, review, run, waiting } = this
    const others = `${waiting.length === 0 ? "Nothing waits" : `${waiting.join(", ")} waits`} for an approval`
    switch (found) {
      case "unknown":
        return `Run ${run} has no review "${review}". ${others}`
      case "broken":
        return `The glass was broken for ${review} already, and what it did waits to be accepted`
      case "ended":
        return `The review ${review} of run ${run} ended when the goal was reached. ${others}`
      default:
        return `The review ${review} of run ${run} was ${found} by ${by}. ${others}`
    }
  }

  /** The step that accepts an act for which the glass was broken before. */
  get next(): ReadonlyArray<Next> {
    const { found, needs, review, run } = this
    return found === "broken" ? [{ needs, review, run, verb: "decide" }] : []
  }
}

/** Refuses an emergency whose review does not wait for an approval. */
export const check = (state: State, run: Run, { review }: Agent.Emergency): Effect.Effect<void, EmergencyUnfit> => {
  const waiting = Reviews.pending(state).flatMap(([id, { after }]) => (after === undefined ? [id] : []))
  if (waiting.includes(review)) return Effect.void
  const known = Reviews.of(state).get(review)
  const found = known === undefined ? "unknown" : (known.verdict ?? "broken")
  const by = known?.by === undefined ? {} : { by: known.by }
  return Effect.fail(new EmergencyUnfit({ run: run.id, review, found, ...by, waiting, needs: known?.needs ?? [] }))
}

/** A review whose glass was not broken: its tool, and the roles that decide it. */
export interface Unbroken {
  readonly review: string
  readonly tool: string
  readonly needs: ReadonlyArray<string>
}

/**
 * Finds out whether the glass was not broken although an agent acted in an emergency: the pack demands a review
 * of that tool before it starts, or no proposal waits in that review any more.
 */
export const unbroken = (state: State, { review }: Agent.Emergency): Unbroken | undefined => {
  const asked = Reviews.of(state).get(review)
  return asked === undefined || asked.verdict !== undefined || asked.after !== undefined
    ? undefined
    : { review, tool: asked.tool, needs: asked.needs }
}
