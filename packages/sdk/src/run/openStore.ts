/** An open store, as its user sees it: it opens runs, and takes the decisions of people about them. */
import type { DecidedBy, Settlement } from "./Person.ts"
import type { Opening, Run } from "./Run.ts"
import type { Decision, HeldAction, PendingApproval } from "./Views.ts"

/** A store that is open. */
export interface Backstitch {
  /**
   * Opens a run, or begins it. Calls that a crash left open are settled first, by asking.
   *
   * **Gotchas**
   *
   * A process that has a run open holds it for itself, and does not end by itself: close the run or the store, as
   * `await using` does.
   */
  readonly run: (id: string, opening?: Opening) => Promise<Run>
  /** Says yes to a call that waits: to exactly these arguments, until the approval expires. */
  readonly approve: (run: string, review: string, verdict: DecidedBy) => Promise<Decision>
  /** Says no to a call that waits. */
  readonly deny: (run: string, review: string, verdict: DecidedBy) => Promise<Decision>
  /** Settles a held action, with the evidence. */
  readonly resolve: (run: string, action: string, settlement: Settlement) => Promise<Decision>
  /** The calls that wait for a person, in all runs. */
  readonly approvals: () => Promise<ReadonlyArray<PendingApproval>>
  /** The actions that are held, in all runs or in one. */
  readonly held: (run?: string) => Promise<ReadonlyArray<HeldAction>>
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
