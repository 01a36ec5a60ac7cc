/**
 * Agents of the AI SDK on the record: tools that act once, approvals that are bound to arguments, messages without
 * dangling calls, and model calls whose tokens are counted.
 *
 * Begin with `guardedTool`, which wraps one tool, and go on with `aiSdkTools`, for an agent with several tools.
 */

export { recordCalls } from "./CallRecorder.ts"
export { contractedTools, type GuardOptions, guardedTool, type Questions } from "./ContractedTools.ts"
export { messagesOf, resumableMessages } from "./RunHistory.ts"
export { aiSdkTools, type OutcomeTool, parked, type ToolOutcome, toolsOf } from "./RunTools.ts"
export {
  type ApprovalDecision,
  type Approver,
  decideApprovals,
  toolApproval
} from "./ToolApprovals.ts"
