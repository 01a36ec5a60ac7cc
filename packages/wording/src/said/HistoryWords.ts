/** The words of version control: forks, imports, rebases and seeds, as a person is told of them. */
import type * as Rebase from "@backstitch/version-control/Rebase"
import type { ByCode } from "./byCode.ts"

/** The place of an act in another run. */
export interface ActPlace {
  readonly run: string
  readonly tick: number
}

/** The result for an intent of a rebase. */
export type RebaseStatus = "replayed" | "adopted" | "recorded" | "skipped" | "conflict" | "pending" | "fits"

/** An act that the state of a fork still believes, and that its parent has undone since. */
export interface Behind {
  readonly act: string
  readonly isGone: boolean
  /** The fork's place in its parent. */
  readonly at: ActPlace
  /** The tick of the undoing. */
  readonly undoneAt: number | undefined
  /** The last tick before the act; 0 if there is none. */
  readonly before: number
}

/** The course of a predicate along a run, with its declaration in the pack in force and the tick of its onset. */
export type PredicateCourse =
  | { readonly code: "never" | "kept" }
  | { readonly code: "recovered"; readonly declared: "monotone" | "lift" | null; readonly onset: number }

/** The sentences about histories. */
export interface HistoryWords {
  /** A message of an act that was undone behind a fork, and the word for its effect. */
  readonly behind: (behind: Behind) => string
  readonly undone: (isGone: boolean) => string
  /** The remark that a rehearsal left everything as it was. */
  readonly rehearsed: string
  /** The remark that a target was left as it was. */
  readonly untouched: string
  /** The context of an intent that is imported: its hash, shortened, and whether it covers the fields of the pack. */
  readonly context: (context: {
    readonly bound: boolean
    readonly covered: boolean
    readonly hash: string | undefined
  }) => string
  /** The demands of a pack on a field of the context. */
  readonly fields: { readonly [Demand in "advisory" | "match" | "present"]: string }
  readonly imported: {
    /** An intent that is held or has failed after its import, or was not committed. */
    readonly held: (held: { readonly tick: number | undefined; readonly why: string }) => string
    readonly failed: (failed: { readonly tick: number | undefined; readonly why: string }) => string
    /** An act that the target has already. */
    readonly known: (known: ActPlace & { readonly action: string | undefined }) => string
    /** An act of another run that was taken over. */
    readonly adopted: (adopted: { readonly action: string | undefined; readonly run: string }) => string
    readonly again: string
    readonly otherwise: string
  }
  readonly predicates: ByCode<PredicateCourse>
  readonly rebase: {
    readonly abandoned: (run: string) => string
    readonly current: (run: string, onto: ActPlace) => string
    readonly joined: (onto: ActPlace) => string
    readonly left: { readonly [Why in Rebase.Left["why"]]: string }
    readonly otherAnswer: string
    readonly statuses: { readonly [Status in RebaseStatus]: string }
  }
  readonly seed: {
    readonly begun: string
    readonly judged: string
    readonly known: (place: ActPlace) => string
    readonly unsettled: (action: string, field: string) => string
  }
}
