/** Gate 3: the measures of a canary are no worse than those of all other runs. */
import * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import type { Objection } from "@backstitch/wording/ReleaseWords"
import * as GateVerdict from "./GateVerdict.ts"

/** Measures that may not rise in a canary by more than `slack`. */
export const watched = [
  "verification_failure",
  "unknown_state",
  "duplicate_action",
  "failed_compensation",
  "false_success_escape",
  "human_escalation"
] as const satisfies ReadonlyArray<ActionMetrics.Metric>

/** The measures of a canary and of all other runs, and those of its runs that had another pack than the candidate's. */
export interface CanaryReport {
  readonly canary: ActionMetrics.Measures
  readonly rest: ActionMetrics.Measures
  readonly otherPack?: ReadonlyArray<string>
}

/**
 * Compares a canary with all other runs. It must have seen `actionsMin` actions, and each of its runs the candidate's
 * pack.
 */
export const judge = (
  report: CanaryReport | undefined,
  options: { readonly actionsMin: number; readonly slack: number }
): GateVerdict.GateVerdict => {
  if (report === undefined) return GateVerdict.make("canary", 0, [])
  const { otherPack = [] } = report
  const seen = report.canary.verification_success.denominator
  const few: ReadonlyArray<Objection> =
    seen < options.actionsMin ? [{ code: "canary_small", least: options.actionsMin, seen }] : []
  const others = report.rest.verification_success.denominator
  const alone: ReadonlyArray<Objection> = others === 0 ? [{ code: "canary_alone" }] : []
  const worse = watched.flatMap((name): ReadonlyArray<Objection> => {
    const [is, was] = [ActionMetrics.value(report.canary[name]) ?? 0, ActionMetrics.value(report.rest[name]) ?? 0]
    return is > was + options.slack ? [{ code: "measure_rose", is, measure: name, was }] : []
  })
  const strange = otherPack.map((run) => ({ code: "canary_pack", run }) as const)
  return GateVerdict.make("canary", seen, [...few, ...alone, ...worse, ...strange])
}
