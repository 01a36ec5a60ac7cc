/** A call that passed every check up to its approval. */
import type * as Amount from "@backstitch/contracts/Amount"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Json } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import type * as KeylessAct from "../identity/KeylessAct.ts"
import type * as RequestIdentity from "../identity/RequestIdentity.ts"
import type * as Check from "../payload/Check.ts"
import type * as Payload from "../payload/Payload.ts"
import type { Proposal } from "./Proposal.ts"

/**
 * A call that passed every check up to its approval. `undoes` names the action that the call undoes, if it undoes
 * one.
 */
export interface Passed {
  readonly proposal: Proposal
  readonly contract: ToolContract.ToolContract
  readonly params: Json
  readonly keyed: RequestIdentity.Derived
  readonly hash: Digest | undefined
  readonly checks: ReadonlyArray<Check.Check>
  /** The expected cost of the call. */
  readonly reserved?: Amount.Amounts
  readonly undoes?: string | undefined
  /** The action that the call reverses, if a planner and not a plan asks for that. */
  readonly reverses?: Payload.Of<"action.request">["reverses"]
  /** The obligation that the call completes, if the kernel asks for it. */
  readonly completes?: string | undefined
  /** The act of a call without a key, and those that made the same request before. */
  readonly act?: KeylessAct.KeptIdentity | undefined
  readonly met?: KeylessAct.ActsBefore | undefined
  readonly isWanted?: boolean | undefined
}
