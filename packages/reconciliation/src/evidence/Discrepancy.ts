/**
 * The class of a difference between the world and the intent, with the evidence for it.
 *
 * Action Verification has two vocabularies: twelve classes of difference, and the twelve findings that index its
 * recovery table. {@link findingOf} and {@link classesOf} map between them. Six classes have no finding and have rows
 * of their own. Two findings occur before anything was sent, so no class belongs to them.
 *
 * @source Action Verification, "Discrepancy Classification Model" and "Recovery Decision Tables"
 */
import * as Expectation from "@backstitch/contracts/Expectation"
import type { Json } from "@backstitch/trace/Canonical"

/** The twelve classes, in the order of Action Verification. */
export const classes = ["no_op_success", ...Expectation.discrepancies] as const

/** One of the twelve classes. */
export type Class = (typeof classes)[number]

/** Tells whether a name is that of a class. */
export const isClass = (name: string): name is Class => (classes as ReadonlyArray<string>).includes(name)

/** The twelve findings of the recovery table, in the order of Action Verification. */
export const findings = [
  "observation_authority_mismatch",
  "verification_timeout",
  "pending_timeout",
  "partial_success",
  "stale_state_error",
  "duplicate_side_effect",
  "wrong_target_modified",
  "unverifiable_result",
  "compensation_failure",
  "provider_outage",
  "policy_version_mismatch",
  "approval_token_mismatch"
] as const

/** One of the twelve findings. */
export type RecordFinding = (typeof findings)[number]

/** A difference that recovery decides on, in either vocabulary. */
export type RecoverySubject = Class | RecordFinding

/** The finding under which the recovery table treats a class; `null` if the class has rows of its own. */
export const findingOf = {
  no_op_success: null,
  no_op_failure: null,
  value_mismatch: null,
  stale_state: "stale_state_error",
  partial_application: "partial_success",
  duplicate_side_effect: "duplicate_side_effect",
  wrong_target_modified: "wrong_target_modified",
  target_missing: null,
  propagation_delay: "observation_authority_mismatch",
  unverifiable_state: "unverifiable_result",
  compensation_required: null,
  unknown_state: null
} as const satisfies { readonly [C in Class]: RecordFinding | null }

/**
 * The classes that a finding may turn out to be.
 *
 * **Details**
 *
 * If a tool reports success and the record is unchanged, the effect may be late, absent, or different. The last two
 * findings concern the permission and not the world, and occur before anything is sent.
 */
export const classesOf: { readonly [F in RecordFinding]: ReadonlyArray<Class> } = {
  observation_authority_mismatch: [
    "propagation_delay",
    "no_op_success",
    "no_op_failure",
    "value_mismatch",
    "target_missing"
  ],
  verification_timeout: ["unknown_state"],
  pending_timeout: ["unknown_state"],
  partial_success: ["partial_application"],
  stale_state_error: ["stale_state"],
  duplicate_side_effect: ["duplicate_side_effect"],
  wrong_target_modified: ["wrong_target_modified"],
  unverifiable_result: ["unverifiable_state"],
  compensation_failure: ["compensation_required"],
  provider_outage: ["unverifiable_state", "unknown_state"],
  policy_version_mismatch: [],
  approval_token_mismatch: []
}

/**
 * A predicate that was evaluated over authoritative state. `null` means that it could not be evaluated.
 *
 * **Details**
 *
 * `indicator` and `otherwise` come from its contract: the failure that it detects, and the class for which that
 * stands. `shown` holds the fields of the record that it reads.
 */
export interface Predicate {
  readonly source: string
  readonly held: boolean | null
  readonly indicator?: string | undefined
  readonly otherwise?: Expectation.Discrepancy | undefined
  readonly shown?: Json | undefined
}

/** The authority under which an action may act. Absent fields are not compared. */
export interface Authority {
  readonly tenant?: string
  readonly target?: string
  readonly actor?: string
  readonly region?: string
  readonly account?: string
}

/**
 * The answer of the system of record about a target.
 *
 * - `Shown`: the target, its scope, whether it changed, how often the effect is there, and its parts.
 * - `Absent`: the read did not find the target; `existed` says whether it was there before.
 * - `Unreadable`: this read failed.
 * - `NoPath`: there is no way to read it, or no budget left.
 */
export type Authoritative =
  | {
      readonly _tag: "Shown"
      readonly scope: Authority
      readonly changed: boolean
      readonly effects: number
      readonly versionBefore?: string
      readonly parts?: Readonly<Record<string, boolean>>
    }
  | { readonly _tag: "Absent"; readonly existed: boolean }
  | { readonly _tag: "Unreadable"; readonly reason: Json }
  | { readonly _tag: "NoPath"; readonly reason: Json }

/**
 * All facts for a classification.
 *
 * **Details**
 *
 * `intended` holds the predicates of the pack, evaluated; `satisfiedBefore` tells whether they held before
 * anything was sent. `requested.version` is the version of the target on which the plan was made. `observed` is the
 * tool's answer, which only shows where to look.
 */
export interface Case {
  readonly intended: { readonly predicates: ReadonlyArray<Predicate>; readonly satisfiedBefore?: boolean }
  readonly requested: { readonly version?: string }
  readonly observed: "success" | "accepted" | "pending" | "error" | "timeout"
  readonly authoritative: Authoritative
  readonly scope: Authority
  readonly conditions: { readonly withinDelay: boolean; readonly maybeStale: boolean; readonly mustReverse?: boolean }
}

/**
 * The facts with names of this package. Other facts are named after expectations, parts and names of a contract, or
 * after actions.
 */
export const facts = [
  "answer.first",
  "answer.status",
  "contract.strong_source",
  "delay.passed",
  "effect.wanted",
  "key.recorded",
  "read.strong",
  "record.as_before",
  "record.conclusive",
  "record.effects",
  "record.readable",
  "record.single",
  "record.way",
  "reversal.done",
  "target.changed",
  "target.there",
  "target.version",
  "transaction.committed",
  "transaction.in_time",
  "version.later"
] as const

/** A fact with a name of this package. */
export type Fact = (typeof facts)[number]

/**
 * A piece of evidence: the compared fact, its expected value, and its actual value.
 *
 * **Details**
 *
 * If the contract names the failure, `indicator` is that name, and `shown` holds the compared fields of the record.
 */
export interface ShownDifference {
  readonly fact: string
  readonly expected: Json
  readonly found: Json
  readonly indicator?: string
  readonly shown?: Json
}

/** A difference of one class. */
export interface Discrepancy {
  readonly class: Class
  readonly evidence: ReadonlyArray<ShownDifference>
}

/**
 * Names the one class of a case; `undefined` if the world is as intended.
 *
 * **Details**
 *
 * The gravest class comes first: a wrong target counts even if its values are right, and a duplicate even if both
 * are. An unknown outcome comes before a wrong one, and an effect that may still arrive before one that did not. If
 * the contract gives a class to an unmet predicate, that is its class, in the same order.
 *
 * **Example** (A payment that reached another tenant)
 *
 * ```ts import.meta.vitest
 * import { Discrepancy } from "@backstitch/reconciliation"
 *
 * const found = Discrepancy.classify({
 *   intended: { predicates: [{ source: "actual.paid", held: true }] },
 *   requested: {},
 *   observed: "success",
 *   authoritative: { _tag: "Shown", scope: { tenant: "umbrella" }, changed: true, effects: 1 },
 *   scope: { tenant: "acme" },
 *   conditions: { withinDelay: false, maybeStale: false }
 * })
 *
 * found?.class // => "wrong_target_modified"
 * ```
 */
export const classify = (self: Case): Discrepancy | undefined => {
  const { authoritative } = self
  switch (authoritative._tag) {
    case "NoPath":
      return of("unverifiable_state", because("record.way", true, authoritative.reason))
    case "Unreadable":
      return of("unknown_state", because("record.readable", true, authoritative.reason))
    case "Absent":
      return absent(self, authoritative.existed)
    case "Shown":
      return shown(self, authoritative)
  }
}

const absent = (self: Case, existed: boolean): Discrepancy => {
  const unmet = self.intended.predicates.filter(({ held }) => held === false)
  const evidence = [because("target.there", true, false), ...unmet.map(failure)]
  if (self.conditions.withinDelay || self.conditions.maybeStale)
    return of("propagation_delay", ...evidence, timing(self))
  if (existed) return of("target_missing", ...evidence)
  // A strong read after the delay that should have been made was not made.
  return self.observed === "timeout" || self.observed === "pending" || self.observed === "accepted"
    ? of("unknown_state", ...evidence, because("answer.status", ["success", "error"], self.observed))
    : of(gravest(unmet) ?? "no_op_failure", ...evidence)
}

const shown = (self: Case, actual: Extract<Authoritative, { readonly _tag: "Shown" }>): Discrepancy | undefined => {
  const failures = self.intended.predicates.filter(({ held }) => held === false)
  const declared = (name: Class) => failures.filter(({ otherwise }) => otherwise === name).map(failure)
  // Other named failures are kept as evidence for the person who investigates.
  const named = (name: Class) =>
    failures.filter(({ indicator, otherwise }) => indicator !== undefined && otherwise !== name).map(failure)
  const astray = [...strayed(self.scope, actual.scope), ...declared("wrong_target_modified")]
  if (astray.length > 0) return of("wrong_target_modified", ...astray, ...named("wrong_target_modified"))
  const repeated = actual.effects > 1 ? [because("record.effects", 1, actual.effects)] : []
  const twice = [...repeated, ...declared("duplicate_side_effect")]
  if (twice.length > 0) return of("duplicate_side_effect", ...twice, ...named("duplicate_side_effect"))
  if (self.conditions.mustReverse === true) {
    return of("compensation_required", because("effect.wanted", true, false))
  }
  const { predicates, satisfiedBefore } = self.intended
  const silent = predicates.filter(({ held }) => held === null)
  if (silent.length > 0) {
    const unanswered = silent.map((each) => ({ ...failure(each), found: null }))
    return of("unknown_state", ...declared("unknown_state"), ...named("unknown_state"), ...unanswered)
  }
  const parts = Object.entries(actual.parts ?? {})
  const undone = parts.filter(([, isDone]) => !isDone)
  if (undone.length > 0 && undone.length < parts.length) {
    return of("partial_application", ...undone.map(([name]) => because(name, true, false)))
  }
  const { version } = self.requested
  if (version !== undefined && actual.versionBefore !== undefined && version !== actual.versionBefore) {
    return of("stale_state", because("target.version", version, actual.versionBefore))
  }
  const unmet = failures.map(failure)
  if (unmet.length === 0 && undone.length === 0) {
    return satisfiedBefore === true && !actual.changed
      ? of("no_op_success", because("target.changed", true, false))
      : undefined
  }
  const failing = [...unmet, ...undone.map(([name]) => because(name, true, false))]
  if (self.conditions.withinDelay || self.conditions.maybeStale) {
    return of("propagation_delay", ...failing, timing(self))
  }
  return of(gravest(failures) ?? (actual.changed ? "value_mismatch" : "no_op_failure"), ...failing)
}

/** The classes, gravest first. */
const gravity = [
  "wrong_target_modified",
  "duplicate_side_effect",
  "compensation_required",
  "unverifiable_state",
  "unknown_state",
  "propagation_delay",
  "partial_application",
  "stale_state",
  "target_missing",
  "no_op_failure",
  "value_mismatch"
] as const satisfies ReadonlyArray<Expectation.Discrepancy>

/** Answers the gravest class that the contract gives to its unmet predicates; `undefined` if it gives none. */
const gravest = (unmet: ReadonlyArray<Predicate>): Class | undefined =>
  gravity.find((name) => unmet.some(({ otherwise }) => otherwise === name))

const failure = ({ indicator, shown, source }: Predicate): ShownDifference => ({
  ...because(source, true, false),
  ...(indicator === undefined ? {} : { indicator }),
  ...(shown === undefined ? {} : { shown })
})

const strayed = (wanted: Authority, found: Authority): ReadonlyArray<ShownDifference> =>
  (["tenant", "target", "actor", "region", "account"] as const).flatMap((name) => {
    const [expected, actual] = [wanted[name], found[name]]
    return expected === undefined || actual === undefined || expected === actual
      ? []
      : [because(name, expected, actual)]
  })

const timing = ({ conditions }: Case): ShownDifference =>
  conditions.withinDelay ? because("delay.passed", true, false) : because("read.strong", true, false)

const because = (fact: string, expected: Json, found: Json): ShownDifference => ({ fact, expected, found })

const of = (name: Class, ...evidence: ReadonlyArray<ShownDifference>): Discrepancy => ({ class: name, evidence })
