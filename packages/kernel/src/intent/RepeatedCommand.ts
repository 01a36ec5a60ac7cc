/**
 * A command that is proposed again: the same request, or another one under its name.
 *
 * A proposer names a command so that a request which got no answer is carried out once. Some count their requests anew
 * after a restart, or in each turn. Then another request comes under a known name, and an answer from the record would
 * tell it as done. So the request on record is read, and another one is refused.
 *
 * | the proposal | is |
 * | --- | --- |
 * | names its command alone | the question what became of it |
 * | has another type, tool or occurrence | another request |
 * | has other arguments, beyond their spelling | another request |
 * | is a fact of the same type with another content | the same request: its words may have been found again |
 */
import * as Quantise from "@backstitch/contracts/Quantise"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Field from "@backstitch/expressions/Field"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as DecisionRules from "../decision/DecisionRules.ts"
import type { Proposal } from "../decision/Proposal.ts"
import * as RequestIdentity from "../identity/RequestIdentity.ts"
import * as Check from "../payload/Check.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as HandledCommands from "../state/HandledCommands.ts"

/** The tick of the request that has the name of a proposal; `undefined` if there is nothing to compare. */
export const tickOf = (state: State, { command, tool, type }: Proposal): number | undefined =>
  command === undefined || (tool === undefined && type === undefined)
    ? undefined
    : DecisionRules.binds(state, DecisionRules.commandsNameOneRequest)
      ? HandledCommands.find(state, command)?.tick
      : undefined

/** The check that fails if a proposal asks for something else than the request on record under its name. */
export const taken = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  proposal: Proposal,
  { body, tick }: Transition
): Check.Check | undefined => {
  const { command = "", occurrence = 1, tool, type = "action.request" } = proposal
  const isSame =
    body.type === type &&
    body.action?.tool === tool &&
    (body.intent?.occurrence ?? 1) === occurrence &&
    (tool === undefined || isSameCall(terms, state, tool, [body.action?.params ?? {}, proposal.params ?? {}]))
  if (isSame) return undefined
  const action = body.action?.id ?? body.type
  return Check.fail("key", command, "name.held", { action, namespace: "command", run: terms.run.id, tick })
}

/** Compares two calls as the system of record would: their spelling makes no difference. */
const isSameCall = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  tool: string,
  asked: readonly [Canonical.Json, Canonical.Json]
): boolean => {
  const contract = TaskPack.tool(terms.pack, tool)
  const input = Field.object(contract.input)
  const [before, now] = contract.known ? asked.map((params) => Quantise.value(input, params)) : asked
  if (Canonical.equals(before ?? null, now ?? null)) return true
  const [one, other] = [before, now].map((params = null) =>
    RequestIdentity.derive(terms, state, { contract, generation: 0, occurrence: 1, params })
  )
  return one?._tag === "Derived" && other?._tag === "Derived" && one.requestHash === other.requestHash
}
