/**
 * Decides which settlements need no flush of their own.
 *
 * A settlement is staged if the system of record can be asked again. A crash that loses it leaves a started action,
 * and `Recover` asks about its key. The contract alone decides this:
 *
 * | the contract | the action | its success |
 * | --- | --- | --- |
 * | `status: by_key`, with all three times | has a key | is staged |
 * | any other | any | is durable at once |
 *
 * Only a success is staged, and only if nothing else is committed with it. A refusal is not staged: no record would
 * show it, and the call would be sent again under its key. A reversal, a step behind a pivot, a delivery, a review,
 * an obligation, an exhausted budget and each decision of the recovery table are durable at once, because other
 * decisions depend on them.
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

/** Tells whether, after a crash that lost a settlement, the system of record can be asked again about its action. */
export const canBeToldAgain = ({ contract, open }: Pick<Subject, "contract" | "open">): boolean =>
  ToolContract.canBeAsked(contract) && open.key !== undefined

/** Stages the success of an action that can be asked about again. Every other decision stays as it is. */
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

/** Tells whether a content contains only the success of an action: no obligation, request or stop depends on it. */
const isAlone = (content: CommitContent.CommitContent): boolean =>
  content.reconciled?.data?.obliges === undefined &&
  content.reconciled?.data?.owes === undefined &&
  Object.entries(content).every(([slot, kept]) => kept === undefined || slots.has(slot))
