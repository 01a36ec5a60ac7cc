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

/** A case for a table, and the table's answer. */
export interface Case {
  readonly section: keyof RecoveryRow.Sections
  readonly sideEffect: ToolContract.SideEffect
  readonly conditions: RecoveryRow.Conditions
  readonly action: RecoveryAction.RecoveryAction
}

/** A rule for all tables. `breaks` is called with every case; the name describes a violation. */
export interface Rule {
  readonly name: string
  readonly breaks: (self: Case) => boolean
}

const sends = ({ action }: Case): RecoveryAction.Definition["sends"] => RecoveryAction.definition(action).sends

const isOne = (name: string, ...names: ReadonlyArray<Discrepancy.Subject | RecoveryAction.RecoveryAction>): boolean =>
  (names as ReadonlyArray<string>).includes(name)

/** Classes whose effects others see, or which need a person's approval. */
const grave: ReadonlyArray<ToolContract.SideEffect> = ["high_risk_external", "critical_mutation"]

/** Classes with little possible harm. */
const light: ReadonlyArray<ToolContract.SideEffect> = ["read_only", "ephemeral_write", "low_risk_internal"]

const asksSomebody = ({ action }: Case): boolean => RecoveryAction.definition(action).leadsTo === "review_required"

/** The rules: no blind retry (L7), no unsafe reversal (L5), no success without proof (L8), no endless wait. */
export const rules: ReadonlyArray<Rule> = [
  {
    name: "it is unknown what happened, and something is sent",
    breaks: (self) =>
      isOne(self.section, "unknown_state", "pending_timeout", "provider_outage") &&
      self.sideEffect !== "read_only" &&
      sends(self) !== "nothing"
  },
  {
    name: "a request is sent again although it is not proven that nothing happened",
    breaks: (self) => sends(self) === "same_request" && self.section !== "no_op_failure"
  },
  {
    name: "a request is sent again blindly: without a key that is on record and honoured, or too early to tell",
    breaks: (self) => {
      const { keyHonoured, keyRecorded, maybeStale, providerUp, withinDelay } = self.conditions
      const isKnown = keyRecorded && keyHonoured && providerUp && !withinDelay && !maybeStale
      return sends(self) === "same_request" && !isKnown
    }
  },
  {
    name: "a reversal is sent that is not declared, behind the pivot, in an open transaction or unverifiable",
    breaks: (self) => {
      const { pivotPassed, providerUp, reversible, transactionOpen } = self.conditions
      return sends(self) === "reversal" && !(reversible && providerUp && !pivotPassed && !transactionOpen)
    }
  },
  {
    name: "the remaining steps are sent although the pivot has not passed",
    breaks: (self) => sends(self) === "remaining_steps" && !self.conditions.pivotPassed
  },
  {
    name: "a transaction is rolled back that is not open",
    breaks: ({ action, conditions }) => action === "roll_back" && !conditions.transactionOpen
  },
  {
    name: "it counts as a success although the contract does not let it",
    breaks: ({ action, conditions, section }) =>
      RecoveryAction.definition(action).leadsTo === "reconciled_success" &&
      !(conditions.permitted && isOne(section, "no_op_success", "duplicate_side_effect"))
  },
  {
    name: "the run goes on although much is at stake, or something else than a missing proof was found",
    breaks: ({ action, section, sideEffect }) =>
      action === "report_unverified" && !(section === "unverifiable_result" && light.includes(sideEffect))
  },
  {
    name: "it is treated as never sent although it was",
    breaks: ({ action, conditions, section }) =>
      conditions.executed &&
      (isOne(action, "defer", "revalidate_approval", "fail_closed") ||
        (action === "refresh_and_replan" && !isOne(section, "stale_state_error", "target_missing")))
  },
  {
    name: "nobody is told of a wrong target or a failed reversal",
    breaks: (self) => isOne(self.section, "wrong_target_modified", "compensation_failure") && !asksSomebody(self)
  },
  {
    name: "a duplicate with consequences outside is left to a machine",
    breaks: (self) =>
      self.section === "duplicate_side_effect" &&
      !self.conditions.permitted &&
      grave.includes(self.sideEffect) &&
      !asksSomebody(self)
  },
  {
    name: "it is read again without a budget, so it never ends",
    breaks: ({ action, conditions }) =>
      isOne(action, "retry_verification", "force_strong_read", "poll_key_record") && !conditions.budgetLeft
  },
  {
    name: "a key is asked about that is not on record",
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
export interface Found {
  readonly cases: number
  readonly against: ReadonlyArray<string>
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
  self: RecoveryRow.Sections = RecoveryTable.sections,
  sections = Object.keys(RecoveryTable.sections) as ReadonlyArray<keyof RecoveryRow.Sections>
): Found => {
  const against = sections.flatMap((section) => {
    // The table in force does not change, so a section that a candidate takes over unchanged is tried once.
    if (self[section] !== RecoveryTable.sections[section]) return tryAll(self, section)
    const known = inForce.get(section) ?? tryAll(self, section)
    inForce.set(section, known)
    return known
  })
  return { cases: sections.length * ToolContract.sideEffects.length * everyCondition().length, against }
}

const inForce = new Map<keyof RecoveryRow.Sections, ReadonlyArray<string>>()

/** A table has eleven million cases, so none of them creates an iterator. */
const tryAll = (self: RecoveryRow.Sections, section: keyof RecoveryRow.Sections): ReadonlyArray<string> => {
  const against: Array<string> = []
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
        against.push(`row ${row} of ${section}, ${sideEffect}, leads to ${action}: ${rule.name}`)
      }
    }
  }
  return against
}
