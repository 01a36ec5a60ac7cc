/** The words of proofs: what a verification finds, why a witness does not cosign, and why a name stays held. */
import type * as Claims from "@backstitch/trace/Claims"
import type { ByCode } from "./byCode.ts"

/** A fault of a run: its first tick that cannot be trusted has the tick that a verdict names. */
export type VerificationFault =
  | { readonly code: "head_unreadable"; readonly store: string }
  | { readonly code: "tick_unreadable"; readonly store: string; readonly tick: number }
  | { readonly code: "state_differs"; readonly committed: string; readonly folded: string; readonly tick: number }
  | { readonly code: "head_unknown"; readonly link: string }
  | { readonly code: "run_gone"; readonly tick: number }
  | {
      readonly code: "anchor_differs"
      /** Ticks up to this one are as they were anchored. */
      readonly anchored: number
      readonly link: string
      /** The link that the store has there; absent if the run ends before. */
      readonly stored?: string
      readonly tick: number
    }
  /** The fault is an error, and the message is its own. */
  | {
      readonly code: "chain_broken" | "data_broken" | "payload_unfit" | "source_missing"
      readonly message: string
    }

/** A fault of a snapshot, beside a sound trace. */
export type SnapshotFault =
  | { readonly code: "snapshot_differs"; readonly tick: number }
  | { readonly code: "snapshot_broken"; readonly message: string; readonly tick: number }

/** The reason for which a witness gives no cosignature. */
export type WitnessFault =
  | { readonly code: "unreachable"; readonly cause: string }
  | { readonly code: "refused"; readonly status: number }
  | { readonly code: "ahead"; readonly cosigned: number; readonly entries: number }
  | { readonly code: "unreadable"; readonly message: string }
  | { readonly code: "unsigned" }

/** The holder of a name: a run and the tick at which it took the name. */
export interface Holder {
  readonly run: string
  readonly tick: number
}

/** A remark on decisions that were made again. */
export type RedecisionRemark =
  | { readonly code: "undecided" }
  | { readonly code: "older"; readonly change: string; readonly rules: number }
  | { readonly code: "other_secret"; readonly place: string; readonly run: string }
  /** None of so many keys derives from the secret; `tick` is that of the first. */
  | {
      readonly code: "keys_underived"
      readonly keys: number
      readonly place: string
      readonly run: string
      readonly tick: number
    }

/** The sentences about proofs. */
export interface ProofWords {
  /** A field that a state does not have, beside the fields that it has. */
  readonly fieldMissing: (missing: { readonly field: string; readonly names: ReadonlyArray<string> }) => string
  /** The reason for which a name is never released. Names of targets are released. */
  readonly heldForGood: { readonly [N in Exclude<Claims.Namespace, "target">]: (holder: Holder) => string }
  /** The holder of a name, and the word for none. */
  readonly holder: (holder: Holder & { readonly owner: string }) => string
  readonly nobody: string
  readonly redecisions: ByCode<RedecisionRemark>
  readonly snapshots: ByCode<SnapshotFault>
  readonly verification: ByCode<VerificationFault>
  readonly witnesses: ByCode<WitnessFault>
}
