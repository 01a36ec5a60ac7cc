/**
 * The door of adapters of frameworks: what they need of runs, facts, large texts and digests, and users do not.
 *
 * No signature here has a type of another package, either.
 */

export {
  type ApprovalRequest,
  approvalRequestOf,
  approversOf,
  callIdOf,
  type NamedCall,
  type Requested,
  requestDigestOf
} from "./adapter/ApprovalRequest.ts"
export {
  type BriefedAction,
  type Briefing,
  briefingOf,
  briefingOfView,
  type Clause,
  type LastOutcome,
  message,
  type Offer,
  type Proposed
} from "./adapter/Briefing.ts"
export {
  type Fact,
  type FactStore,
  type KeepableText,
  type KeptText,
  of as factsOf,
  type RecordedCall,
  type TextsApart
} from "./adapter/FactStore.ts"
export type { FactTypes } from "./adapter/FactTypes.ts"
export { messagesOf as messagesOfBriefing } from "./adapter/messagesOf.ts"
export { type AskedRestore, type Obstacle, obstacles } from "./adapter/RestoreGate.ts"
export { isBackstitchError } from "./failures/Failures.ts"
