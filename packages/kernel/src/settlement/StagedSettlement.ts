/**
 * Decides which settlements need no flush of their own.
 *
 * A settlement is staged if its answer can be obtained again after a crash that lost it. The contract alone decides
 * this:
 *
 * | the contract | the action | after a crash | its success |
 * | --- | --- | --- | --- |
 * | `class: read_only`, without `cost` | any | the read is made again | is staged |
 * | `status: by_key`, with all three times | has a key | `Recover` asks about its key | is staged |
 * | any other | any | – | is durable at once |
 *
 * Only a success is staged, and only if nothing else is committed with it. A refusal is not staged: no record would
 * show it, and the call would be sent again under its key. A read that costs something is not staged: it would be
 * paid for twice. These are durable at once, because other decisions depend on them: a reversal, a step behind a pivot,
 * a delivery, a review, an obligation, an exhausted budget, and each decision of the recovery table.
 *
 * @see docs/decisions/0051-a-settlement-rides-with-what-comes-next.md
 * @see docs/decisions/0055-a-read-rides-with-what-comes-next.md
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { State } from "@backstitch/reducer/State"
import type { ActionInFlight } from "../action/ActionInFlight.ts"
import type * as CommitContent from "../decision/CommitContent.ts"
import type { Decision } from "../decision/Decision.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

/** Tells whether the answer can be obtained again after a crash: from the system of record, or by another read. */
export const canBeToldAgain = ({ contract, open }: Pick<ActionInFlight, "contract" | "open">): boolean =>
  ToolContract.isMutating(contract)
    ? ToolContract.canBeAsked(contract) && open.key !== undefined
    : contract.cost === undefined

/** Stages the success of an action that can be asked about again. Every other decision stays as it is. */
export const stage = (terms: DecisionTerms.DecisionTerms, state: State, decision: Decision): Decision => {
  const { next, content } = decision
  const settlement = content.reconciled ?? content.read
  if (settlement?.result?.status !== "ok" || next._tag !== "End" || !isAlone(content)) return decision
  const id = settlement.action?.id ?? ""
  const open = OpenActions.of(state)[id]
  if (open === undefined || open.adopted === true || Obligations.ofAction(state, id) !== undefined) return decision
  const contract = TaskPack.tool(terms.pack, open.tool)
  return canBeToldAgain({ contract, open }) ? { ...decision, flush: "soon" } : decision
}

const slots: ReadonlySet<string> = new Set<CommitContent.Slot>(["answered", "read", "verified", "reconciled"])

/** Tells whether a content contains only the success of an action: no obligation, request or stop depends on it. */
const isAlone = (content: CommitContent.CommitContent): boolean =>
  content.reconciled?.data?.obliges === undefined &&
  content.reconciled?.data?.owes === undefined &&
  Object.entries(content).every(([slot, kept]) => kept === undefined || slots.has(slot))
