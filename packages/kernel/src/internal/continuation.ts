/**
 * How a run goes on where nothing is committed that could not be lost: with the next step, after a wait, or not at all.
 *
 * @since 0.1.0
 */
import { type Decision, end, type Next } from "../Decision.ts"
import type { Finding } from "../Finding.ts"
import * as Settlement from "../Settlement.ts"
import * as Terms from "../Terms.ts"

export const go = (next: Next): Decision => ({ settlement: Settlement.nothing, flush: "later", next })

export const wait = (action: string, untilMillis: number): Decision => go({ _tag: "Wait", action, untilMillis })

/** Leaves an action as it is: `why` says what stands in its way. */
export const held = (terms: Terms.Terms, action: string, why: Finding): Decision =>
  end({ _tag: "Held", tick: Terms.standsAt(terms), action, why })
