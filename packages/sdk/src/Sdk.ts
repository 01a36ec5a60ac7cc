/**
 * Tools that act once, and runs on the record, for `async` and `await`.
 *
 * No signature of this package has a type of another one. Begin with `guarded`, which wraps one function, and go on
 * with `Backstitch.open`, for an agent with several tools.
 */
export * as Backstitch from "./Backstitch.ts"
export type { Issue, SchemaResult, StandardSchema } from "./contract/StandardSchema.ts"
export {
  Accepted,
  type CallQuestion,
  type Found,
  type OutputFound,
  type OutputOf,
  type Question,
  type Tool,
  type ToolContext,
  ToolRefused
} from "./contract/Tool.ts"
export type {
  Approval,
  Condition,
  InputSchema,
  PackDefinition,
  SideEffect,
  ToolContract
} from "./contract/ToolContract.ts"
export {
  ApprovalRequired,
  BackstitchError,
  CallFailed,
  CallRefused,
  type Facts,
  OutcomeUnknown
} from "./failures/Failures.ts"
export { type CallOptions, type Guarded, guarded, type Options as GuardOptions } from "./Guarded.ts"
export type { Event, EventOptions } from "./run/Event.ts"
export type { DecidedBy, Settlement } from "./run/Person.ts"
export type { InjectedRevision, JudgedAct, PlannedAct, Revision, RevisionChange, RevisionPlan } from "./run/Revision.ts"
export type { ForkOptions, Opening, RecordOptions, Run, ToolOptions } from "./run/Run.ts"
export type {
  Comparison,
  Decision,
  DraftReport,
  HeldAction,
  LedgerEntry,
  Onset,
  PendingApproval,
  Report,
  ReportedAction,
  Verification
} from "./run/Views.ts"
export type { StoreSettings as Settings } from "./session/StoreSettings.ts"
export type { Telemetry } from "./session/Telemetry.ts"
export type { Json, JsonObject } from "./values/Json.ts"
export type { CallPart, Message, MessageOptions, MessageValue, ResultPart } from "./values/Message.ts"
export type { NextStep } from "./values/NextStep.ts"
export type { Basis, Done, Effect, Failed, Held, Outcome, Parked, Refused } from "./values/Outcome.ts"
export type { Recorded } from "./values/Recorded.ts"
