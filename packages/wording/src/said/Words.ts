/**
 * The lexicon: a sentence or a function that makes one for every code and fact that reaches a reader.
 *
 * Another language, or another house style, is another value of {@link Words}. A code without words does not compile.
 * Every function of `Wording` takes a lexicon as its last argument; the default is English.
 *
 * @source docs/decisions/0027
 */
import type * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import type * as BudgetSlice from "@backstitch/kernel/BudgetSlice"
import type * as EnforcementStage from "@backstitch/kernel/EnforcementStage"
import type * as Finding from "@backstitch/kernel/Finding"
import type * as ForkPolicy from "@backstitch/kernel/ForkPolicy"
import type * as Presence from "@backstitch/kernel/Presence"
import type * as ResumePlan from "@backstitch/kernel/ResumePlan"
import type * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import type * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import type { ReconciliationStatus } from "@backstitch/reconciliation/ReconciliationStatus"
import type { RecoveryAction } from "@backstitch/reconciliation/RecoveryAction"
import type * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import type * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import type { ByCode } from "./byCode.ts"
import type { HistoryWords } from "./HistoryWords.ts"
import type { Next } from "./Next.ts"
import type { ProofWords } from "./ProofWords.ts"
import type { ReleaseWords } from "./ReleaseWords.ts"
import type { RevisionWords } from "./RevisionWords.ts"
import type {
  ApprovalWords,
  DeliveryWords,
  ExplanationWords,
  OpenActionWords,
  ReceiptWords,
  ReportWords
} from "./RunWords.ts"
import type { Said, Tell } from "./Said.ts"
import type { StoreWords } from "./StoreWords.ts"
import type { TopologyWords } from "./TopologyWords.ts"
import type { TraceWords } from "./TraceWords.ts"

/** The words of findings: the codes with arguments that a trace keeps. */
export type Findings = {
  readonly [C in Finding.Code]: (args: Finding.Args<C>, tell: Tell, words: Words) => Said
}

/** The statements about a status: the one for the planner's context, and the one that a user may be told (L8). */
export interface Status {
  readonly planner: string
  readonly user: string
}

/** A lexicon: one group for each kind of sentence. */
export interface Words {
  readonly findings: Findings
  /** The meaning of each class of discrepancy. */
  readonly discrepancies: { readonly [C in Discrepancy.Class]: string }
  /** The facts that a discrepancy rests on. */
  readonly facts: { readonly [F in Discrepancy.Fact]: string }
  /** The meaning of each action of recovery. */
  readonly recoveries: { readonly [A in RecoveryAction]: string }
  /** The reason for a row of the recovery table. */
  readonly reasons: { readonly [R in RecoveryTable.RowReason]: string }
  readonly statuses: { readonly [S in ReconciliationStatus]: Status }
  /** The steps that somebody may take next, by verb; nothing for a verb whose own words say it. */
  readonly steps: { readonly [V in Next["verb"]]: (step: Next & { readonly verb: V }) => string }
  readonly checks: Checks
  readonly choices: Choices
  readonly slices: Slices
  readonly policies: Policies
  readonly resumption: Resumption
  readonly audits: Audits
  /** The differences between a record and the one that was read before. */
  readonly differences: ByCode<Presence.RecordDifference>
  /** The counts that a measure divides. */
  readonly measures: { readonly [M in ActionMetrics.Metric]: Measure }
  /** The benefit of each stage of enforcement. */
  readonly stages: { readonly [S in EnforcementStage.Stage["name"]]: string }
  /** The requirements of a stage that are not met, and the remedy of each. */
  readonly missing: ByCode<EnforcementStage.Missing, MissingSaid>
  readonly approvals: ApprovalWords
  readonly deliveries: DeliveryWords
  readonly explanations: ExplanationWords
  readonly histories: HistoryWords
  readonly openActions: OpenActionWords
  readonly proofs: ProofWords
  readonly plans: RevisionWords
  readonly receipts: ReceiptWords
  readonly releases: ReleaseWords
  readonly reports: ReportWords
  readonly rollbacks: Rollbacks
  readonly stores: StoreWords
  readonly topologies: TopologyWords
  readonly traces: TraceWords
}

/** The reasons for which a fork does not get the share of a budget that it asks for. */
export type Slices = ByCode<BudgetSlice.SliceFault>

/** The reasons for which a rule is no policy of a fork. */
export type Policies = ByCode<ForkPolicy.PolicyFault>

/** The sentences about the way in which a run continues after a crash. */
export interface Resumption {
  readonly settled: (tick: number) => string
  /** The reasons for the ways in which actions continue. */
  readonly reasons: { readonly [R in ResumePlan.ResumeReason]: string }
}

/** The sentences of an audit of a pack. */
export interface Audits {
  /** The declaration that prevents held actions after a crash. */
  readonly advice: ByCode<ResumePlan.Advice>
  /** The declaration that raises the reversibility ratio of a task. */
  readonly inverse: (raised: Raised) => string
  /** The declaration that lets an effect be taken back at a price, and leaves the ratio as it is. */
  readonly compensation: string
  /** The remark about a tool of which one call may be undone otherwise than another. */
  readonly narrows: string
  /** The proof of a tool's effects. The argument is the person who accepts the tool's own answer. */
  readonly proofs: { readonly [P in VerificationDepth.Proof]: (acceptedBy: string) => string }
}

/** The reversibility ratio as it is, and as it would be if one tool had an exact inverse. */
export interface Raised {
  readonly tool: string
  readonly from: string
  readonly to: string
}

/** The two counts of a measure. */
export interface Measure {
  readonly numerator: string
  readonly denominator: string
}

/** A requirement of a stage that is not met: its place, and the remedy. */
export interface MissingSaid {
  readonly what: string
  readonly where: string
  readonly remedy: string
}

/** The sentences about a rollback of a failed subtask. */
export interface Rollbacks {
  /** The reasons for which a checkpoint may not be restored. */
  readonly blocks: { readonly [C in RollbackAdmission.InadmissibleReason["code"]]: string }
  /** The ways that are left if no checkpoint may be restored. */
  readonly fallbacks: { readonly [F in RollbackAdmission.Blocked["fallback"]]: string }
  /** The standing of an undo, by its latest drill. */
  readonly proofs: { readonly [P in "changed" | "failed" | "never" | "proven" | "stale"]: string }
  /** The time until which an effect can be undone, in ISO form, with the milliseconds left; 0 once it is over. */
  readonly until: (window: { readonly endsAt: string; readonly leftMillis: number }) => string
}

/** The sentences about checks as a whole. */
export interface Checks {
  readonly pass: string
  /** The first check that fails; `expected` is empty where a finding says nothing of it. */
  readonly fails: (check: {
    readonly step: string
    readonly id: string
    readonly expected: string
    readonly found: string
  }) => string
  /** The roles of which one decides. */
  readonly decides: (roles: ReadonlyArray<string>) => string
}

/** The enumerations of which one is meant. */
export interface Choices {
  readonly names: (names: ReadonlyArray<string>) => string
  readonly steps: (steps: ReadonlyArray<string>) => string
}
