/**
 * The check that nothing else of a run stands on the subtasks which a saga or a recovery undoes (L10).
 *
 * The lift of the run knows the consumers, and the state does not. So a decision that would open such an undoing is
 * not made at once: the store is queried for the consumers first, and the undoing is judged again with the answer. A
 * consumer blocks it, and a person decides, as with a rollback of the subtask alone. A pack that declares no
 * subtasks, or no states of its agent, has no lift: nothing is queried.
 *
 * @source DART, equation 8 and theorem 1; docs/decisions/0078, 0083
 */
import type * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Command } from "../decision/Command.ts"
import { type Decision, lookAt } from "../decision/Decision.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import * as StoreQuery from "../decision/StoreQuery.ts"
import * as Finding from "../payload/Finding.ts"
import type { DecisionTerms, MetConsumers } from "../state/DecisionTerms.ts"
import * as LiftedRun from "../subtask/LiftedRun.ts"

/** The consumers that a command brings: the last answer counts. */
export const met = ({ found = [] }: Command): MetConsumers | undefined => {
  const look = found.findLast((each) => each.look._tag === "Consumers")?.look
  return look?._tag === "Consumers" ? { scopes: look.scopes, found: StoreQuery.seen({ found }, look) ?? [] } : undefined
}

/** Queries the consumers first, if a decision would undo subtasks without knowing them. */
export const asking = (terms: DecisionTerms, state: State, command: Command, decision: Decision): Decision => {
  const { follows, recovery } = decision.content
  const plan = recovery?.data?.plan ?? follows?.data?.plan
  const scopes = plan?.scopes?.map(({ scope }) => scope) ?? []
  const isKnown = scopes.length === 0 || Canonical.equals(scopes, terms.consumers?.scopes ?? [])
  if (plan === undefined || isKnown || !isAbort(plan) || !DecisionRules.binds(state, DecisionRules.consumersForbid)) {
    return decision
  }
  return LiftedRun.isLifted(terms.pack) ? lookAt(command, { _tag: "Consumers", scopes }) : decision
}

/** Blocks an undoing of subtasks on which something else relies. */
export const reliedOnByNobody =
  ({ consumers }: Pick<DecisionTerms, "consumers">): UndoPlan.Conjunct =>
  (wanted) =>
    isAbort(wanted) && Canonical.equals([...new Set(wanted.scopes)], consumers?.scopes ?? [])
      ? (consumers?.found ?? []).map((consumer) => ({ why: Finding.make("undo.consumed", consumer) }))
      : []

/** A revision and a rebase judge consumers by their own plans. */
const isAbort = ({ cause }: Pick<UndoPlan.UndoRequest, "cause">): boolean => cause === "saga" || cause === "recovery"
