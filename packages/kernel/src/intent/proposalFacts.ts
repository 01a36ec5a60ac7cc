/**
 * Facts for the decision on a proposal that no state holds, so that the trace is read: the request that has its name
 * already, an action that it cites or reports, the values that it erases, and the tools for which it waits.
 */
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as MessageReport from "@backstitch/reconciliation/MessageReport"
import type { State } from "@backstitch/reducer/State"
import * as ActionId from "@backstitch/trace/ActionId"
import * as SealedValue from "@backstitch/trace/SealedValue"
import type { Command } from "../decision/Command.ts"
import * as StoreQuery from "../decision/StoreQuery.ts"
import * as Payload from "../payload/Payload.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Checklist from "./Checklist.ts"
import * as RepeatedCommand from "./RepeatedCommand.ts"

type Propose = Command & { readonly _tag: "Propose" }

/** Adds the facts by which a proposal is checked, or answers the store query that finds them. */
export const withFacts = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: Propose
): Propose | StoreQuery.StoreQuery => {
  const { proposal } = command
  const known = RepeatedCommand.tickOf(state, proposal)
  if (known !== undefined) {
    if (command.before !== undefined) return command
    const look = { _tag: "Trace", run: terms.run.id, from: known, to: known } as const
    const seen = StoreQuery.seen(command, look)
    if (seen === undefined) return look
    const [before] = seen
    return { ...command, before }
  }
  const isChecked = Checklist.of(terms.pack, proposal).length > 0
  if (isChecked && command.toolsDone === undefined) {
    const look = { _tag: "Trace", run: terms.run.id, from: 1 } as const
    const seen = StoreQuery.seen(command, look)
    return seen === undefined ? look : withFacts(terms, state, { ...command, toolsDone: Checklist.done(seen) })
  }
  const noted = Payload.of(proposal, "observation.add")
  if (noted !== undefined && command.cited === undefined) {
    const tick = ActionId.tickOf(noted.cites ?? "")
    if (tick === undefined || tick > DecisionTerms.standsAt(terms)) return command
    const look = { _tag: "Trace", run: terms.run.id, from: tick, to: tick } as const
    const seen = StoreQuery.seen(command, look)
    if (seen === undefined) return look
    const [request] = seen
    return { ...command, cited: request?.body.type === "action.request" && request.body.action?.id === noted.cites }
  }
  const erased = Payload.of(proposal, "sealed.erased")
  if (erased !== undefined && Payload.misfit({ data: { ...erased }, type: "sealed.erased" }) === undefined) {
    if (command.cited !== undefined) return command
    const look = { _tag: "Trace", run: terms.run.id, from: 1 } as const
    const seen = StoreQuery.seen(command, look)
    if (seen === undefined) return look
    const committed = new Set(seen.flatMap(({ body }) => SealedValue.commitments(body)))
    return { ...command, cited: erased.values.every((value) => committed.has(value)) }
  }
  const claims = MessageReport.isMessage(proposal) ? (MessageReport.claims(proposal.data ?? {}) ?? []) : []
  if (claims.length === 0 || command.standings !== undefined) return command
  const from = Math.min(...claims.map(({ action }) => SettledActions.known(state, action)?.requested ?? 1))
  const look = { _tag: "Trace", run: terms.run.id, from } as const
  const transitions = StoreQuery.seen(command, look)
  if (transitions === undefined) return look
  return { ...command, standings: MessageReport.standings(ActionHistories.all(transitions), proposal.data ?? {}) }
}
