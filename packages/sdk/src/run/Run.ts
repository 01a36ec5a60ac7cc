/** One run: its calls, its facts and its decisions on record, and the questions that can be asked about it. */

import type { PackDefinition } from "../contract/ToolContract.ts"
import type { GivenJson, JsonObject } from "../values/Json.ts"
import type { Message, MessageOptions } from "../values/Message.ts"
import type { Outcome } from "../values/Outcome.ts"
import type { Recorded } from "../values/Recorded.ts"
import type { Event, EventOptions } from "./Event.ts"
import type { DecidedBy, Settlement } from "./Person.ts"
import type { InjectedRevision, Revision, RevisionPlan } from "./Revision.ts"
import type { Comparison, Decision, DraftReport, LedgerEntry, Onset, Report, Verification } from "./Views.ts"

/** The beginning of a run. A run that exists goes on as it was begun. */
export interface Opening {
  /** The goal by name; it is part of the identity of acts whose scope is the goal. By default the name of the run. */
  readonly goal?: string | undefined
  /** The goal in words, as the user has put it. */
  readonly text?: string | undefined
  /** Values of the clauses that the pack declares. */
  readonly clauses?: JsonObject | undefined
  /** `true` to wait while another process works on the run. By default that is an error. */
  readonly wait?: boolean | undefined
}

/** Options of a call. */
export interface ToolOptions {
  /** Which of several intended repetitions this is, from 1; the same arguments with another number are another act. */
  readonly occurrence?: number | undefined
  /**
   * The name of the call in the caller's framework. The same call with one name is one; another call with the name of
   * an earlier one fails with the code `call_id_taken`. Leave it out if names come back, as with `call_0`.
   */
  readonly callId?: string | undefined
  /** Ends the wait for the outcome. What was begun stays on record. */
  readonly signal?: AbortSignal | undefined
  /** The reason for the call, in the words of the agent. */
  readonly because?: string | undefined
}

/** Options of a fork. */
export interface ForkOptions {
  /** The last tick that is shared. */
  readonly from: number
  /** The name of the fork; by default one is made of the name of the run. */
  readonly as?: string | undefined
  /**
   * The pack of the fork: the file of one, or one as an object. By default the fork keeps that of the run. Its tools
   * are those that the store was opened with.
   */
  readonly pack?: string | PackDefinition | undefined
  readonly reason?: string | undefined
}

/** Options of a fact. */
export interface RecordOptions {
  readonly author?: "agent" | "user" | "institution" | undefined
  /** The name of the fact in the caller's framework. Two facts of a type with one name are one: the first stays. */
  readonly callId?: string | undefined
  readonly because?: string | undefined
  /** The tokens that it cost, which the budget of the pack counts. */
  readonly tokens?: number | undefined
}

/** One run. */
export interface Run {
  readonly id: string
  /** The outcomes of calls that a crash had left open, as this process settled them when it opened the run. */
  readonly recovered: ReadonlyArray<Outcome>
  /** Calls a tool by its contract. The outcome is a value, whatever it is. */
  readonly tool: <Args extends object>(
    name: string,
    args?: Args & GivenJson<Args>,
    options?: ToolOptions
  ) => Promise<Outcome>
  /** Commits a fact or a decision of a type of the ontology, such as `observation.add`. */
  readonly record: <Data extends object>(
    type: string,
    data: Data & GivenJson<Data>,
    options?: RecordOptions
  ) => Promise<Outcome>
  /**
   * Does a step once and records its result; a resumed run answers the result from the record.
   *
   * **Gotchas**
   *
   * A step that was done but not recorded before a crash is done again. It is for work that may be repeated, such as a
   * call of a model or a read. What may not be repeated is a tool.
   */
  readonly step: <A>(name: string, work: () => A) => Promise<Recorded<Awaited<A>>>
  /** Lets the agent decide once and records the decision; a resumed run answers it from the record. */
  readonly decide: <A>(name: string, choose: () => A) => Promise<Recorded<Awaited<A>>>
  /** Declares the goal reached. */
  readonly complete: () => Promise<Outcome>
  /** Settles what is open, by asking. A run that is opened does so by itself. */
  readonly resume: () => Promise<ReadonlyArray<Outcome>>
  /** The committed transitions, from any tick on, and those of all processes as they are committed. */
  readonly events: (options?: EventOptions) => AsyncIterable<Event>
  /** The state of the run, with the sections `world` and `working` of its pack. */
  readonly state: () => Promise<{ readonly tick: number; readonly world: JsonObject; readonly working: JsonObject }>
  /**
   * The run as messages for a model, made from its record: no call is without a result, acts that were undone are left
   * out, and no raw answer of a tool is in them. The AI SDK takes them as they are.
   */
  readonly messages: (options?: MessageOptions) => Promise<Array<Message>>
  /**
   * The sentences that may be told of the run, and the actions that are held. With a draft, its words are told if each
   * act of the run is a verified success, and are then a message on record; otherwise the sentences are.
   *
   * **Gotchas**
   *
   * The words of a draft are not read: in a run without any act, any draft is told.
   */
  readonly report: {
    (): Promise<Report>
    (asked: { readonly draft: string }): Promise<DraftReport>
  }
  /** The ledger: an entry for each action. */
  readonly ledger: () => Promise<ReadonlyArray<LedgerEntry>>
  /** Says yes to a call of this run that waits; `deny` says no, and `resolve` settles a held action. */
  readonly approve: (review: string, verdict: DecidedBy) => Promise<Decision>
  readonly deny: (review: string, verdict: DecidedBy) => Promise<Decision>
  readonly resolve: (action: string, settlement: Settlement) => Promise<Decision>
  /**
   * Undoes acts of this run by the compensations that the pack names (`undo: { by, with }`), the last act first. Each
   * compensation is a call of its tool, on record and verified like any other. If one of the acts cannot be undone, or
   * another run relies on it, all of it is refused.
   */
  readonly undo: (actions: string | ReadonlyArray<string>, asked: { readonly reason: string }) => Promise<Outcome>
  /**
   * Revises the goal: changes clauses at once, undoes the acts that no longer fit, as far as contracts permit it, and
   * keeps the others. If the goal was reached before, another run follows, and this one takes no more revisions.
   */
  readonly inject: (revision: Revision) => Promise<InjectedRevision>
  /** Plans a revision and records nothing; `undefined` if nothing of the run is concerned. */
  readonly plan: (revision: Revision) => Promise<RevisionPlan | undefined>
  /**
   * Finds the tick from which a condition holds: the id of a predicate of the pack, or an expression such as
   * `world.spent > 500`. Without one, the first anomaly is found.
   */
  readonly bisect: (predicate?: string) => Promise<Onset>
  /** Compares the run with another one of the store, from where they parted. */
  readonly diff: (other: string) => Promise<Comparison>
  /** Begins a run that shares this one up to a tick, and opens it. What was done up to there is not done again. */
  readonly fork: (options: ForkOptions) => Promise<Run>
  /** Checks the chain, and folds every state again. */
  readonly verify: (options?: { readonly head?: string }) => Promise<Verification>
  /** Makes everything durable that was told. A run that is closed does so by itself. */
  readonly flush: () => Promise<void>
  /** Gives the run back to other processes. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
