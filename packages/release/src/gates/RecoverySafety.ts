/**
 * Safety rules for every recovery table: a table is safe if it breaks none of them in any case.
 *
 * A table for release is data, and its rows can say anything. The rules are tried on every section, every side-effect
 * class and every combination of conditions, so the result does not depend on recorded cases. The table in force
 * passes. A candidate passes the release gates only if it passes the rules, too.
 *
 * @source Action Verification, "Recovery Selection Rule" and "Recovery Decision Tables"
 */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import type { Objection, SafetyRule } from "@backstitch/wording/ReleaseWords"

/** A case for a table, and the table's answer. */
export interface Case {
  readonly section: keyof RecoveryRow.RecoverySections
  readonly sideEffect: ToolContract.SideEffect
  readonly conditions: RecoveryRow.Conditions
  readonly action: RecoveryAction.RecoveryAction
}

/** A rule for all tables. `breaks` is called with every case. */
export interface Rule {
  readonly id: SafetyRule
  readonly breaks: (self: Case) => boolean
}

const sends = ({ action }: Case): RecoveryAction.RecoveryDefinition["sends"] => RecoveryAction.definition(action).sends

const isOne = (
  name: string,
  ...names: ReadonlyArray<Discrepancy.RecoverySubject | RecoveryAction.RecoveryAction>
): boolean => (names as ReadonlyArray<string>).includes(name)

/** Classes whose effects others see, or which need a person's approval. */
const grave: ReadonlyArray<ToolContract.SideEffect> = ["high_risk_external", "critical_mutation"]

/** Classes with little possible harm. */
const light: ReadonlyArray<ToolContract.SideEffect> = ["read_only", "ephemeral_write", "low_risk_internal"]

const asksSomebody = ({ action }: Case): boolean => RecoveryAction.definition(action).leadsTo === "review_required"

/** The rules: no blind retry (L7), no unsafe reversal (L5), no success without proof (L8), no endless wait. */
export const rules: ReadonlyArray<Rule> = [
  {
    id: "sends_unknown",
    breaks: (self) =>
      isOne(self.section, "unknown_state", "pending_timeout", "provider_outage") &&
      self.sideEffect !== "read_only" &&
      sends(self) !== "nothing"
  },
  {
    id: "repeats_unproven",
    breaks: (self) => sends(self) === "same_request" && self.section !== "no_op_failure"
  },
  {
    id: "repeats_blindly",
    breaks: (self) => {
      const { keyHonoured, keyRecorded, maybeStale, providerUp, withinDelay } = self.conditions
      const isKnown = keyRecorded && keyHonoured && providerUp && !withinDelay && !maybeStale
      return sends(self) === "same_request" && !isKnown
    }
  },
  {
    id: "reverses_unsafely",
    breaks: (self) => {
      const { pivotPassed, providerUp, reversible, transactionOpen } = self.conditions
      return sends(self) === "reversal" && !(reversible && providerUp && !pivotPassed && !transactionOpen)
    }
  },
  {
    id: "completes_before_pivot",
    breaks: (self) => sends(self) === "remaining_steps" && !self.conditions.pivotPassed
  },
  {
    id: "rolls_back_closed",
    breaks: ({ action, conditions }) => action === "roll_back" && !conditions.transactionOpen
  },
  {
    id: "counts_unproven_success",
    breaks: ({ action, conditions, section }) =>
      RecoveryAction.definition(action).leadsTo === "reconciled_success" &&
      !(conditions.permitted && isOne(section, "no_op_success", "duplicate_side_effect"))
  },
  {
    id: "goes_on_at_risk",
    breaks: ({ action, section, sideEffect }) =>
      action === "report_unverified" && !(section === "unverifiable_result" && light.includes(sideEffect))
  },
  {
    id: "takes_as_never_sent",
    breaks: ({ action, conditions, section }) =>
      conditions.executed &&
      (isOne(action, "defer", "revalidate_approval", "fail_closed") ||
        (action === "refresh_and_replan" && !isOne(section, "stale_state_error", "target_missing")))
  },
  {
    id: "tells_nobody",
    breaks: (self) => isOne(self.section, "wrong_target_modified", "compensation_failure") && !asksSomebody(self)
  },
  {
    id: "leaves_duplicate",
    breaks: (self) =>
      self.section === "duplicate_side_effect" &&
      !self.conditions.permitted &&
      grave.includes(self.sideEffect) &&
      !asksSomebody(self)
  },
  {
    id: "reads_forever",
    breaks: ({ action, conditions }) =>
      isOne(action, "retry_verification", "force_strong_read", "poll_key_record") && !conditions.budgetLeft
  },
  {
    id: "asks_without_key",
    breaks: ({ action, conditions }) => action === "poll_key_record" && !conditions.keyRecorded
  }
]

/** Every combination of conditions. */
export const everyCondition = (): ReadonlyArray<RecoveryRow.Conditions> => {
  every ??= combine()
  return every
}

let every: ReadonlyArray<RecoveryRow.Conditions> | undefined

const combine = (): ReadonlyArray<RecoveryRow.Conditions> => {
  const names = Object.keys(RecoveryRow.calm) as ReadonlyArray<keyof RecoveryRow.Conditions>
  return Array.from({ length: 2 ** names.length }, (_, bits) => ({
    ...RecoveryRow.calm,
    ...Object.fromEntries(names.map((name, index) => [name, (bits & (1 << index)) !== 0]))
  }))
}

/** The findings in a table: the number of cases tried, and each kind of violation once. */
export interface TableFindings {
  readonly cases: number
  readonly against: ReadonlyArray<Objection>
}

/**
 * Tries every rule on every possible case of a table, in all sections or in the given ones.
 *
 * **Example** (A table that repeats what may have happened)
 *
 * ```ts import.meta.vitest
 * import * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
 * import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
 * import { RecoverySafety } from "@backstitch/release"
 *
 * const blind = [{ when: {}, action: "retry_same_key", because: "it may have been lost" }] as const
 *
 * RecoverySafety.check({ ...RecoveryTable.sections, verification_timeout: blind }).against.length // => 12
 * RecoverySafety.check().against // => []
 * ```
 */
export const check = (
  self: RecoveryRow.RecoverySections = RecoveryTable.sections,
  sections = Object.keys(RecoveryTable.sections) as ReadonlyArray<keyof RecoveryRow.RecoverySections>
): TableFindings => {
  const against = sections.flatMap((section) => {
    // The table in force does not change, so a section that a candidate takes over unchanged is tried once.
    if (self[section] !== RecoveryTable.sections[section]) return tryAll(self, section)
    const known = inForce.get(section) ?? tryAll(self, section)
    inForce.set(section, known)
    return known
  })
  return { cases: sections.length * ToolContract.sideEffects.length * everyCondition().length, against }
}

const inForce = new Map<keyof RecoveryRow.RecoverySections, ReadonlyArray<Objection>>()

/** A table has eleven million cases, so none of them creates an iterator. */
const tryAll = (
  self: RecoveryRow.RecoverySections,
  section: keyof RecoveryRow.RecoverySections
): ReadonlyArray<Objection> => {
  const against: Array<Objection> = []
  for (const sideEffect of ToolContract.sideEffects) {
    const known = new Set<number>()
    for (const conditions of everyCondition()) {
      const { action, row } = RecoveryTable.decideBy(self, section, sideEffect, conditions)
      const tried = { section, sideEffect, conditions, action }
      for (let index = 0; index < rules.length; index++) {
        const rule = rules[index]!
        if (!rule.breaks(tried)) continue
        const kind = row * rules.length + index
        if (known.has(kind)) continue
        known.add(kind)
        against.push({ code: "row_unsafe", action, row, rule: rule.id, section, sideEffect })
      }
    }
  }
  return against
}
