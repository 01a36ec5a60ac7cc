/** The commands of the kernel. */
import type { Amounts } from "@backstitch/contracts/Amount"
import type * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { Standings } from "@backstitch/reconciliation/MessageReport"
import type * as WorkingPatch from "@backstitch/reducer/WorkingPatch"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import type { Transition } from "@backstitch/trace/Transition"
import type * as CherryPick from "@backstitch/version-control/CherryPick"
import type { ForkBeginning } from "@backstitch/version-control/Fork"
import type * as Rebase from "@backstitch/version-control/Rebase"
import type { ActsBefore } from "../identity/KeylessAct.ts"
import type { Names } from "../identity/requestedNames.ts"
import type * as Payload from "../payload/Payload.ts"
import type { Enforcement } from "../state/Enforcement.ts"
import type * as Goal from "../state/Goal.ts"
import type { Adopted, CommandFacts, RefusedName } from "./CommandFacts.ts"
import type { Concluded, Delivery, Evidence, LateEvidence, Looked, SourceEvidence } from "./Evidence.ts"
import type { Proposal } from "./Proposal.ts"

/**
 * A command.
 *
 * - `Start` begins a run and pins all that its trace depends on.
 * - `Migrate` continues a run under the rules of this kernel.
 * - `Propose` asks for an intent to be carried out or recorded.
 * - `Resolve` brings a person's decision about a held action.
 * - `Import` asks for an intent of another run to be carried out here.
 * - `Answered` brings the answer of a call or of a question about a key.
 * - `ReadInside` brings the record inside an open local transaction.
 * - `ReadBack` brings the record of the system of record; if there was a local transaction, the record after its end.
 * - `ReadBefore` brings that record before anything is sent.
 * - `Deliver` brings a provider's delivery.
 * - `Recover` continues an action that a crash or a wait left open.
 * - `Undo` asks for actions to be undone.
 * - `Compensate` continues the open undo plan, and brings the record of the action to be undone next.
 * - `Complete` continues a subtask that is incomplete behind its pivot.
 * - `ClaimRefused` says that a name which a decision asked for is held elsewhere.
 * - `LateEvidence` brings an answer about an action that was settled before.
 * - `Slice` gives a fork its share of the budgets.
 * - `Fork` begins a run that shares the history of another run, in the state of that run's head.
 * - `Absorb` carries out the absorption of the pending revisions of the goal, as planned at the head `at`.
 * - `Annotate` records an analysis or an anomaly of the runtime's own.
 */
export type Command = BareCommand & CommandFacts

/** A command without the facts that it brings along. */
export type BareCommand =
  | {
      readonly _tag: "Start"
      readonly goal: string
      readonly text: string
      readonly clauses: JsonObject
      readonly pack: Digest | undefined
      readonly initial: Digest
      readonly fold: string
      /** Versions of embedders' vocabularies by namespace. */
      readonly namespaces?: { readonly [namespace: string]: number } | undefined
      /** Version of the ontology that the run needs; the first version if absent. */
      readonly ontology?: number | undefined
      /** The engine that expressions are compiled for. Default: the newest. */
      readonly engine?: string | undefined
      /** Version of the rules by which the kernel decides. Default: the first. */
      readonly rules?: number | undefined
      readonly source?: string | undefined
      /**
       * The stages of enforcement that the run uses, if not everything is enforced, and the impure functions of its
       * pack.
       */
      readonly enforcement?: Enforcement | undefined
      readonly impure?: Payload.Of<"run.started">["impure"] | undefined
      /** The runs from which the fields were taken that the run begins with. */
      readonly seeds?: Payload.Of<"run.started">["seeds"] | undefined
      /**
       * The finished runs that the run follows because their goal was revised, the last one first, each with the tick
       * of its head by then. Such a beginning becomes durable with the revision, in one commit.
       */
      readonly follows?: ReadonlyArray<Goal.FollowedRun> | undefined
    }
  | { readonly _tag: "Migrate"; readonly rules: number }
  | {
      readonly _tag: "Propose"
      readonly proposal: Proposal
      readonly context?: Digest | undefined
      /** The first generation of a key to try. Lower generations have failed for good in other runs. */
      readonly generation?: number | undefined
      /** The acts that made the same request before, for an act without a key. */
      readonly met?: ActsBefore | undefined
      /** The request that was carried out under the name of the proposal. */
      readonly before?: Transition | undefined
      /** `true` if the trace has the action that the proposal cites, or the values that it erases. */
      readonly cited?: boolean | undefined
      /** The action of another run that did the act, under the same key. */
      readonly adopted?: Adopted | undefined
      /** The standings of the actions that a message reports. */
      readonly standings?: Standings | undefined
      /** The tools that have done their work, for a completion that has to wait for some. */
      readonly toolsDone?: ReadonlyArray<string> | undefined
    }
  | { readonly _tag: "Resolve"; readonly proposal: Proposal }
  | {
      readonly _tag: "Import"
      readonly proposal: Proposal
      /** The origin of the intent and what was compared: the `data` of `run.cherrypick`. */
      readonly origin: CherryPick.CherryPickOrigin
      readonly context?: Digest | undefined
      readonly generation?: number | undefined
      readonly adopted?: Adopted | undefined
      readonly met?: ActsBefore | undefined
      readonly recorded?: Rebase.RecordedOutcome | undefined
      /**
       * Commits nothing if this history has the act already. A rebase records it nevertheless, to know how far it has
       * come.
       */
      readonly silent?: boolean | undefined
    }
  | {
      readonly _tag: "Answered"
      readonly action: string
      readonly via: "call" | "status"
      readonly evidence: Evidence
      /**
       * Epoch milliseconds at which the request or question was sent: the answer describes that moment. Default: now.
       */
      readonly askedAt?: number | undefined
      readonly latencyMillis?: number | undefined
    }
  | {
      readonly _tag: "ReadBack"
      readonly action: string
      readonly evidence: Evidence
      /** The evidence of the further sources of the contract. */
      readonly others?: ReadonlyArray<SourceEvidence> | undefined
      /** The end of the local transaction as its store reported it, if a report arrived. */
      readonly concluded?: Concluded | undefined
      /** The further source that answered, where a read falls back to one. */
      readonly source?: string | undefined
      /** Epoch milliseconds at which the record was asked for. After a settlement, the answer describes that moment. */
      readonly askedAt?: number | undefined
    }
  | { readonly _tag: "ReadInside"; readonly action: string; readonly evidence: Evidence }
  | { readonly _tag: "ReadBefore"; readonly action: string; readonly evidence: Evidence }
  | {
      readonly _tag: "Undo"
      readonly wanted: UndoPlan.UndoRequest
      /** The checkpoint to which the undoing takes a subtask back. */
      readonly rollback?: Rollback | undefined
    }
  | {
      readonly _tag: "Absorb"
      readonly at: number
      readonly says: Payload.Of<"revision.absorbed">
      /** The patch that takes `working` back over the discarded acts. */
      readonly patch: WorkingPatch.WorkingPatch
    }
  | { readonly _tag: "Compensate"; readonly original?: Looked | undefined }
  | {
      readonly _tag: "Complete"
      /** The first generation of a key to try. Lower generations have failed for good in other runs. */
      readonly generation?: number | undefined
      readonly adopted?: Adopted | undefined
      readonly met?: ActsBefore | undefined
    }
  | { readonly _tag: "Recover"; readonly action: string }
  | ({ readonly _tag: "Deliver" } & Delivery)
  | {
      readonly _tag: "ClaimRefused"
      /** The command whose decision asked for the refused name, and the names that it asked for. */
      readonly command: Command
      readonly names: Names
      readonly refusal: RefusedName
    }
  | ({ readonly _tag: "LateEvidence" } & LateEvidence)
  | {
      readonly _tag: "Slice"
      /** The name of the fork, and its share of what this run has left. */
      readonly child: string
      readonly amounts: Amounts
    }
  | {
      readonly _tag: "Fork"
      readonly begins: ForkBeginning
      /** The most that the fork may use, where that is less than its parent has left. */
      readonly amounts: Amounts
    }
  | Annotation

/**
 * A rollback of a subtask, as it was admitted at the head `at`: the checkpoint, the policy that admitted it, and the
 * patch that puts `working` back.
 */
export interface Rollback {
  readonly at: number
  readonly checkpoint: NonNullable<UndoPlan.UndoPlan["checkpoint"]>
  readonly policy?: UndoPlan.UndoPlan["policy"] | undefined
  readonly patch: WorkingPatch.WorkingPatch
}

/** Types of what was only found out about a run: analyses, anomalies, alarms of a topology (`predicate.violation`). */
export const analyses = [
  "bisect.result",
  "causal.chain",
  "diff.summary",
  "kernel.anomaly",
  "predicate.violation",
  "run.rebase"
] as const

/** Types of facts about subtasks, which follow from the transitions before them. */
export const subtaskFacts = ["checkpoint.commit", "checkpoint.entry", "checkpoint.exit", "failure.observed"] as const

/** A type of a fact about a subtask. */
export type SubtaskType = (typeof subtaskFacts)[number]

/** Types that the runtime may record. */
export const annotations = [...analyses, ...subtaskFacts] as const

/** A type that the runtime may record. */
export type AnnotationType = (typeof annotations)[number]

/** An analysis or an anomaly that the runtime records, with the action that it is about. */
export type Annotation = {
  readonly [T in AnnotationType]: {
    readonly _tag: "Annotate"
    readonly type: T
    readonly about?: string | undefined
    readonly data: Payload.Of<T>
  }
}[AnnotationType]
