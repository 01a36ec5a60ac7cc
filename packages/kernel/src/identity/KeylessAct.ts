/**
 * The identity of an act without a key: its request, and its ordinal among the same requests of a history.
 *
 * Without a key, a repetition cannot be told from one more of the same act, so no act is recognised or taken over.
 * But the start of an act takes names made from its request and its ordinal, and shows when the same request was made
 * before. A lineage has one such name: through it a fork learns of the acts of its parent after the fork, and a
 * person decides. A goal has another: through it a twin learns of the act, continues, and says so in its report. A
 * name stands for the n-th such request of a history, so a run may repeat itself.
 *
 * @source docs/decisions/0018
 */
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Goal from "../state/Goal.ts"

/** The scope in which a name is unique. */
export type NameScope = "goal" | "lineage"

/** An action of another run that made the same request. `startedAt` is epoch milliseconds. */
export interface Same extends JsonObject {
  readonly run: string
  readonly action: string
  readonly tick: number
  readonly startedAt: number
}

/** The acts that made the same request before, by scope, and the number of those that failed for good. */
export interface ActsBefore extends JsonObject {
  readonly goal?: Same
  readonly lineage?: Same
  readonly failed?: { readonly [Name in NameScope]?: number }
}

/**
 * The identity that is kept with the start of an act: the name under which it is counted, its ordinal, and the names
 * that it claims.
 */
export interface KeptIdentity extends JsonObject {
  readonly name: string
  readonly ordinal: number
  readonly takes: { readonly [Name in NameScope]?: string }
}

/** Makes the identity of the next act of a request in a state. */
export const of = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  requestHash: string,
  { failed, ...met }: ActsBefore = {}
): KeptIdentity => {
  const name = `act_${requestHash}`
  const next = (UsedKeys.find(state, name)?.count ?? 0) + 1
  const within = { goal: Goal.of(state).id, lineage: terms.lineage }
  const ordinalOf = (scope: NameScope) => next + (failed?.[scope] ?? 0)
  const nameOf = (scope: NameScope) =>
    Digest.ofJson("backstitch.act.1", { ordinal: ordinalOf(scope), requestHash, scope, within: within[scope] })
  return {
    name,
    ordinal: ordinalOf("lineage"),
    takes: {
      ...(met.goal === undefined ? { goal: nameOf("goal") } : {}),
      ...(met.lineage === undefined ? { lineage: nameOf("lineage") } : {})
    }
  }
}

/** Adds the holder of a refused name: its act is recorded as met, or counted if it failed for good. */
export const meeting = (
  { failed, ...met }: ActsBefore,
  scope: NameScope,
  holder: Same & { readonly hasFailed: boolean }
): ActsBefore => {
  const { hasFailed, ...same } = holder
  return hasFailed
    ? { ...met, failed: { ...failed, [scope]: (failed?.[scope] ?? 0) + 1 } }
    : { ...met, ...(failed === undefined ? {} : { failed }), [scope]: same }
}
