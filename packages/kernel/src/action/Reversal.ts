/**
 * The action that a planner's call undoes, although no undoing was requested from the kernel.
 *
 * The start of an action registers the call that would undo it. A call with exactly those arguments is its reversal,
 * whichever planner makes it: once it is verified, the action counts as undone and is no longer reported as a
 * success. A call for the same thing with other arguments, such as a part of the amount, may have undone it: then the
 * action is reported neither as done nor as undone. Actions that a fork shares with its parent may be undone only by
 * the parent. A fork's call that would undo one is no reversal, and names the parent run.
 *
 * @source docs/decisions/0023
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as ActIdentity from "@backstitch/ledger/ActIdentity"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type * as Payload from "../payload/Payload.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

/** The action that a call undoes, and whether the call undoes all of it. */
export type Reversal = NonNullable<Payload.Of<"action.request">["reverses"]>

/**
 * An action that a call would undo. With `reliance` the parent of this fork did the action, so that only the parent may
 * undo it.
 */
interface Found {
  readonly reversal: Reversal
  readonly reliance?: DecisionTerms.Reliance | undefined
}

interface Call {
  readonly contract: ToolContract.ToolContract
  readonly params: Json
}

/**
 * Finds the action that a call undoes, among those whose effect stands: the last one that it undoes as a whole,
 * otherwise the last one that it may undo in part.
 */
export const of = (state: State, call: Call): Found | undefined => {
  const found = SettledActions.undoneBy(state, call.contract.name).flatMap(
    ([action, settled]): ReadonlyArray<Found> => {
      const { owner, tick, with: registered } = settled
      if (registered === undefined) return []
      const whole = isWhole(call, registered)
      if (!whole && !isSame(call, registered)) return []
      return owner === undefined
        ? [{ reversal: { action, whole } }]
        : [{ reversal: { action: owner.action, whole }, reliance: { ...owner, tick } }]
    }
  )
  return found.findLast(({ reversal: { whole } }) => whole) ?? found.at(-1)
}

/** Tells whether the arguments are those that were registered, in any spelling, with none added. */
const isWhole = ({ contract, params }: Call, registered: JsonObject): boolean =>
  isAsRegistered({ contract, params }, registered) &&
  Object.entries(Canonical.objectOf(params)).every(([name, value]) => value === null || registered[name] !== undefined)

const isAsRegistered = ({ contract, params }: Call, registered: JsonObject): boolean => {
  const given = Canonical.objectOf(params)
  const { fields = [] } = contract.identity ?? {}
  return Object.entries(registered).every(([name, value = null]) => {
    const field = fields.find((each) => each.field === name)
    if (field === undefined) return Canonical.equals(given[name] ?? null, value)
    return ActIdentity.isSame({ ...contract, identity: { ...contract.identity!, fields: [field] } }, given, registered)
  })
}

/** Tells whether two calls are about the same thing, by its identity or by all registered arguments. */
const isSame = (call: Call, registered: JsonObject): boolean => {
  const { fields = [] } = call.contract.identity ?? {}
  const isNamed = fields.length > 0 && fields.every(({ field }) => registered[field] !== undefined)
  return isAsRegistered(call, registered) || (isNamed && ActIdentity.isSame(call.contract, call.params, registered))
}
