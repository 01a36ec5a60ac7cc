/**
 * Decides which settlements need no flush of their own.
 *
 * A settlement is staged where the system of record can tell it again: a crash that loses it leaves an action that is
 * begun, and `Recover` asks about its key. Whether that is so is said by the contract alone:
 *
 * | the contract | the action | its success |
 * | --- | --- | --- |
 * | `status: by_key`, with all three times | has a key | is staged |
 * | any other | any | is durable at once |
 *
 * Only a success is staged, and only by itself. A refusal is told by no record, and would be sent again under its key.
 * A reversal, a step behind a pivot, a delivery, a review, an obligation, a budget that is used up and each decision of
 * the recovery table are durable at once: others act on them.
 *
 * @see docs/decisions/0051-a-settlement-rides-with-what-comes-next.md
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { State } from "@backstitch/reducer/State"
import type { Subject } from "../action/ActionInFlight.ts"
import type * as CommitContent from "../decision/CommitContent.ts"
import type { Decision } from "../decision/Decision.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

/** Tells whether the system of record can be asked again what became of an action, after a crash that lost it. */
export const canBeToldAgain = ({ contract, open }: Pick<Subject, "contract" | "open">): boolean =>
  ToolContract.canBeAsked(contract) && open.key !== undefined

/** Stages the success of an action that can be told again. Every other decision stays as it is. */
export const stage = (terms: DecisionTerms.DecisionTerms, state: State, decision: Decision): Decision => {
  const { next, content } = decision
  const { reconciled } = content
  if (reconciled?.result?.status !== "ok" || next._tag !== "End" || !isAlone(content)) return decision
  const id = reconciled.action?.id ?? ""
  const open = OpenActions.of(state)[id]
  if (open === undefined || open.adopted === true || Obligations.ofAction(state, id) !== undefined) return decision
  const contract = TaskPack.tool(terms.pack, open.tool)
  return canBeToldAgain({ contract, open }) ? { ...decision, flush: "soon" } : decision
}

const slots: ReadonlySet<string> = new Set<CommitContent.Slot>(["answered", "verified", "reconciled"])

/**
 * Tells whether a content says that an action succeeded, and nothing beside it: no obligation, request or stop depends
 * on it.
 */
const isAlone = (content: CommitContent.CommitContent): boolean =>
  content.reconciled?.data?.obliges === undefined &&
  content.reconciled?.data?.owes === undefined &&
  Object.entries(content).every(([slot, kept]) => kept === undefined || slots.has(slot))
