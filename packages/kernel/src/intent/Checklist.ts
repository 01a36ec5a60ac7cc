/**
 * The checklist of a topology: tools that have to have done their work before an agent may declare its goal reached.
 *
 * A read is done once it was answered, and a mutation once it is a success that a message could report. No state holds
 * the answers of reads, so they are read from the trace. A subgoal needs no checklist, and a person may end a run over
 * an open one.
 *
 * @source Crash Recovery, ReAct crash profile: an explicit completion checklist before exit is allowed
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as MessageReport from "@backstitch/reconciliation/MessageReport"
import type { Transition } from "@backstitch/trace/Transition"
import type { Proposal } from "../decision/Proposal.ts"
import * as Check from "../payload/Check.ts"
import * as Goal from "../state/Goal.ts"

/** The tools that a proposal has to wait for; none, if it does not declare the goal reached, or if a person does. */
export const of = (
  pack: TaskPack.TaskPack | undefined,
  { author = "agent", data, type }: Proposal
): ReadonlyArray<string> =>
  type !== "goal.complete" || author !== "agent" || Goal.isSubgoal(pack, data ?? {})
    ? []
    : (pack?.topology?.checklist ?? [])

/** Lists the tools that have done their work by the transitions of a run. */
export const done = (transitions: Iterable<Transition>): ReadonlyArray<string> => {
  const tools = new Set<string>()
  for (const history of ActionHistories.all(transitions).values()) {
    if (MessageReport.standingOf(history) === "success") tools.add(history.tool)
  }
  return [...tools]
}

/** Refuses a completion while a tool of the checklist has not done its work. */
export const checks = (checklist: ReadonlyArray<string>, tools: ReadonlyArray<string>): ReadonlyArray<Check.Check> => {
  const open = checklist.filter((tool) => !tools.includes(tool))
  return open.length === 0 ? [] : [Check.fail("policy", "topology.checklist", "checklist.open", { tools: open })]
}
