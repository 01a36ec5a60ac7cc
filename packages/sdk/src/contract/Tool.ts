/** A tool in code: how it is called, and how the system of record is asked about a call. */
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Json } from "../values/Json.ts"
import type { StandardSchema } from "./StandardSchema.ts"

/** Facts that a tool is given with its arguments. */
export interface ToolContext {
  /**
   * Send this key with the request: the system of record recognises a repetition by it. It is empty if the contract
   * says that no two calls are ever one.
   */
  readonly key: string
  /** The name of the action in its run. */
  readonly action: string
  /** The time until `sendBefore`, counted from the moment at which the tool is called. */
  readonly deadlineMillis: number
  /**
   * Epoch milliseconds after which the request must not be sent any more: it would arrive when its run believes that
   * it never was. A tool that is later throws instead. For a question it is the end of the wait for an answer.
   */
  readonly sendBefore: number
  /**
   * Aborted once `sendBefore` is over, and when no answer is awaited any more. Pass it on to whatever sends, such as
   * `fetch`, and look at it after whatever waits, such as for a token.
   */
  readonly signal: AbortSignal
  /** The tool's own answer, for a readback. */
  readonly observed: Json | undefined
}

/** A question about a further source of the contract. `undefined` and `null` mean "not found". */
export type Question<Args> = (args: Args, context: ToolContext) => unknown

/**
 * A question about the call itself. `undefined` and `null` mean "not found", and `"pending"` means "under way".
 *
 * **Gotchas**
 *
 * `false`, an empty text and an empty list say neither that there is something nor that there is nothing. They answer
 * nothing, and the outcome stays unknown.
 */
export type CallQuestion<Args> = (args: Args, context: ToolContext) => Found | Promise<Found>

/** An answer to a question about a call. */
export type Found = object | string | number | true | null | undefined

/**
 * A tool in code.
 *
 * **Details**
 *
 * The arguments are those that its schema answers, `Checked`. Without a schema nothing knows them, so a function says
 * of which type its arguments are.
 *
 * An error of `execute` does not say whether the call was done: its outcome is unknown, unless the error is a
 * {@link ToolRefused} or `refuses` knows it. An error of `status` or `readback` answers nothing.
 */
export interface Tool<in Args = never, out Checked = unknown> {
  /** A schema that checks arguments before they are proposed, and may convert them. */
  readonly input?: StandardSchema<Checked> | undefined
  readonly execute: (args: Args, context: ToolContext) => unknown
  /** Asks what became of the call with this key, in the form of the tool's own answer. */
  readonly status?: CallQuestion<Args> | undefined
  /** Reads the record that the call is about. */
  readonly readback?: CallQuestion<Args> | undefined
  /** Reads the further sources that the contract names. */
  readonly sources?: Readonly<Record<string, Question<Args>>> | undefined
  /**
   * The identity of before, in the words of the error `identity_differs`, if that of the contract was changed on
   * purpose. It says that no act of before is called again: under the identity of today none would be recognised. It
   * counts for this change alone, and does nothing where the store knows the identity of today.
   */
  readonly identityBefore?: string | undefined
  /**
   * Tells whether an error of `execute` is a refusal for good: nothing happened, and nothing will happen. Anything but
   * `true`, such as a promise, says nothing.
   */
  readonly refuses?: ((error: unknown) => boolean) | undefined
}

/** Error by which a tool refuses for good: nothing happened, and nothing will happen. */
export class ToolRefused extends Error {
  readonly _tag = "ToolRefused"
  readonly detail: Json

  constructor(detail: Json) {
    super(ToolExecutor.refusalText(detail))
    this.detail = detail
  }
}

/**
 * Answer of a tool that has accepted a request and not done it yet, such as an HTTP 202. The call is done once its
 * status or its record shows it, and not before.
 */
export class Accepted<Output = Json> {
  readonly _tag = "Accepted"
  readonly output: Output

  constructor(output: Output) {
    this.output = output
  }
}

/** The output of an answer, whether it is done or accepted. */
export type OutputOf<Answer> = Answer extends Accepted<infer Output> ? Output : Answer

/** The output that an answer to a question stands for, where the tool's own was lost: what was found. */
export type OutputFound<Answer> = Answer extends Accepted<unknown> | "pending" | null | undefined ? never : Answer
