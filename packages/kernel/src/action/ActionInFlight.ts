/**
 * An action that is not settled, as a decision finds it, and the requests that can be made about it.
 *
 * It is the case at hand of every rule about answers, records and recoveries. So a rule takes this one value, and not
 * the terms, the state and the action apart.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { State } from "@backstitch/reducer/State"
import type { CallRequest } from "../decision/Decision.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as ArrivalWindow from "./ArrivalWindow.ts"

/** An action that is not settled: under the terms and in the state of a decision, with its contract. */
export interface ActionInFlight {
  readonly terms: DecisionTerms.DecisionTerms
  readonly state: State
  readonly id: string
  readonly open: OpenAction.OpenAction
  readonly contract: ToolContract.ToolContract
}

/** Names the target of an action, as an argument of a finding. */
export const targetOf = ({ open: { target } }: ActionInFlight): { readonly target?: string } =>
  target === undefined ? {} : { target }

/** Finds an open action with its contract; `undefined` if no action is open under the id. */
export const findAction = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  id: string
): ActionInFlight | undefined => {
  const open = OpenActions.of(state)[id]
  if (open === undefined) return undefined
  return { terms, state, id, open, contract: TaskPack.tool(terms.pack, open.tool) }
}

/**
 * Finds the moment after which a sender that read the record first drops the request, or aborts its open transaction.
 */
export const sendBeforeOf = ({ contract, open, terms }: ActionInFlight): number =>
  ArrivalWindow.leavesBy(contract, open.startedAt ?? terms.now)

/** Makes the request of an action, to be sent now. */
export const requestOf = ({ contract, id, open, terms }: ActionInFlight): CallRequest => ({
  action: id,
  tool: open.tool,
  params: open.params,
  key: open.key,
  deadlineMillis: ArrivalWindow.sendWithinOf(contract),
  sendBefore: ArrivalWindow.leavesBy(contract, terms.now),
  observed: open.answer?.output
})

/** Makes the request of a readback, which asks every source that the contract names. */
export const readRequestOf = (subject: ActionInFlight): CallRequest => {
  const sources = (subject.contract.readback?.sources ?? []).map(({ source }) => source)
  return { ...requestOf(subject), ...(sources.length === 0 ? {} : { sources }) }
}

/** Names the strong source, which is read before a call, if the contract has one. */
export const strongOf = ({ readback }: ToolContract.ToolContract): Pick<CallRequest, "source"> =>
  readback?.strong === undefined ? {} : { source: readback.strong.source }

/** The same action for a rule whose content comes behind `added` transitions of the commit. */
export const after = (subject: ActionInFlight, added = 1): ActionInFlight => ({
  ...subject,
  terms: { ...subject.terms, tick: subject.terms.tick + added }
})

/** Adds an answer to an action, as the fold does when the answer is committed. */
export const answeredWith = (subject: ActionInFlight, answer: OpenAction.LastAnswer): ActionInFlight => ({
  ...subject,
  open: OpenAction.answeredBy(subject.open, answer)
})
