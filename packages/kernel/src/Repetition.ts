/**
 * What is proposed a second time is answered from the record, not from the world.
 *
 * A repetition is recognised by its command, which the proposer names, and by
 * its key, which the contract derives from what is to be done.
 *
 * @since 0.1.0
 */
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type * as UsedKeys from "@backstitch/ledger/UsedKeys"
import type { State } from "@backstitch/reducer/State"
import * as Result from "effect/Result"
import * as Check from "./Check.ts"
import type * as Commands from "./Commands.ts"
import { type Decision, end } from "./Decision.ts"
import type * as Terms from "./Terms.ts"

/**
 * Decides a command that was carried out before.
 *
 * @category combinators
 * @since 0.1.0
 */
export const ofCommand = (terms: Terms.Terms, state: State, known: Commands.Done): Decision => {
  const open = known.action === undefined ? undefined : OpenActions.of(state)[known.action]
  if (known.action !== undefined && open !== undefined) return begun(known.action, open)
  const action = known.action === undefined ? {} : { action: known.action }
  const adopted = { ...action, run: terms.run.id, tick: known.tick }
  return end({ _tag: "Done", tick: known.tick, output: null, basis: "recorded", adopted })
}

/**
 * Decides a key that was used before: the same request is adopted, another is refused by the check that is answered
 * (L6).
 *
 * @category combinators
 * @since 0.1.0
 */
export const ofKey = (
  terms: Terms.Terms,
  state: State,
  { requestHash, used }: { readonly used: UsedKeys.Used; readonly requestHash: string }
): Result.Result<Decision | undefined, Check.Check> => {
  if (used.requestHash !== requestHash) {
    return Result.fail(
      Check.fail("key", used.action, {
        expected: "the same request under the same key",
        found: `action ${used.action} used this key for another request at tick ${used.started}`,
        remedy: "propose the identical request, or set occurrence to ask for one more"
      })
    )
  }
  if (used.settled !== undefined) {
    const adopted = { action: used.action, run: terms.run.id, tick: used.settled }
    return Result.succeed(end({ _tag: "Done", tick: used.settled, output: null, basis: "recorded", adopted }))
  }
  const open = OpenActions.of(state)[used.action]
  // What the parent had begun at the fork is asked of the index of names: the parent may have settled it since.
  return Result.succeed(open === undefined ? undefined : begun(used.action, open))
}

/**
 * Decides what is begun and not settled: it is settled first.
 *
 * @category combinators
 * @since 0.1.0
 */
export const begun = (action: string, open: OpenActions.Open): Decision =>
  end({
    _tag: "Held",
    tick: open.tick,
    action,
    why: `action ${action} was requested at tick ${open.tick} and is ${open.phase}`,
    next: "resume the run: the action is settled first"
  })
