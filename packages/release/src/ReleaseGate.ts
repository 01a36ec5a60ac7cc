/**
 * Eight gates that a new verifier, recovery table or ledger schema passes before it is promoted.
 *
 * The gates are pure: each judges evidence by rules of its own. Five need nothing else. A canary, injected failures and
 * a recovery drill need a running system; their gates judge its report, and refuse without one.
 *
 * @source Action Verification, "Regression Control and Release Gates"
 */
import type { Objection } from "@backstitch/wording/ReleaseWords"
import * as Wording from "@backstitch/wording/Wording"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Gate, type GateVerdict, gates } from "./gates/GateVerdict.ts"

export { judge as canary, watched } from "./gates/CanaryGate.ts"
export { faults, faultsOf, judge as failureInjection } from "./gates/FailureInjectionGate.ts"
export { judge as falseSuccess } from "./gates/FalseSuccessGate.ts"
export { type Gate, type GateVerdict, gates } from "./gates/GateVerdict.ts"
export { judge as ledgerSchema } from "./gates/LedgerSchemaGate.ts"
export { changes as predicateChanges, judge as predicateDiff, type PredicateChange } from "./gates/PredicateDiffGate.ts"
export {
  drills,
  isSentAgain,
  judge as recoveryDrill,
  obliges,
  pathsOf,
  undoings
} from "./gates/RecoveryDrillGate.ts"
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
  const isMissing = (gate: Gate) => !verdicts.some((one) => one.gate === gate)
  const isRepeated = (gate: Gate) => verdicts.filter((one) => one.gate === gate).length > 1
  const all = Object.keys(gates) as ReadonlyArray<Gate>
  const failed = verdicts.filter((verdict) => !verdict.passed)
  const objections: ReadonlyArray<{ readonly gate: Gate; readonly objection: Objection }> = [
    ...failed.flatMap(({ against, gate }) => against.map((objection) => ({ gate, objection }))),
    ...all.filter(isMissing).map((gate) => ({ gate, objection: { code: "not_run" } }) as const),
    ...all.filter(isRepeated).map((gate) => ({ gate, objection: { code: "run_twice" } }) as const)
  ]
  const others = all.filter((gate) => isMissing(gate) || isRepeated(gate))
  const refused = [...new Set([...failed.map(({ gate }) => gate), ...others])]
  if (refused.length === 0) return Result.succeed(verdicts)
  return Result.fail(
    new PromotionRefused({
      gates: refused,
      against: objections.map(({ gate, objection }) => `${gate}: ${Wording.objection(objection)}`)
    })
  )
}
