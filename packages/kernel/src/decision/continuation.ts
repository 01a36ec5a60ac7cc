/**
 * How a run goes on where nothing is committed that could not be lost: with the next step, after a wait, or not at all.
 */
import * as Check from "../payload/Check.ts"
import type { Finding } from "../payload/Finding.ts"
import * as DecisionContext from "../state/DecisionContext.ts"
import { type Decision, end, type Next } from "./Decision.ts"
import * as Settlement from "./Settlement.ts"

export const go = (next: Next): Decision => ({ settlement: Settlement.nothing, flush: "later", next })

export const wait = (action: string, untilMillis: number): Decision => go({ _tag: "Wait", action, untilMillis })

/** Leaves an action as it is: `why` says what stands in its way. */
export const held = (terms: DecisionContext.DecisionContext, action: string, why: Finding): Decision =>
  end({ _tag: "Held", tick: DecisionContext.standsAt(terms), action, why })

/**
 * The action is not open: it was settled, by another process perhaps, and the record says what it came to. One that the
 * run cannot have begun is no action: ids are the ticks of their requests.
 */
export const gone = (terms: DecisionContext.DecisionContext, action: string): Decision => {
  const tick = DecisionContext.standsAt(terms)
  const begun = Number(/^a([1-9]\d*)$/.exec(action)?.[1] ?? Number.NaN)
  if (!(begun <= tick)) {
    const check = Check.fail("schema", action === "" ? "action" : action, "action.unknown", { tick })
    return end({ _tag: "Refused", tick: undefined, checks: [check] })
  }
  return end({ _tag: "Done", tick, output: null, basis: "recorded", adopted: { action, run: terms.run.id, tick } })
}
