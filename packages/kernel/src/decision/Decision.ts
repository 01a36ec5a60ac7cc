/** The answer of the kernel to a command: transitions to commit, and the next step. */

import type { State } from "@backstitch/reducer/State"
import * as ActionId from "@backstitch/trace/ActionId"
import type { Json } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import type { Draft } from "@backstitch/trace/Transition"
import type { Names } from "../identity/requestedNames.ts"
import * as Check from "../payload/Check.ts"
import type { Finding } from "../payload/Finding.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import type { Command } from "./Command.ts"
import * as CommitContent from "./CommitContent.ts"
import type { Outcome } from "./Outcome.ts"
import type { QueryAnswer, StoreQuery } from "./StoreQuery.ts"

/**
 * A question to the world that the interpreter has to ask next.
 *
 * - `Call`: call the tool. For a mutation the request is durable by now.
 * - `Open`: call the tool inside a local transaction, and leave the transaction open.
 * - `ReadInside`: read the record inside the open transaction.
 * - `Conclude`: commit the transaction or roll it back, then read the record from outside.
 * - `Ask`: ask for the status of the key.
 * - `ReadBack`: read the system of record.
 * - `ReadBefore`: read the system of record before anything is sent.
 * - `ReadOriginal`: ask about the action to be undone, with its own request.
 * - `Compensate`: continue the open undo plan, from `untilMillis` (epoch) on.
 * - `Complete`: complete the subtask behind a pivot, from `untilMillis` (epoch) on.
 * - `Wait`: nothing can be learnt before `untilMillis` (epoch); then recover the action again.
 * - `Await`: another run holds the name for an action under way. Decide the command again from `untilMillis` (epoch)
 *   on.
 * - `Again`: decide the command again, with more facts.
 * - `Look`: query the store, and decide the command again with the answer.
 */
export type NextQuestion =
  | { readonly _tag: "Call"; readonly request: CallRequest }
  | { readonly _tag: "Open"; readonly request: CallRequest }
  | { readonly _tag: "ReadInside"; readonly request: CallRequest }
  | { readonly _tag: "Conclude"; readonly request: CallRequest; readonly how: "commit" | "roll_back" }
  | { readonly _tag: "Ask"; readonly request: CallRequest }
  | { readonly _tag: "ReadBack"; readonly request: CallRequest }
  | { readonly _tag: "ReadBefore"; readonly request: CallRequest }
  | { readonly _tag: "ReadOriginal"; readonly original: Original }
  | { readonly _tag: "Compensate"; readonly untilMillis?: number }
  | { readonly _tag: "Complete"; readonly untilMillis?: number }
  | { readonly _tag: "Wait"; readonly action: string; readonly untilMillis: number }
  | { readonly _tag: "Await"; readonly since: number; readonly untilMillis: number }
  | { readonly _tag: "Again"; readonly command: Command }
  | Looking
  | { readonly _tag: "End"; readonly outcome: Outcome }

/**
 * A decision: the content that it commits, and the next step.
 *
 * **Details**
 *
 * With `flush` `"later"` the transitions need not be durable before the next step, because a crash would lose no
 * effect. They are committed together with the following ones. With `"soon"` they are staged in the same way, and are
 * committed alone a few milliseconds later if nothing follows. The system of record could be asked again after a
 * crash, and other processes see the action as open until the commit.
 */
export interface Decision {
  readonly content: CommitContent.CommitContent
  readonly flush: "now" | "soon" | "later"
  readonly next: NextQuestion
  /** The names that the decision claims, if it begins, takes over or undoes an act. */
  readonly names?: Names | undefined
  /** The hash of the context in which an intent was decided. */
  readonly context?: Digest | undefined
}

/** A decision with the drafts that are committed. */
export interface Drafted extends Decision {
  readonly drafts: ReadonlyArray<Draft>
}

/**
 * A decision as the kernel answers it, with the command that makes it again. It is made again if another writer was
 * faster, or when a name that it waits for may be free.
 */
export interface Decided extends Drafted {
  readonly again: Command
}

/** Makes the drafts of a decision. */
export const drafted = (terms: DecisionTerms.DecisionTerms, decision: Decision): Drafted => ({
  ...decision,
  drafts: CommitContent.drafts(terms, decision.content)
})

/** A decision that ends with an outcome. */
export const end = (outcome: Outcome, content = CommitContent.nothing): Decision =>
  commit(content, { _tag: "End", outcome })

/** Goes on with the next step. A crash before the commit would lose nothing. */
export const go = (next: NextQuestion, content = CommitContent.nothing): Decision => ({ content, flush: "later", next })

/** Goes on with the next step once a content is durable. */
export const commit = (content: CommitContent.CommitContent, next: NextQuestion): Decision => ({
  content,
  flush: "now",
  next
})

/** Waits until a moment before which nothing can be learnt of an action, and then recovers the action again. */
export const wait = (action: string, untilMillis: number): Decision => go({ _tag: "Wait", action, untilMillis })

/** Leaves an action as it is, with the finding that prevents progress. */
export const held = (terms: DecisionTerms.DecisionTerms, action: string, why: Finding): Decision =>
  end({ _tag: "Held", tick: DecisionTerms.standsAt(terms), action, why })

/**
 * Answers for an action that is no longer open, from the record: another process may have settled it. An id that is
 * no tick of a request of the run is refused.
 */
export const gone = (terms: DecisionTerms.DecisionTerms, action: string): Decision => {
  const tick = DecisionTerms.standsAt(terms)
  const begun = ActionId.tickOf(action)
  if (begun === undefined || begun > tick) {
    const check = Check.fail("schema", action === "" ? "action" : action, "action.unknown", { tick })
    return end({ _tag: "Refused", tick: undefined, checks: [check] })
  }
  return end({ _tag: "Done", tick, output: null, basis: "recorded", adopted: { action, run: terms.run.id, tick } })
}

/** A decision that waits for a store query: the query, and the command to be decided again with its answer. */
export interface Looking {
  readonly _tag: "Look"
  readonly look: StoreQuery
  readonly command: Command
}

/** A decision to query the store first. It commits nothing. */
export const lookAt = (command: Command, look: StoreQuery): Decision => go({ _tag: "Look", look, command })

/** The command that brings the answer to a store query. */
export const withAnswer = ({ command, look }: Looking, answer: QueryAnswer): Command => ({
  ...command,
  found: [...(command.found ?? []), { look, answer }]
})

/** The part of a kernel that decides. */
export interface Decider {
  readonly decide: (terms: DecisionTerms.DecisionTerms, state: State, command: Command) => Decided
}

/** A request to a tool, in the terms of its contract. */
export interface CallRequest {
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
  /** `true` if the request was sent before. Dropping it now says nothing about the earlier attempt. */
  readonly resent?: boolean | undefined
}

/**
 * An action that is to be undone, and the way in which its own record is read. The trace has the answer to its
 * request.
 *
 * @see {@link RecordedRequest}
 */
export interface Original {
  readonly action: string
  readonly via: "readback" | "status"
  readonly deadlineMillis: number
  /** The strong source that is read, if the contract names one. */
  readonly source?: string | undefined
}
