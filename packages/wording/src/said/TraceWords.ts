/** The words of a trace: the types of its transitions, the effect of a step, and questions about both. */
import type * as Ontology from "@backstitch/trace/Ontology"
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
  /** The meaning of each type of transition. */
  readonly types: { readonly [T in Ontology.Type]: string }
}
