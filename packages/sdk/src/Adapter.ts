/**
 * The door of adapters of frameworks: what they need of a run, and users do not.
 *
 * No signature here has a type of another package, either.
 */

export {
  type ApprovalRequest,
  approvalRequestOf,
  approversOf,
  callIdOf,
  type NamedCall
} from "./adapter/ApprovalRequest.ts"
export {
  type Act,
  type Briefing,
  briefingOf,
  briefingOfView,
  type Clause,
  type Last,
  message,
  type Offer,
  type Proposed
} from "./adapter/Briefing.ts"
export { isBackstitchError } from "./failures/Failures.ts"
