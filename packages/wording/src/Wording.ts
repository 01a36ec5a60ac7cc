/**
 * Words for the codes of a trace: total, pure, and without influence on any stored byte.
 *
 * An unknown code, or one whose arguments do not fit it, is written as it is stored, with no words added. A text of a
 * person or a provider stays as they wrote it.
 *
 * **Example** (A refusal in words)
 *
 * ```ts import.meta.vitest
 * import { Wording } from "@backstitch/wording"
 *
 * const told = Wording.of({ args: { action: "a7", tick: 12 }, code: "key.reused" })
 *
 * told.what // => "action a7 used this key for another request at tick 12"
 * told.why // => "the same request under the same key"
 * ```
 *
 * @source docs/decisions/0027
 */
import type * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import type * as BudgetSlice from "@backstitch/kernel/BudgetSlice"
import * as Check from "@backstitch/kernel/Check"
import type * as EnforcementStage from "@backstitch/kernel/EnforcementStage"
import * as Finding from "@backstitch/kernel/Finding"
import type * as ForkPolicy from "@backstitch/kernel/ForkPolicy"
import type { Held, Outcome, Parked, Refused } from "@backstitch/kernel/Outcome"
import type * as Presence from "@backstitch/kernel/Presence"
import type * as ResumePlan from "@backstitch/kernel/ResumePlan"
import type * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import type { ReconciliationStatus } from "@backstitch/reconciliation/ReconciliationStatus"
import type * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Ontology from "@backstitch/trace/Ontology"
import type * as BuiltIn from "@backstitch/version-control/BuiltIn"
import type * as CherryPick from "@backstitch/version-control/CherryPick"
import type * as OnsetQuestion from "@backstitch/version-control/OnsetQuestion"
import type * as Remediation from "@backstitch/version-control/Remediation"
import type * as Step from "@backstitch/version-control/Step"
import * as English from "./English.ts"
import type { ByCode } from "./said/byCode.ts"
import type { PredicateCourse } from "./said/HistoryWords.ts"
import * as Meanings from "./said/meanings.ts"
import * as Next from "./said/Next.ts"
import type { RedecisionRemark, SnapshotFault, VerificationFault, WitnessFault } from "./said/ProofWords.ts"
import type { Examination, Objection, ShortDecision } from "./said/ReleaseWords.ts"
import type { Stand } from "./said/RunWords.ts"
import * as Said from "./said/Said.ts"
import type { DiagnosisWords, ImportRefused, StepRemark } from "./said/TraceWords.ts"
import type { Measure, MissingSaid, Raised, Status, Words } from "./said/Words.ts"

/** A finding in words. */
export const of = (finding: Finding.Any, words: Words = English.words): Said.Said => {
  if (!Finding.isKnown(finding)) return { next: [], what: `${finding.code} ${Canonical.encode(finding.args)}` }
  const say = words.findings[finding.code] as (
    args: typeof finding.args,
    tell: (value: Json) => string,
    words: Words
  ) => Said.Said
  return say(finding.args, (value) => tell(value, words), words)
}

/** A value in words: a finding by its words, a text as it is, and anything else as JSON. */
export const tell = (value: Json | undefined, words: Words = English.words): string => {
  if (value === undefined) return ""
  if (Finding.isFinding(value)) return of(value, words).what
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** Findings in one line, each sentence once. */
export const tellAll = (findings: ReadonlyArray<Json>, words: Words = English.words): string =>
  Said.tellAll(findings, (each) => tell(each, words))

/** A check in words: what was found, what was expected, and what would make it pass. */
export interface CheckSaid {
  readonly expected: string
  readonly found: string
  readonly next: ReadonlyArray<Next.Next>
  readonly remedy: string
}

/** A check in words; `undefined` for one that holds. */
export const check = (self: Check.Check, words: Words = English.words): CheckSaid | undefined => {
  const finding = Check.findingOf(self)
  if (finding === undefined) return undefined
  const { next, what, why = "" } = of(finding, words)
  const found = self.detail === undefined ? what : `${what} (${self.detail})`
  return { expected: why, found, next, remedy: remedyOf(next, words) }
}

/** The sentence for people: the first check that does not hold. */
export const reason = (checks: ReadonlyArray<Check.Check>, words: Words = English.words): string => {
  const [failed] = Check.failing(checks)
  const said = failed && check(failed, words)
  if (failed === undefined || said === undefined) return words.checks.pass
  return words.checks.fails({ ...said, id: failed.id, step: failed.step })
}

/** Explains the first failing check of those that a body keeps; `undefined` if none of them fails. */
export const kept = (checks: Json | undefined, words: Words = English.words): string | undefined => {
  const found = Check.failing(Array.isArray(checks) ? (checks as ReadonlyArray<Check.Check>) : [])
  return found.length === 0 ? undefined : reason(found, words)
}

/** Why a person is asked, with what a review says of itself. */
const asked = (
  why: Json | undefined,
  about: { readonly needs?: ReadonlyArray<string>; readonly triggers?: ReadonlyArray<string> } = {},
  words: Words = English.words
): string => {
  const { needs = [], triggers = [] } = about
  const who = needs.length === 0 ? [] : [words.checks.decides(needs)]
  const said = tell(why, words)
  return [...(said === "" ? [] : [said]), ...(triggers.length === 0 ? [] : [triggers.join(", ")]), ...who].join(": ")
}

/** Why an outcome is no success, in words; nothing for one that is. */
export const why = (outcome: Outcome, words: Words = English.words): string => {
  switch (outcome._tag) {
    case "Done":
      return ""
    case "Refused":
      return reason(outcome.checks, words)
    case "Held":
      return of(outcome.why, words).what
    case "Parked":
      return asked(outcome.why, outcome, words)
    case "Failed":
      return tell(outcome.error, words)
  }
}

/** Lists the steps that may be taken after an outcome that is refused, held or waits. */
export const next = (outcome: Held | Parked | Refused, words: Words = English.words): ReadonlyArray<Next.Next> =>
  outcome._tag === "Refused"
    ? Check.failing(outcome.checks).flatMap((each) => stepsOf(each, words))
    : of(outcome.why, words).next

/** Steps after a check that failed. A condition of an undoing is about the action that the check names. */
const stepsOf = (failed: Check.Check, words: Words): ReadonlyArray<Next.Next> => {
  const steps = check(failed, words)?.next ?? []
  return failed.why?.code === "undo.unsettled" ? steps.map((each) => Next.about(each, { action: failed.id })) : steps
}

/** Writes a step in words, for readers that have no commands. */
export const step = (self: Next.Next, words: Words = English.words): string => {
  const say = words.steps[self.verb] as (step: Next.Next) => string
  const verb = say(self)
  const said = self.words === undefined ? verb : verb === "" ? self.words : `${verb}: ${self.words}`
  return words.choices.steps([said, ...(self.or ?? []).map((each) => step(each, words))])
}

/** Writes steps one after the other, in words. */
export const remedyOf = (steps: ReadonlyArray<Next.Next>, words: Words = English.words): string =>
  steps.map((each) => step(each, words)).join("; ")

/** A fact that a discrepancy rests on, in words. A name of the contract stays as it is. */
export const fact = (name: string, words: Words = English.words): string => Meanings.fact(name, words)

/** The reason for which a checkpoint may not be restored. */
export const obstacle = (code: RollbackAdmission.InadmissibleReason["code"], words: Words = English.words): string =>
  words.rollbacks.blocks[code]

/** The way that is left if no checkpoint may be restored. */
export const fallback = (way: RollbackAdmission.Blocked["fallback"], words: Words = English.words): string =>
  words.rollbacks.fallbacks[way]

/** The standing of an undo, by its latest drill. */
export const undoProof = (standing: keyof Words["rollbacks"]["proofs"], words: Words = English.words): string =>
  words.rollbacks.proofs[standing]

/** The time until which an effect can be undone. */
export const undoUntil = (window: Parameters<Words["rollbacks"]["until"]>[0], words: Words = English.words): string =>
  words.rollbacks.until(window)

/** The meaning of a class of discrepancy; `undefined` for a name that is none. */
export const discrepancy = (name: string, words: Words = English.words): string | undefined =>
  Meanings.discrepancy(name, words)

/** The meaning of an action of recovery; `undefined` for a name that is none. */
export const recovery = (name: string, words: Words = English.words): string | undefined =>
  Meanings.recovery(name, words)

/** The reason for a row of our recovery table; `undefined` for a row of another table. */
export const because = (decided: Canonical.JsonObject, words: Words = English.words): string | undefined =>
  Meanings.reason({ action: decided["decision"], row: decided["row"], section: decided["section"] }, words)

/** The statements about a status, for a planner and for a user (L8). */
export const status = (at: ReconciliationStatus, words: Words = English.words): Status => words.statuses[at]

/** The reason for which a fork does not get the share of a budget that it asks for. */
export const sliceRefused = (problem: BudgetSlice.SliceFault, words: Words = English.words): string =>
  byCode(words.slices, problem)

/** The reason for which a rule is no policy of a fork. */
export const policyRefused = (problem: ForkPolicy.PolicyFault, words: Words = English.words): string =>
  byCode(words.policies, problem)

/** The declaration that prevents a held action of a tool after a crash. */
export const advice = (self: ResumePlan.Advice, words: Words = English.words): string =>
  byCode(words.audits.advice, self)

/** The way in which a tool's effects are proven. */
export const proof = (
  { acceptedBy = "", proof }: { readonly acceptedBy?: string | undefined; readonly proof: VerificationDepth.Proof },
  words: Words = English.words
): string => words.audits.proofs[proof](acceptedBy)

/** The declarations that make a task cheaper to revise: an exact undo, and a compensation if there is none. */
export const raises = (
  { lacksCompensation, ...raised }: Raised & { readonly lacksCompensation: boolean },
  words: Words = English.words
): ReadonlyArray<string> => [words.audits.inverse(raised), ...(lacksCompensation ? [words.audits.compensation] : [])]

/** The remark about a tool whose calls are not all undone in the same way. */
export const narrows = (words: Words = English.words): string => words.audits.narrows

/** A difference between a record and the one that was read before. */
export const difference = (self: Presence.RecordDifference, words: Words = English.words): string =>
  byCode(words.differences, self)

/** The reason for which an intent may not be imported into a run, and the remedy. */
export const importRefused = (self: CherryPick.RefusalReason, words: Words = English.words): ImportRefused =>
  byCode(words.traces.imports, self)

/** A fault that the verification of a run finds. */
export const verificationFault = (self: VerificationFault, words: Words = English.words): string =>
  byCode(words.proofs.verification, self)

/** A fault of a snapshot, beside a sound trace. */
export const snapshotFault = (self: SnapshotFault, words: Words = English.words): string =>
  byCode(words.proofs.snapshots, self)

/** A remark on decisions that were made again. */
export const redecision = (self: RedecisionRemark, words: Words = English.words): string =>
  byCode(words.proofs.redecisions, self)

/** The course of a predicate along a run. */
export const predicateCourse = (self: PredicateCourse, words: Words = English.words): string =>
  byCode(words.histories.predicates, self)

/** The reason for which a witness does not cosign. */
export const witnessFault = (self: WitnessFault, words: Words = English.words): string =>
  byCode(words.proofs.witnesses, self)

/** A decision in short form, as a trial compares it. */
export const decision = (self: ShortDecision, words: Words = English.words): string =>
  byCode(words.releases.decisions, self)

/** The evidence that a release gate examined. */
export const examination = (self: Examination, words: Words = English.words): string =>
  byCode(words.releases.examinations, self)

/** A finding of a release gate. */
export const objection = (self: Objection, words: Words = English.words): string =>
  byCode(words.releases.objections, self)

/** The counts that a measure divides. */
export const measure = (name: ActionMetrics.Metric, words: Words = English.words): Measure => words.measures[name]

/** A requirement of a stage that is not met, and the remedy. */
export const missing = (self: EnforcementStage.Missing, words: Words = English.words): MissingSaid =>
  byCode(words.missing, self)

/** The situation of an open action, as a phrase that completes a sentence beginning with the name of the action. */
export const stands = (self: Stand, words: Words = English.words): string => byCode(words.openActions.stands, self)

/** The effects of a step in one line. An embedder's type is named by its own name. */
export const effect = (effects: ReadonlyArray<Step.StepEffect>, words: Words = English.words): string =>
  effects
    .map((each) =>
      each.code === "type" && Ontology.isType(each.type)
        ? words.traces.types[each.type]
        : byCode(words.traces.effects, each)
    )
    .join("; ")

/** A remark on a step, as it stands in the line of the step. */
export const stepRemark = (self: StepRemark, words: Words = English.words): string => byCode(words.traces.remarks, self)

/** A question about a trace. */
export const question = (self: OnsetQuestion.OnsetQuestion, words: Words = English.words): string => {
  const say = words.traces.questions[self._tag] as (question: OnsetQuestion.OnsetQuestion) => string
  return say(self)
}

/** The name and the meaning of a diagnosis. */
export const diagnosis = (self: Remediation.OnsetDiagnosis, words: Words = English.words): DiagnosisWords =>
  words.traces.diagnoses[self]

/** The demand of a built-in predicate on a run. */
export const builtIn = (id: BuiltIn.Id, words: Words = English.words): string => words.traces.builtIns[id]

/** Answers the words for a fact by its code. */
const byCode = <Fact extends { readonly code: string }, Answer>(table: ByCode<Fact, Answer>, fact: Fact): Answer =>
  table[fact.code as Fact["code"]](fact)
