/** The next act of a process in an exploration: a question, a commit or a wait, with all that it needs to know. */
import type { Command } from "@backstitch/kernel/Command"
import type * as Decision from "@backstitch/kernel/Decision"
import type * as Evidence from "@backstitch/kernel/Evidence"
import type * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import type { Draft } from "@backstitch/trace/Transition"

/** The way in which the world is asked. */
export type Via = "call" | "status" | "readback" | "before" | "original" | "open" | "inside" | "conclude"

/** The end of an open transaction: the one that is ordered, and the one that its store reports. */
export interface Ending {
  readonly how?: "commit" | "roll_back"
  readonly concluded?: Evidence.Concluded
}

/** A question about an action that is to be undone: its recorded request, and the way of asking. */
export type Sent = RecordedRequest.RecordedRequest & Pick<Evidence.Looked, "via">

/** A process that is about to ask the world. */
export interface Facing extends Ending {
  readonly _tag: "Facing"
  readonly via: Via
  readonly action: string
  readonly key: string
  readonly tool: string
  readonly by: number
  readonly sent?: Sent
  /** Set where its record had to be read before it is sent, and could not be. */
  readonly unread?: true
}

/** A process whose question is out. With `ends`, it has told its store how to end what it holds open. */
export interface Awaiting extends Ending {
  readonly _tag: "Awaiting"
  readonly via: Via
  readonly action: string
  readonly call: number
  readonly ends?: Facing
  readonly sent?: Sent
}

/**
 * The next act of a process, or its wait.
 *
 * - `Down`: it is not running.
 * - `Appending`: it has decided, and what it decided is not durable yet.
 * - `Facing`: it is about to ask the world.
 * - `Waiting`: nothing can be learnt before `until`.
 * - `Awaiting`: its question is out.
 * - `Meeting`: a name was refused to what it decided, and it is about to look at what its holder has done.
 * - `Ended`: it has told its caller what the payment came to.
 */
export type Doing =
  | { readonly _tag: "Down" }
  | { readonly _tag: "Appending"; readonly decided: Decided | Waiting }
  | Facing
  | Waiting
  | Awaiting
  | Meeting
  | Ended

/** A process that has told its caller what the payment came to. */
export interface Ended {
  readonly _tag: "Ended"
  readonly outcome: "Done" | "Failed" | "Held" | "Refused" | "Parked"
  /** The run that has to go on first, and the commit of it that was looked at. */
  readonly behind?: Behind | undefined
}

/** Another run at the commit at which it was looked at. */
export interface Behind {
  readonly run: string
  readonly at: number
}

/** Facts about a command that the laws are told and the kernel is not. */
export interface Observed {
  /** The time of the clock at which it first had to wait for what another run has under way. */
  readonly waits?: number | undefined
  /** The holder of the name that it was refused. */
  readonly behind?: Behind | undefined
  /** Set where the record of its action had to be read before, and could not be. */
  readonly unread?: true | undefined
}

/** A decision of the kernel, as far as it matters for the steps that follow. */
export interface Decided extends Pick<Decision.Decided, "again" | "drafts" | "names" | "next">, Observed {
  readonly _tag: "Decided"
}

/**
 * Drafts that need not be durable before the next step, with the command that is decided again where another process
 * was faster.
 */
export interface Staged {
  readonly command: Command
  readonly drafts: ReadonlyArray<Draft>
  /** It settles an action that its process knows of by now: it is durable before anybody else is told. */
  readonly soon?: true
}

/** A name was refused: the command that tells the kernel so. */
export interface Meeting extends Observed {
  readonly _tag: "Meeting"
  readonly command: Command & { readonly _tag: "ClaimRefused" }
}

/** A wait for the time of a command. What is known has to be durable before it. */
export interface Waiting extends Observed {
  readonly _tag: "Waiting"
  readonly until: number
  readonly command: Command
}
