/**
 * Demands of a pack on what an agent tells people about its actions.
 *
 * Whether a message claims something can't be read off its words. So it says
 * which actions it reports, and as what: `reports` of a message is a list, and
 * an empty one declares that it reports none.
 *
 * @source Action Verification, "Reporting Invariant"
 */
import * as ToolContract from "../tool/ToolContract.ts"

/** Demands on a message: it has to say which actions it reports, or may. */
export const demands = ["required", "optional"] as const

/**
 * Answers to a message that reports an action otherwise than it stands: it is refused, or committed with a mark.
 */
export const treatments = ["refuse", "mark"] as const

/** The demands of one pack. */
export interface MessagePolicy {
  readonly reports: (typeof demands)[number]
  readonly unreconciled: (typeof treatments)[number]
}

/** The part of a pack that says what is demanded. */
interface Declared {
  readonly messages?: Partial<MessagePolicy>
  readonly tools: Readonly<Record<string, ToolContract.ToolContract>>
}

/**
 * The demands of a pack, and those that hold where it says nothing.
 *
 * **Details**
 *
 * A pack with a tool that changes the world requires reports: without them a message may claim anything. What is not as
 * it is told is refused, because the sentence that may be told instead is known, and a mark reaches people too late.
 */
export const of = (pack: Declared | undefined): MessagePolicy => ({
  reports: Object.values(pack?.tools ?? {}).some(ToolContract.isMutating) ? "required" : "optional",
  unreconciled: "refuse",
  ...pack?.messages
})
