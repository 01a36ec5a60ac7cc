/** The roles that may have to approve the calls of a tool, as planners and frameworks are told before they call. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type { State } from "@backstitch/reducer/State"
import * as ForkPolicy from "../state/ForkPolicy.ts"
import * as BreakGlass from "./BreakGlass.ts"

/** The role that approves where the contract names none. */
export const byDefault = "operator"

/**
 * Lists the roles of which one may have to approve a call of a tool, whatever its arguments; `undefined` if no call
 * needs an approval.
 */
export const ofTool = (
  pack: TaskPack.TaskPack | undefined,
  state: State,
  contract: ToolContract.ToolContract
): ReadonlyArray<string> | undefined => {
  const declared = TaskPack.approvalOf(pack, contract.name)?.by ?? []
  const isAsked = declared.length === 0 && BreakGlass.isReviewed(contract)
  const others = isAsked || ForkPolicy.asks(state, contract.name) ? [byDefault] : []
  const roles = [...new Set([...declared, ...others])]
  return roles.length === 0 ? undefined : roles
}
