/**
 * What the kernel answers to a command: transitions to commit, and what comes next.
 *
 * @since 0.1.0
 */
import type { Json } from "@backstitch/trace/Canonical"
import type { Draft } from "@backstitch/trace/Transition"
import type { Outcome } from "./Outcome.ts"

/**
 * A question to the world that the interpreter has to ask next.
 *
 * - `Call`: call the tool. For a mutation the request is durable by now.
 * - `Open`: call it inside a local transaction, and leave that open.
 * - `ReadInside`: read inside of the open transaction.
 * - `Conclude`: commit it or roll it back, then read from outside.
 * - `Ask`: ask what became of the key.
 * - `ReadBack`: read the system of record.
 * - `ReadBefore`: read it before anything is sent.
 * - `ReadOriginal`: ask whether what is to be undone is there, with the request that it was sent with.
 * - `Compensate`: go on with the open undo plan, from `untilMillis` (epoch) on.
 * - `Complete`: go on with what remains behind a pivot, from `untilMillis` (epoch) on.
 * - `Wait`: nothing can be learnt before `untilMillis` (epoch); then recover the action again.
 * - `Await`: a name is held by what another run has under way; from `untilMillis` (epoch) on the command is decided
 *   again, with `since`.
 *
 * @category models
 * @since 0.1.0
 */
export type Next =
  | { readonly _tag: "Call"; readonly request: Request }
  | { readonly _tag: "Open"; readonly request: Request }
  | { readonly _tag: "ReadInside"; readonly request: Request }
  | { readonly _tag: "Conclude"; readonly request: Request; readonly how: "commit" | "roll_back" }
  | { readonly _tag: "Ask"; readonly request: Request }
  | { readonly _tag: "ReadBack"; readonly request: Request }
  | { readonly _tag: "ReadBefore"; readonly request: Request }
  | { readonly _tag: "ReadOriginal"; readonly original: Original }
  | { readonly _tag: "Compensate"; readonly untilMillis?: number }
  | { readonly _tag: "Complete"; readonly untilMillis?: number }
  | { readonly _tag: "Wait"; readonly action: string; readonly untilMillis: number }
  | { readonly _tag: "Await"; readonly since: number; readonly untilMillis: number }
  | { readonly _tag: "End"; readonly outcome: Outcome }

/**
 * An action that is to be undone, and the way in which its own record is asked about it. What it was asked is in the
 * trace.
 *
 * @see {@link OwnRequest}
 * @category models
 * @since 0.1.0
 */
export interface Original {
  readonly action: string
  readonly via: "readback" | "status"
  readonly deadlineMillis: number
  /** The source that is read for certainty, where the contract names one. */
  readonly source?: string | undefined
}

/**
 * A request to a tool, in the terms of its contract.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly action: string
  readonly tool: string
  readonly params: Json
  readonly key: string | undefined
  readonly deadlineMillis: number
  /** Epoch milliseconds after which a sender drops the request instead of sending it. */
  readonly sendBefore: number
  readonly observed?: Json | undefined
  /** Further sources that a readback has to ask. */
  readonly sources?: ReadonlyArray<string> | undefined
  /** The one further source that is read, where a read falls back to it. */
  readonly source?: string | undefined
  /** Whether it was sent before: whoever does not send it now says nothing of that. */
  readonly resent?: boolean | undefined
}

/**
 * A decision.
 *
 * **Details**
 *
 * With `flush` `"later"` the drafts need not be durable before the next step:
 * nothing has happened yet that a crash could lose. They are committed with
 * what follows.
 *
 * @category models
 * @since 0.1.0
 */
export interface Decision {
  readonly drafts: ReadonlyArray<Draft>
  readonly flush: "now" | "later"
  readonly next: Next
}

/**
 * A decision that ends with an outcome.
 *
 * @category constructors
 * @since 0.1.0
 */
export const end = (outcome: Outcome, drafts: ReadonlyArray<Draft> = []): Decision => ({
  drafts,
  flush: "now",
  next: { _tag: "End", outcome }
})
