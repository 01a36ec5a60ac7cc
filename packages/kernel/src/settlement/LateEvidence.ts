/**
 * Evidence about an action that was settled before. It is compared with the settlement, and changes nothing that was
 * committed.
 *
 * The state keeps no history. So the trace is read first, from the request of the action on. A record that was read
 * also needs the state in which the action was settled.
 *
 * | the evidence is | it commits |
 * | --- | --- |
 * | an answer or a delivery | an anomaly, if the settlement contradicts it |
 * | the same, about an effect that no record has shown | a review, too: a person looks at it, once |
 * | either, about an action that was abandoned | its content, once: nothing contradicts it |
 * | the refusal of an attempt after which another was begun | nothing |
 * | a record | as {@link LateReadback} says |
 * | in agreement with the settlement | nothing |
 *
 * @source docs/decisions/0026
 */

import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as Trust from "@backstitch/ledger/Trust"
import type { State } from "@backstitch/reducer/State"
import * as ActionId from "@backstitch/trace/ActionId"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Draft, Transition } from "@backstitch/trace/Transition"
import type { Command } from "../decision/Command.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, gone, lookAt } from "../decision/Decision.ts"
import type { Evidence, LateEvidence } from "../decision/Evidence.ts"
import * as InvalidMove from "../decision/InvalidMove.ts"
import * as StoreQuery from "../decision/StoreQuery.ts"
import * as Finding from "../payload/Finding.ts"
import * as Payload from "../payload/Payload.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import { current, toldBy } from "../verification/toolAnswer.ts"
import * as LateReadback from "./LateReadback.ts"

/** Tells whether an action was requested in the run and is no longer open. */
export const isOf = (terms: DecisionTerms.DecisionTerms, state: State, action: string): boolean => {
  const begun = ActionId.tickOf(action)
  return begun !== undefined && begun <= DecisionTerms.standsAt(terms) && OpenActions.of(state)[action] === undefined
}

/** Decides late evidence: the outcome comes from the record, and a contradiction is committed beside it. */
export const decide = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: Command & { readonly _tag: "LateEvidence" }
): Decision => {
  const { action, via } = command
  const answered = gone(terms, action)
  const from = SettledActions.of(state).get(action)?.started ?? 1
  const trace = { _tag: "Trace", run: terms.run.id, from } as const
  const transitions = StoreQuery.seen(command, trace)
  if (transitions === undefined) return lookAt(command, trace)
  const history = ActionHistories.of(transitions, action)
  if (history?.reconciled === undefined) return answered
  if (via !== "readback") {
    const evidence = current({ startedAt: lastStart(transitions, action) }, command)
    if (history.state === "abandoned")
      return recorded(answered, heard(terms, transitions, { ...command, evidence, via }))
    const anomaly = InvalidMove.late(history, { evidence, via, now: terms.now })
    if (anomaly === undefined) return answered
    const asks = disputed(terms, state, { history, transitions }, evidence)
    return recorded(answered, [anomaly, ...asks])
  }
  const settled = { _tag: "State", tick: history.reconciled.tick - 1 } as const
  const before = StoreQuery.seen(command, settled)
  if (before === undefined) return lookAt(command, settled)
  return recorded(answered, LateReadback.judge(terms, state, { history, before, transitions }, command))
}

/**
 * Asks a person to look at a settlement that its provider contradicts, unless the system of record has shown the
 * effect. Until then, no run begins the act again.
 */
const disputed = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { history, transitions }: Pick<LateReadback.SettledAction, "history" | "transitions">,
  evidence: Evidence
): ReadonlyArray<Draft> => {
  const said = toldBy(evidence)?.outcome
  const { trust = 0, status } = history.reconciled?.outcome ?? {}
  const isShown = status === "ok" && trust >= Trust.verified
  if (said === undefined || isShown) return []
  const person = LateReadback.isByPerson(transitions, history.id)
  const why = Finding.make("verification.disputed", { person, said, settled: history.state })
  return LateReadback.looked(terms, state, history, { after: 1, why })
}

/** Finds the start of the last attempt. */
const lastStart = (transitions: ReadonlyArray<Transition>, action: string): number | undefined =>
  transitions.findLast(({ body }) => body.type === "action.started" && body.action?.id === action)?.stamp.asOf

/**
 * Records a provider's report about an action that was given up, once. It is no contradiction, since the outcome was
 * unknown.
 */
const heard = (
  terms: DecisionTerms.DecisionTerms,
  transitions: ReadonlyArray<Transition>,
  about: LateEvidence & { readonly via: "call" | "status" | "webhook" }
): ReadonlyArray<Draft> => {
  const { action, delivery, evidence, via } = about
  const said = toldBy(evidence)
  const isKnown = transitions.some(
    ({ body }) =>
      body.action?.id === action && Canonical.equals(Payload.of(body, "action.result")?.told ?? null, said ?? null)
  )
  if (said === undefined || isKnown) return []
  // A delivery is identified by its digest.
  const by = via !== "webhook" ? { via } : delivery === undefined ? {} : { delivery }
  const data = { ...by, told: said }
  return [DecisionTerms.draft(terms, { action: { id: action }, author: "kernel", data, type: "action.result" })]
}

const recorded = (decision: Decision, drafts: ReadonlyArray<Draft>): Decision => ({
  ...decision,
  content: CommitContent.records(...drafts)
})
