/**
 * The turns of an act. A run that takes the act over, or undoes it, claims the next turn, and so does a fork that
 * shares the act and begins an effect of its own. No two runs can claim the same turn.
 *
 * A run that takes an act over relies on it, and a machine does not undo an act on which another run relies (L10). A
 * fork relies on all acts that it shares and that still stand, as long as an effect of its own stands. An act that is
 * being undone is not taken over. The index of names decides between the two: a store gives each turn once, in the
 * transaction of the append. If two runs want a turn at the same moment, one is refused, reads the other's trace, and
 * decides again.
 *
 * | the turn is held by | a run that takes the act over | a fork that acts | a run that undoes the act |
 * | --- | --- | --- | --- |
 * | a run that relies on the act | takes the next | takes the next | is refused, with that run named |
 * | a run that relied on it and gave it up | claims the next | claims the next | claims the next |
 * | an undoing under way | waits, then is held | takes the next | – |
 * | an undoing that is done | is refused with the facts | takes none | – |
 * | an undoing that was given up | claims the next | claims the next | claims the next |
 *
 * No turn is released, so the index stays the fold of all traces.
 *
 * @source docs/decisions/0023, 0058; L10
 */
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import type { Body } from "@backstitch/trace/Transition"
import * as Finding from "../payload/Finding.ts"
import * as Payload from "../payload/Payload.ts"
import type { DecisionTerms, MetReliance } from "../state/DecisionTerms.ts"

/** The turn of an act: its name in the index, and its ordinal. */
export interface Turn extends JsonObject {
  readonly name: string
  readonly ordinal: number
}

/** Turns, by the action that each is about. */
export interface ActTurns extends JsonObject {
  readonly [action: string]: Turn
}

/** The name of the n-th turn, from 1, of the act that was done under a key. */
export const of = (key: string, ordinal = 1): Turn => ({
  name: Digest.ofJson("backstitch.turn.1", { key, ordinal }),
  ordinal
})

/** The turns that a body claims, by the action that each is about. */
export const takenBy = (body: Pick<Body, "data" | "type">): ActTurns =>
  (Payload.of(body, "action.request") ?? Payload.of(body, "recovery.decided"))?.turns ?? {}

/** Reads the turns and the reliances of other runs with which a body was decided; `undefined` if there were none. */
export const metBy = (body: Body): MetReliance | undefined => {
  const next: { [action: string]: number } = {}
  if (isBeginning(body)) {
    const shared = Object.keys(takenBy(body)).filter((action) => action !== body.action?.id)
    for (const [action, { ordinal }] of Object.entries(takenBy(body))) next[action] = ordinal
    return { next, relied: {}, shared }
  }
  for (const [action, { ordinal }] of Object.entries(takenBy(body))) if (ordinal > 1) next[action] = ordinal
  const { blocks = [] } = Payload.of(body, "recovery.decided") ?? {}
  const relied = blocks.flatMap(({ action, by }) =>
    action === undefined || by === undefined ? [] : [[action, by] as const]
  )
  const isUndoing = body.type === "recovery.decided" || Payload.of(body, "action.request")?.reverses !== undefined
  if (!isUndoing || Object.keys(next).length + relied.length === 0) return undefined
  return { next, relied: Object.fromEntries(relied) }
}

/** Lists the turns of actions. An act without a key cannot be taken over, so it has none. */
export const ofActions = (
  { turns }: { readonly turns?: MetReliance | undefined },
  state: State,
  actions: ReadonlyArray<string>
): ActTurns =>
  Object.fromEntries(
    actions.flatMap((action) => {
      const key = SettledActions.known(state, action)?.key
      return key === undefined ? [] : [[action, of(key, turns?.next[action])] as const]
    })
  )

/** Tells whether a body requests a call that undoes no other. */
export const isBeginning = (body: Body): boolean =>
  body.type === "action.request" &&
  body.action?.undoes === undefined &&
  Payload.of(body, "action.request")?.reverses === undefined

/**
 * Lists the turns that a fork takes of the acts that it shares, as it begins an effect. None while an effect of its own
 * stands or is open, because the fork has taken them then. An act that is undone at that moment is left out.
 */
export const ofShared = (
  { lineage, run, turns }: Pick<DecisionTerms, "lineage" | "run" | "turns">,
  state: State
): ActTurns => {
  if (lineage === run.id || SettledActions.hasOwn(state) || hasOpen(state)) return {}
  const shared = SettledActions.shared(state).map(([action]) => action)
  return ofActions(
    { turns },
    state,
    shared.filter((action) => turns?.shared?.includes(action) !== false)
  )
}

const hasOpen = (state: State): boolean =>
  Object.values(OpenActions.of(state)).some((open) => open?.undo !== undefined && open.undoes === undefined)

/** Turns as fields of a body; no field if there are none. */
export const toData = (turns: ActTurns): { readonly turns?: ActTurns } =>
  Object.keys(turns).length === 0 ? {} : { turns }

/** Blocks a plan that would undo an act on which another run relies, and names that run (L10). */
export const reliedOnByNobody =
  (met: MetReliance | undefined): UndoPlan.Conjunct =>
  ({ actions }) =>
    Object.entries(met?.relied ?? {})
      .filter(([action]) => actions.includes(action))
      .map(([action, by]) => ({
        action,
        by,
        why: Finding.make("act.relied", { ...by, undoes: action })
      }))
