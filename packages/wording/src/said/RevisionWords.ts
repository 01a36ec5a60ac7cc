/** The words of a plan: why an act conflicts with a revised goal, and why one stays that the plan gives up. */
import type * as RunAbsorption from "@backstitch/kernel/RunAbsorption"

/** The sentences about the acts of a plan, each without the name of the act. */
export interface RevisionWords {
  /** An act that no longer fits, or about which no contract decides and nobody has answered. */
  readonly conflicts: { readonly [Why in "unanswered" | "unfit"]: string }
  /** An act of a finished run that the run follows. */
  readonly elsewhere: string
  /** An act that the plan gives up, with the reason for which it stays. */
  readonly lost: { readonly [Why in RunAbsorption.Binding | "irreversible"]: string }
  /** An act that the continuation does not build on. */
  readonly discarded: string
  /** An act that no longer fits, and that the plan leaves. */
  readonly stale: string
}
