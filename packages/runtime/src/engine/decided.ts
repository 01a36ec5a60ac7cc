/** What a run handle reads off a decision. */
import type { Decided } from "@backstitch/kernel/Decision"

/** The action that a decision is about, once it is committed: its id follows from the tick. */
export const actionOf = ({ next }: Decided): string | undefined => ("request" in next ? next.request.action : undefined)

/** A decision whose transition stands at a tick, because it joined one that waits there. */
export const standingAt = <D extends Decided>(decision: D, tick: number): D => {
  const { next } = decision
  if (next._tag !== "End" || next.outcome._tag === "Done" || next.outcome._tag === "Failed") return decision
  return { ...decision, next: { ...next, outcome: { ...next.outcome, tick } } }
}
