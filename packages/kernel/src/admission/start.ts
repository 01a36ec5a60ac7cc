/**
 * The start of a call that passed every check: the request and its first attempt, as they are committed before anything
 * is sent.
 *
 * For a mutation they hold its key, its target, the approval, and the call that would undo it. A read is committed
 * without a flush: it may be made again.
 */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type { State } from "@backstitch/reducer/State"
import * as ActionId from "@backstitch/trace/ActionId"
import { defined } from "@backstitch/trace/Defined"
import { strongOf } from "../action/ActionInFlight.ts"
import * as ArrivalWindow from "../action/ArrivalWindow.ts"
import * as Compensation from "../action/Compensation.ts"
import * as BreakGlass from "../approval/BreakGlass.ts"
import type { CommitContent, Said } from "../decision/CommitContent.ts"
import type { Decision } from "../decision/Decision.ts"
import { described, intent, steps, usage, versionOf } from "../decision/intentBody.ts"
import type { Passed } from "../decision/validatedCall.ts"
import * as ActTurns from "../identity/ActTurns.ts"
import type { Names } from "../identity/requestedNames.ts"
import type * as Payload from "../payload/Payload.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Enforcement from "../state/Enforcement.ts"
import * as ScopeCheck from "../verification/ScopeCheck.ts"

interface Starting extends Passed {
  readonly approval?: Payload.Of<"action.request">["approval"]
  readonly glass?: BreakGlass.BreakGlass & BreakGlass.ReplacedApproval
}

/**
 * Starts a call. The intent is durable before anything happens; for a mutation, so are its key, request hash and
 * target (L5).
 */
export const start = (terms: DecisionTerms.DecisionTerms, state: State, decided: Starting): Decision => {
  const { checks, completes, contract, hash, keyed, params, proposal, undoes } = decided
  const id = ActionId.at(terms.tick)
  const mutating = ToolContract.isMutating(contract)
  const requested: Said<"action.request"> = {
    action: {
      class: contract.class,
      id,
      params,
      tool: contract.name,
      ...defined({ undoes })
    },
    ...described(proposal, undoes === undefined && completes === undefined ? "agent" : "kernel"),
    ...requestData(terms, state, decided),
    ...intent(proposal, hash),
    policy: { checks: steps(checks), decision: "allow", ...Enforcement.observed(checks), version: versionOf(terms) },
    ...usage(proposal, decided.reserved)
  }
  const isLookedAt = undoes !== undefined || ToolContract.isReadBefore(contract)
  return {
    context: hash,
    content: mutating ? { requested, ...begun(terms, state, decided) } : { requested },
    ...(mutating ? { names: namesOf(terms, state, decided) } : {}),
    flush: mutating ? "now" : "later",
    next: {
      _tag: isLookedAt ? "ReadBefore" : "Call",
      request: {
        ...(isLookedAt && undoes === undefined ? strongOf(contract) : {}),
        action: id,
        tool: contract.name,
        params,
        key: keyed.key,
        deadlineMillis: ArrivalWindow.sendWithinOf(contract),
        sendBefore: ArrivalWindow.leavesBy(contract, terms.now)
      }
    }
  }
}

/** Makes the first attempt of a mutation, with the call that would undo it, and the review if the glass was broken. */
const begun = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { act, contract, glass, keyed, params, proposal }: Starting
): Pick<CommitContent, "broken" | "started"> => {
  const id = ActionId.at(terms.tick)
  const { key, requestHash, target } = keyed
  const started: Said<"action.started"> = {
    action: { id, requestHash, ...defined({ target }) },
    data: {
      undo: Compensation.registered(terms, state, { contract, params }),
      ...ScopeCheck.begun(contract, proposal.agent),
      ...defined({ act }),
      ...(glass === undefined ? {} : { review: glass.review })
    },
    stamp: key === undefined ? {} : { key }
  }
  if (glass === undefined) return { started }
  const about = { action: id, tool: contract.name, params, requestHash, standing: glass }
  return { started, broken: BreakGlass.requested(glass, about) }
}

/** Lists the names that the start of a mutation claims. */
const namesOf = (terms: DecisionTerms.DecisionTerms, state: State, passed: Passed): Names => {
  const { act, contract, keyed, undoes } = passed
  const { key, requestHash } = keyed
  return {
    begins: { action: undoes ?? ActionId.at(terms.tick), tool: contract.name, requestHash, key, act },
    ...turnsOf(terms, state, passed)
  }
}

/** The turn of the action that a call reverses. A fork's own effect takes the turns of the acts that it shares. */
const turnsOf = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { contract, reverses, undoes }: Passed
): Pick<Names, "shared" | "turns"> => {
  if (undoes !== undefined || !ToolContract.isMutating(contract)) return {}
  return reverses === undefined
    ? { shared: ActTurns.ofShared(terms, state) }
    : { turns: ActTurns.ofActions(terms, state, [reverses.action]) }
}

/**
 * Lists the data of a request beside its arguments: its approval or broken glass, the actions that it completes,
 * reverses or repeats, and the turns that it takes.
 */
const requestData = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  decided: Starting
): Pick<Said<"action.request">, "data"> => {
  const { approval, completes, contract, glass, met, params, reverses } = decided
  const within = ToolContract.isMutating(contract) ? {} : Compensation.withinOf(terms, state, { contract, params })
  const { shared, turns } = turnsOf(terms, state, decided)
  const data: Payload.Of<"action.request"> = {
    ...defined({ approval }),
    ...(glass === undefined ? {} : { breakGlass: { by: glass.by, reason: glass.reason } }),
    ...defined({ completes, met, reverses }),
    ...ActTurns.toData({ ...shared, ...turns }),
    ...(Object.keys(within).length === 0 ? {} : { within })
  }
  return Object.keys(data).length === 0 ? {} : { data }
}
