/** The words of a trace: the types of its transitions, the line and the effect of a step, and questions about them. */
import type * as Ontology from "@backstitch/trace/Ontology"
import type { Outcome } from "@backstitch/trace/Transition"
import type * as BuiltIn from "@backstitch/version-control/BuiltIn"
import type * as CherryPick from "@backstitch/version-control/CherryPick"
import type * as OnsetQuestion from "@backstitch/version-control/OnsetQuestion"
import type * as Remediation from "@backstitch/version-control/Remediation"
import type * as Step from "@backstitch/version-control/Step"
import type { ByCode } from "./byCode.ts"

/** A diagnosis: its name, and what it says of the agent and its rules. */
export interface DiagnosisWords {
  readonly name: string
  readonly says: string
}

/** The reason for which an intent may not be imported, and what somebody can do about it. */
export interface ImportRefused {
  readonly text: string
  readonly remedy: string
}

/**
 * A remark on a step: how its action is settled, which recovery was chosen, what an undoing found before it, what it
 * left, or a predicate that holds. A `record` is the read value on one line, and a `because` is a finding in words.
 */
export type StepRemark =
  | { readonly code: "settled"; readonly status: Outcome["status"]; readonly basis: NonNullable<Outcome["basis"]> }
  | { readonly code: "violated"; readonly predicate: string; readonly since?: number | undefined }
  | {
      readonly code: "recovered"
      readonly decision?: string | undefined
      readonly discrepancy?: string | undefined
      /** The act that is to be undone is asked about first. */
      readonly isLater: boolean
    }
  | { readonly code: "recovery_altered" }
  | { readonly code: "recovery_stopped"; readonly because: string }
  | { readonly code: "undo_absent" | "undo_pending" }
  | { readonly code: "undo_attested"; readonly record?: string | undefined }
  | { readonly code: "undo_altered"; readonly difference?: string | undefined; readonly record?: string | undefined }
  | { readonly code: "undo_due"; readonly record: string }
  | { readonly code: "undo_unknown"; readonly because?: string | undefined }
  | {
      readonly code: "restored"
      /** The checkpoint to which an instance went back, and the policy by which it did. */
      readonly checkpoint?: {
        readonly instance: string
        readonly kind: string
        readonly policy?: string | undefined
        readonly tick: number
      }
      readonly absent: ReadonlyArray<string>
      readonly attested: ReadonlyArray<string>
      readonly residue: ReadonlyArray<string>
      readonly undone: ReadonlyArray<string>
      readonly because: string
    }

/** The sentences about a trace. */
export interface TraceWords {
  /** The demand of each built-in predicate on a run. */
  readonly builtIns: { readonly [I in BuiltIn.Id]: string }
  readonly diagnoses: { readonly [D in Remediation.OnsetDiagnosis]: DiagnosisWords }
  readonly effects: ByCode<Step.StepEffect>
  readonly imports: ByCode<CherryPick.RefusalReason, ImportRefused>
  readonly questions: {
    readonly [T in OnsetQuestion.OnsetQuestion["_tag"]]: (
      question: Extract<OnsetQuestion.OnsetQuestion, { readonly _tag: T }>
    ) => string
  }
  readonly remarks: ByCode<StepRemark>
  /** The meaning of each type of transition. */
  readonly types: { readonly [T in Ontology.Type]: string }
}
