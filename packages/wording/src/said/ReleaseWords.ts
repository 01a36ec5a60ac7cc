/** The words of a release: decisions under two contracts, what a gate examined, and what it found. */
import type * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import type { Json } from "@backstitch/trace/Canonical"
import type { ByCode } from "./byCode.ts"

/** A decision of the kernel in short form: what it permits or settles, how it recovers, and whom it asks. */
export type ShortDecision =
  | {
      readonly code:
        | "adopted"
        | "allowed"
        | "asks_record"
        | "awaits_run"
        | "commits"
        | "completes"
        | "extended"
        | "failed"
        | "learns_of_run"
        | "looks_at_trace"
        | "reads_back"
        | "reads_inside"
        | "rolls_back"
        | "undoes"
        | "waits"
    }
  /** The roles of which one approves, if they are known and matter. */
  | { readonly code: "approval"; readonly needs?: ReadonlyArray<string> }
  | { readonly code: "done"; readonly basis: string }
  | { readonly code: "held"; readonly discrepancy?: string; readonly recovery?: string }
  | { readonly code: "not_extended"; readonly message: string }
  /** The checks that refused; none if the kernel refused without one. */
  | { readonly code: "refused"; readonly checks: ReadonlyArray<string> }
  | { readonly code: "violated"; readonly predicate: string; readonly since?: number }

/** The rules that a recovery table may not break. */
export type SafetyRule =
  | "asks_without_key"
  | "completes_before_pivot"
  | "counts_unproven_success"
  | "goes_on_at_risk"
  | "leaves_duplicate"
  | "reads_forever"
  | "repeats_blindly"
  | "repeats_unproven"
  | "reverses_unsafely"
  | "rolls_back_closed"
  | "sends_unknown"
  | "takes_as_never_sent"
  | "tells_nobody"

/** The evidence that a gate needs. */
export type Need = "canary" | "history" | "nothing" | "runtime"

/** A finding of a gate against a candidate. */
export type Objection =
  | { readonly code: "nothing_examined"; readonly gate: string; readonly needs: Need }
  | { readonly code: "not_run" }
  | { readonly code: "run_twice" }
  | { readonly code: "outcome_changed"; readonly action: string; readonly is: Json; readonly was: Json }
  | {
      readonly code: "verification_changed"
      readonly actions: number
      readonly added: ReadonlyArray<string>
      readonly removed: ReadonlyArray<string>
      readonly tool: string
    }
  | { readonly code: "canary_alone" }
  | { readonly code: "canary_pack"; readonly run: string }
  | { readonly code: "canary_small"; readonly least: number; readonly seen: number }
  | { readonly code: "measure_rose"; readonly is: number; readonly measure: string; readonly was: number }
  | { readonly code: "fault_untried"; readonly fault: string }
  | { readonly code: "fault_mistaken"; readonly fault: string; readonly found: string; readonly of?: string }
  | { readonly code: "fails_alone"; readonly of: string; readonly outcome: string }
  | { readonly code: "effects_repeated"; readonly effects: number; readonly fault: string; readonly of: string }
  | { readonly code: "tool_untried"; readonly tool: string }
  | { readonly code: "path_undrilled"; readonly path: string }
  | { readonly code: "path_ended"; readonly ended: string; readonly path: string }
  | { readonly code: "reversal_missing"; readonly fault: string; readonly tool: string }
  | { readonly code: "reversal_undrilled"; readonly tool: string }
  | { readonly code: "undo_dropped"; readonly by: string; readonly tool: string }
  | { readonly code: "undo_undecidable"; readonly by: string; readonly tool: string }
  | { readonly code: "field_gone"; readonly at: string }
  | { readonly code: "field_required"; readonly at: string }
  | { readonly code: "values_lost"; readonly at: string; readonly values: ReadonlyArray<string> }
  | { readonly code: "entry_refused"; readonly action: string; readonly message: string; readonly run: string }
  | { readonly code: "drill_reported"; readonly fault: string; readonly tool: string }
  | { readonly code: "success_early"; readonly state: string; readonly trust: number; readonly undo: string }
  | { readonly code: "success_escaped"; readonly action: string; readonly tick: number }
  | { readonly code: "keys_repeated"; readonly keys: number; readonly tool: string }
  | {
      readonly code: "row_unsafe"
      readonly action: string
      readonly row: number
      readonly rule: SafetyRule
      readonly section: keyof RecoveryRow.RecoverySections
      readonly sideEffect: string
    }

/** The evidence that a gate examined. */
export type Examination =
  | {
      readonly code: "trace_replay"
      readonly evidence: number
      readonly proposals: number
      readonly runs: number
    }
  | { readonly code: "predicate_diff"; readonly packs: number; readonly tools: number }
  | { readonly code: "canary"; readonly actions: number; readonly others: number; readonly runs: number }
  | { readonly code: "no_canary" }
  | {
      readonly code: "failure_injection"
      readonly faults: number
      readonly tools: ReadonlyArray<string>
      readonly unrecorded: ReadonlyArray<string>
    }
  | { readonly code: "recovery_drill"; readonly paths: ReadonlyArray<string> }
  | { readonly code: "ledger_schema"; readonly entries: number }
  | { readonly code: "false_success"; readonly drills: number; readonly runs: number }
  | { readonly code: "unknown_state"; readonly drills: number }

/** The sentences about a release. */
export interface ReleaseWords {
  readonly decisions: ByCode<ShortDecision>
  readonly examinations: ByCode<Examination>
  readonly objections: ByCode<Objection>
}
