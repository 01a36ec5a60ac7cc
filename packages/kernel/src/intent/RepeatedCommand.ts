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
 *
 * The other content of such a fact is not kept, and the outcome says so.
 */
import * as Quantise from "@backstitch/contracts/Quantise"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Field from "@backstitch/expressions/Field"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import * as SealedValue from "@backstitch/trace/SealedValue"
import type { Transition } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
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
  proposal: Proposal,
  { body, tick }: Transition
): Check.Check | undefined => {
  if (difference(terms.pack, body, proposal) === undefined) return undefined
  const action = body.action?.id ?? body.type
  return Check.fail("key", proposal.command ?? "", "name.held", {
    action,
    namespace: "command",
    run: terms.run.id,
    tick
  })
}

/**
 * Tells whether a fact that is proposed again has another content than the one on record. Sealed values are not
 * compared: each sealing makes another commitment.
 */
export const isReworded = ({ body }: Pick<Transition, "body">, { data, tool }: Proposal): boolean => {
  if (tool !== undefined) return false
  const known = (body.data ?? {}) as Canonical.JsonObject
  return Object.entries(data ?? {}).some(([field, value]) => {
    const recorded = known[field] ?? null
    return !isSealed(recorded) && !isSealed(value ?? null) && !Canonical.equals(recorded, value ?? null)
  })
}

const isSealed = (value: Canonical.Json): boolean => SealedValue.commitments(value).length > 0

/** The way in which a proposal differs from the request on record: by its arguments in some fields. */
export type Difference =
  | { readonly by: "occurrence" | "tool" | "type" }
  | { readonly by: "arguments"; readonly fields: ReadonlyArray<string> }

/** Tells how a proposal differs from the request on record under its name; `undefined` if it is the same one. */
export const difference = (
  pack: TaskPack.TaskPack | undefined,
  first: Pick<Transition["body"], "action" | "intent" | "type">,
  { occurrence = 1, params = {}, tool, type = "action.request" }: Proposal
): Difference | undefined => {
  if (first.type !== type) return { by: "type" }
  if (first.action?.tool !== tool) return { by: "tool" }
  const fields = tool === undefined ? [] : differing(TaskPack.tool(pack, tool), first.action?.params ?? {}, params)
  if (fields.length > 0) return { by: "arguments", fields }
  return (first.intent?.occurrence ?? 1) === occurrence ? undefined : { by: "occurrence" }
}

/** The fields in which two calls differ as the system of record would see it: their spelling makes no difference. */
const differing = (
  contract: ToolContract.ToolContract,
  ...asked: readonly [Canonical.Json, Canonical.Json]
): ReadonlyArray<string> => {
  const input = Field.object(contract.input)
  const [before, now] = asked
    .map((params) => (contract.known ? Quantise.value(input, params) : params))
    .map((params) => Result.getOrElse(RequestIdentity.requested(contract, params), () => params))
    .map(Canonical.objectOf) as [Canonical.JsonObject, Canonical.JsonObject]
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return names.filter((name) => {
    const isIn = Object.hasOwn(before, name) && Object.hasOwn(now, name)
    return !isIn || !Canonical.equals(before[name] ?? null, now[name] ?? null)
  })
}
