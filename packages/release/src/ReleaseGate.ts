/**
 * Eight gates that a new verifier, recovery table or ledger schema passes before it is promoted.
 *
 * The gates are pure: each judges evidence by rules of its own. Five need nothing else. A canary, injected failures and
 * a recovery drill need a running system; their gates judge its report, and refuse without one.
 *
 * @source Action Verification, "Regression Control and Release Gates"
 */
import * as Wording from "@backstitch/wording/Wording"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Gate, type GateVerdict, gates } from "./gates/GateVerdict.ts"

export { judge as canary, watched } from "./gates/CanaryGate.ts"
export { faults, judge as failureInjection } from "./gates/FailureInjectionGate.ts"
export { judge as falseSuccess } from "./gates/FalseSuccessGate.ts"
export { type Gate, type GateVerdict, gates } from "./gates/GateVerdict.ts"
export { judge as ledgerSchema } from "./gates/LedgerSchemaGate.ts"
export { changes as predicateChanges, judge as predicateDiff, type PredicateChange } from "./gates/PredicateDiffGate.ts"
export { drills, judge as recoveryDrill, undoings } from "./gates/RecoveryDrillGate.ts"
export { judge as traceReplay } from "./gates/TraceReplayGate.ts"
export { judge as unknownState } from "./gates/UnknownStateGate.ts"

/** Error for a release that may not be promoted. */
export class PromotionRefused extends Schema.TaggedError<PromotionRefused>("@backstitch/release/PromotionRefused")(
  "PromotionRefused",
  { gates: Schema.Array(Schema.String), against: Schema.Array(Schema.String) }
) {
  override get message(): string {
    const shown = this.against.map((line) => `  ${line}`).join("\n")
    const which = this.gates.join(", ")
    return `Not promoted: ${which} did not pass. Correct what stands against it and run the gates again\n${shown}`
  }
}

/** Promotes the candidate if all eight gates passed, each once; otherwise fails with their findings. */
export const promote = (
  verdicts: ReadonlyArray<GateVerdict>
): Result.Result<ReadonlyArray<GateVerdict>, PromotionRefused> => {
  const missing = (Object.keys(gates) as ReadonlyArray<Gate>).filter(
    (gate) => !verdicts.some((one) => one.gate === gate)
  )
  const failed = verdicts.filter((verdict) => !verdict.passed)
  if (missing.length + failed.length === 0) return Result.succeed(verdicts)
  return Result.fail(
    new PromotionRefused({
      gates: [...new Set([...failed.map((verdict) => verdict.gate), ...missing])],
      against: [
        ...failed.flatMap(({ against, gate }) => against.map((each) => `${gate}: ${Wording.objection(each)}`)),
        ...missing.map((gate) => `${gate}: ${Wording.objection({ code: "not_run" })}`)
      ]
    })
  )
}
