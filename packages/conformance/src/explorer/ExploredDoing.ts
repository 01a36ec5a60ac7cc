/** The next step of a process in an exploration: a question, a commit or a wait, with all its data. */
import type { Command } from "@backstitch/kernel/Command"
import type * as Decision from "@backstitch/kernel/Decision"
import type * as Evidence from "@backstitch/kernel/Evidence"
import type * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import type { Draft } from "@backstitch/trace/Transition"

/** The way in which the world is asked. */
export type Via = "call" | "status" | "readback" | "before" | "original" | "open" | "inside" | "conclude"

/** The end of an open transaction: the requested one, and the one that its store reports. */
export interface TransactionEnding {
  readonly how?: "commit" | "roll_back"
  readonly concluded?: Evidence.Concluded
}

/** A question about an action that is to be undone: its recorded request, and the kind of question. */
export type Sent = RecordedRequest.RecordedRequest & Pick<Evidence.Looked, "via">

/** A process that is about to ask the world. */
export interface Facing extends TransactionEnding {
  readonly _tag: "Facing"
  readonly via: Via
  readonly action: string
  readonly key: string
  readonly tool: string
  readonly by: number
  readonly sent?: Sent
  /** Set if the record should have been read before the sending, and could not be. */
  readonly unread?: true
}

/** A process that waits for an answer. With `ends`, it has told its store how to end the open transaction. */
export interface Awaiting extends TransactionEnding {
  readonly _tag: "Awaiting"
  readonly via: Via
  readonly action: string
  readonly call: number
  readonly ends?: Facing
  readonly sent?: Sent
}

/**
 * The next step of a process, or its wait.
 *
 * - `Down`: it is not running.
 * - `Appending`: it has decided, and the decision is not durable yet.
 * - `Facing`: it is about to ask the world.
 * - `Waiting`: nothing can be learnt before `until`.
 * - `Awaiting`: its question is out.
 * - `Meeting`: a name was refused to its decision, and it is about to read the trace of the holder.
 * - `Ended`: it has reported the outcome of the payment to its caller.
 */
export type Doing =
  | { readonly _tag: "Down" }
  | { readonly _tag: "Appending"; readonly decided: ExploredDecision | Waiting }
  | Facing
  | Waiting
  | Awaiting
  | Meeting
  | EndedProcess

/** A process that has reported the outcome of the payment to its caller. */
export interface EndedProcess {
  readonly _tag: "Ended"
  readonly outcome: "Done" | "Failed" | "Held" | "Refused" | "Parked"
  /** The run that has to continue first, and its commit that was read. */
  readonly behind?: Behind | undefined
  /** The tick at which the payment began to wait for an approval. */
  readonly parkedAt?: number | undefined
}

/** Another run at the commit that was read. */
export interface Behind {
  readonly run: string
  readonly at: number
}

/** Facts about a command for the laws, which the kernel does not get. */
export interface Observed {
  /** The time of the clock at which it first had to wait for an action of another run. */
  readonly waits?: number | undefined
  /** The holder of the refused name. */
  readonly behind?: Behind | undefined
  /** Set if the record of its action should have been read before, and could not be. */
  readonly unread?: true | undefined
}

/** The parts of a kernel decision that the following steps need. */
export interface ExploredDecision extends Pick<Decision.Decided, "again" | "drafts" | "names" | "next">, Observed {
  readonly _tag: "Decided"
}

/**
 * Drafts that need not be durable before the next step, with the command to be decided again if another process was
 * faster.
 */
export interface Staged {
  readonly command: Command
  readonly drafts: ReadonlyArray<Draft>
  /**
   * The drafts settle an action that its process knows about, so they have to be durable before anybody else is told.
   */
  readonly soon?: true
}

/** A name was refused: the command that tells the kernel so. */
export interface Meeting extends Observed {
  readonly _tag: "Meeting"
  readonly command: Command & { readonly _tag: "ClaimRefused" }
}

/** A wait for the time of a command. Known facts must be durable before it. */
export interface Waiting extends Observed {
  readonly _tag: "Waiting"
  readonly until: number
  readonly command: Command
}
