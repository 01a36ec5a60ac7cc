/**
 * The words of views of a run: open actions, reports, receipts, deliveries, approvals and explanations.
 *
 * Arguments are facts and names of a trace, texts that people or providers wrote, and sentences of the same lexicon.
 */
import type * as Repeats from "@backstitch/ledger/Repeats"
import type { Outcome } from "@backstitch/trace/Transition"
import type { ByCode } from "./byCode.ts"

/** An emergency: the person who broke the glass, the reason, and the result of the review. */
export interface Emergency {
  readonly by: string
  readonly decidedBy: string | null
  readonly needs: ReadonlyArray<string>
  readonly reason: string
  readonly review: string
  readonly verdict: "approved" | "denied" | null
}

/**
 * The situation of an open action.
 *
 * **Details**
 *
 * - `requested`, `begun`, `sent`: nothing more is known about it. `accepted`, `answered`: its tool answered so.
 * - `unsettled`, `unmet`: it was read back, and met its contract or did not.
 * - `unread`: it was not sent, because the read before it failed. `given_back`: every attempt to send it was refused.
 * - `resent`: a person found that it did not happen. `withheld`, `reversal_due`: it reverses another action, and
 *   waits.
 * - `glass_broken`: it was started without its approval, and waits for a review.
 * - `values_gone`: a value that it needs was erased; `stands` is its situation otherwise.
 */
export type Stand =
  | {
      readonly code:
        | "accepted"
        | "answered"
        | "begun"
        | "given_back"
        | "requested"
        | "resent"
        | "sent"
        | "unmet"
        | "unread"
        | "unsettled"
    }
  | { readonly code: "glass_broken"; readonly why: string }
  | { readonly code: "reversal_due"; readonly undoes: string | undefined }
  | { readonly code: "values_gone"; readonly stands: string }
  | { readonly code: "withheld"; readonly again: boolean; readonly undoes: string | undefined }

/** The sentences about an open action. Each situation completes a sentence that begins with its name. */
export interface OpenActionWords {
  readonly stands: ByCode<Stand>
  readonly glass: (emergency: Emergency) => string
  /**
   * A move that a transition claims and that its action may not make; `needs` names the only author that may make it.
   */
  readonly refusedMove: (move: {
    readonly by: string
    readonly from: string
    readonly needs: string | null
    readonly permitted: ReadonlyArray<string>
    readonly to: string
  }) => string
}

/** Money that was not returned for a call. */
export interface Kept {
  readonly amount: string | number
  readonly currency: string
}

/** An action whose effect may partly remain, and the call that undid it or was meant to. */
export interface Residue {
  readonly action: string
  readonly tool: string
  readonly target?: string | undefined
  readonly kept?: Kept | undefined
  readonly givenUp?: { readonly by: string; readonly evidence: string } | undefined
  readonly reversal?:
    | { readonly action: string; readonly tool: string | undefined; readonly kept?: Kept | undefined }
    | undefined
}

/** Steps that remain behind a pivot. */
export interface Remainder {
  readonly pivot: string
  readonly skeleton: string
  readonly steps: ReadonlyArray<string>
}

/** The last proposal of a planner, if it was refused or waits, or the question to a person that has no answer yet. */
export type Unfinished =
  | { readonly code: "pending" | "revised"; readonly tick: number }
  | { readonly code: "refused"; readonly tick: number; readonly reason: string }
  | { readonly code: "asked" | "waits"; readonly tick: number; readonly found: string }

/** An act that was repeated although nobody knew what the first call came to. */
export interface RepeatedAct {
  readonly tool: string
  readonly after: Repeats.After
  readonly basis: Repeats.Basis
  readonly fields: ReadonlyArray<string>
  readonly differ: ReadonlyArray<string>
  /** The places of both calls. A run is named if they are in two. */
  readonly first: { readonly tick: number; readonly run?: string | undefined }
  readonly again: { readonly tick: number; readonly run?: string | undefined }
}

/** The sentences of a report. */
export interface ReportWords {
  /**
   * An action as a whole: its dispute, its status, the clauses to which it is contrary, the person who accepts its own
   * answer as proof, and the checks that are left out.
   */
  readonly action: (told: {
    readonly disputed: string | null
    readonly lost: ReadonlyArray<string> | null
    readonly say: string
    readonly unchecked: ReadonlyArray<string>
    readonly word: { readonly by: string; readonly why: string } | null
  }) => string
  /** The triggers by which verification asks a person to look at an action. */
  readonly asked: (triggers: ReadonlyArray<string>) => string
  /** The status of an action or a run with a settlement that is disputed. */
  readonly disputed: (status: string) => string
  readonly disputes: (actions: ReadonlyArray<{ readonly action: string; readonly tool: string }>) => string
  /** An action that was taken back, if it is unknown how much of it remains. */
  readonly doubtful: (residue: Residue) => string
  readonly error: { readonly remains: (actions: string) => string; readonly undone: (actions: string) => string }
  readonly held: (hold: {
    readonly why: string
    readonly anothers: boolean
    readonly told: string | undefined
    readonly prescribed: string | undefined
  }) => string
  readonly incomplete: (remainder: Remainder) => string
  /** An action that a fork has left to its parent: it was under way, or was being undone. */
  readonly leftBehind: (left: {
    readonly action: string
    readonly isUndone: boolean
    readonly run: string
    readonly tool: string
  }) => string
  /** The status of a run without an action that changes anything. */
  readonly nothing: string
  readonly remaining: (remainder: Remainder) => string
  readonly repeat: {
    readonly of: (act: RepeatedAct) => string
    /** The two outcomes that a trace does not tell apart. */
    readonly undecided: string
  }
  readonly repeated: (repeated: {
    readonly action: string
    readonly tool: string
    readonly before: { readonly action: string; readonly at: string; readonly run: string; readonly tick: number }
  }) => string
  readonly residue: {
    readonly [Code in "dirty" | "doubtful" | "given_up" | "kept" | "undone"]: (residue: Residue) => string
  }
  readonly reviewed: (triggers: ReadonlyArray<string>) => string
  readonly stands: (at: { readonly since: number; readonly stands: string }) => string
  readonly undoing: {
    readonly blocked: (undoing: { readonly because: string; readonly blocks: ReadonlyArray<string> }) => string
    readonly stopped: (undoing: { readonly because: string; readonly why: string }) => string
    readonly waiting: (because: string) => string
  }
  /** The goal was not declared reached; the argument is the outcome of the last proposal. */
  readonly unfinished: (last: Unfinished | undefined) => string
  /** A clause that acts do not fit since it was revised. */
  readonly unfit: (unfit: {
    readonly acts: ReadonlyArray<{ readonly action: string; readonly tool: string }>
    readonly clause: string
  }) => string
  /** A clause of a goal that was declared reached, and that is not known to hold. */
  readonly unmet: (unmet: {
    readonly clause: string
    readonly condition: string
    readonly reason: string | undefined
  }) => string
}

/** The sentences of a receipt. */
export interface ReceiptWords {
  readonly failedBefore: (call: { readonly error: string; readonly tick: number; readonly tool: string }) => string
  readonly stopped: (remaining: ReadonlyArray<string>) => string
  readonly waits: (review: {
    readonly more: number
    readonly needs: ReadonlyArray<string>
    readonly tick: number
    readonly tool: string
  }) => string
}

/** The sentences about a delivery of a provider. */
export interface DeliveryWords {
  readonly settled: string
  readonly unknown: (tool: string) => string
}

/** A yes to a call of a tool, or to the action that was begun without one. `lasts` is a span of time in words. */
export interface Permission {
  readonly tool: string
  readonly after?: string | undefined
  readonly lasts?: string | undefined
}

/** The sentences about approvals. */
export interface ApprovalWords {
  readonly approved: (before: { readonly approved: string; readonly by: string; readonly review: string }) => string
  readonly decided: (made: { readonly by: string; readonly role: string; readonly verdict: string }) => string
  readonly differs: (difference: {
    readonly approved: string
    readonly asked: string
    readonly by: string
    readonly path: string
    readonly review: string
  }) => string
  readonly missing: string
  /** Replaces an argument that is absent. */
  readonly nothing: string
  /** Replaces a clause that was not declared yet. */
  readonly undeclared: string
  readonly of: (needs: ReadonlyArray<string>) => string
  /** The reach of a yes: to one call that has not begun, or to what was done in an emergency. */
  readonly permits: (yes: Permission) => string
  readonly person: string
  /** Replaces the name of a pack, where none is in force. */
  readonly unpacked: string
  /** Replaces a clause that a revision has withdrawn. */
  readonly withdrawn: string
  readonly used: (use: { readonly action: string; readonly review: string; readonly tool: string }) => string
}

/** The sentences of an explanation. */
export interface ExplanationWords {
  readonly adopted: (from: { readonly action: string | undefined; readonly run: string }) => string
  readonly anomaly: (kind: string) => string
  readonly answered: (from: {
    readonly action: string | undefined
    readonly count: number
    readonly run: string | undefined
    readonly tick: number
  }) => string
  readonly asked: (triggers: ReadonlyArray<string>) => string
  readonly budget: (used: { readonly budget: string; readonly found: string; readonly max: string }) => string
  readonly decided: (made: {
    readonly by: string
    readonly on: string
    readonly role: string
    readonly verdict: string
  }) => string
  readonly doubtOver: string
  readonly expected: { readonly answer: string; readonly settlement: string }
  readonly free: string
  readonly imported: (from: {
    readonly adopted: { readonly action: string; readonly run: string } | undefined
    readonly isRecorded: boolean
    readonly run: string
    readonly tick: string
  }) => string
  readonly invalidMove: (move: {
    readonly action: string
    readonly from: string | undefined
    readonly tick: number | undefined
    readonly to: string | undefined
    readonly tool: string | undefined
  }) => string
  /** Says that another contract allows more of a budget. */
  readonly more: (budget: string) => string
  readonly observedOnly: (why: string) => string
  readonly open: (action: {
    readonly action: string
    readonly since: number
    readonly stands: string
    readonly target: string | undefined
    readonly tool: string
  }) => string
  readonly otherwise: string
  readonly reconciled: (settled: { readonly basis: string | undefined; readonly status: Outcome["status"] }) => string
  readonly recovery: (decided: {
    readonly because: string | undefined
    readonly decision: string
    readonly discrepancy: string
    readonly meaning: string | undefined
    readonly row: number | undefined
  }) => string
  readonly refused: string
  readonly sentences: (parts: ReadonlyArray<string>) => string
  readonly shortened: (value: { readonly characters: number; readonly text: string }) => string
  readonly size: (entries: number) => string
  readonly adoptedBefore: (both: { readonly adopted: string; readonly effect: string }) => string
  readonly unrequested: (about: { readonly action: string | undefined; readonly tick: number | undefined }) => string
  readonly unsent: (why: string) => string
  readonly violated: (latch: { readonly predicate: string; readonly tick: number }) => string
  /** An alarm of a topology: the signal in words, and the first response. */
  readonly alarmed: (alarm: {
    readonly predicate: string
    readonly tick: number
    readonly say: string
    readonly first: string
  }) => string
}
