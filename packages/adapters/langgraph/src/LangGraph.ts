/** Graphs of LangGraph on the record of a run: checkpoints, tools by contract, and approvals. */

export { GraphRecorder, type Options as RecorderOptions } from "./capture/GraphRecorder.ts"
export { BackstitchSaver, type Options as SaverOptions } from "./checkpointer/BackstitchSaver.ts"
export { checkpoints } from "./checkpointer/checkpointTypes.ts"
export { guardRestores, type Options as GuardOptions, RestoreBlocked } from "./gate/RestoreGuard.ts"
export { contracted, type ToolDescription } from "./tools/ContractedTool.ts"
export {
  type ApprovalRequest,
  approve,
  deny,
  type GraphDecision,
  isRequest,
  type Person
} from "./tools/GraphApproval.ts"
