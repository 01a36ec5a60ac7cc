/**
 * Demands of a pack on an agent's messages about its actions.
 *
 * The claims of a message can't be read from its words. So the field `reports` of a message lists the actions that it
 * reports and their standings; an empty list declares that it reports none.
 *
 * @source Action Verification, "Reporting Invariant"
 */
import * as ToolContract from "../tool/ToolContract.ts"

/** Demands on a message: it must say which actions it reports, or it may. */
export const demands = ["required", "optional"] as const

/** The treatment of a message that reports an action with a wrong standing: it is refused, or committed with a mark. */
export const treatments = ["refuse", "mark"] as const

/** The demands of one pack. */
export interface MessagePolicy {
  readonly reports: (typeof demands)[number]
  readonly unreconciled: (typeof treatments)[number]
}

/** The demands that a pack declares. */
interface Declared {
  readonly messages?: Partial<MessagePolicy>
  readonly tools: Readonly<Record<string, ToolContract.ToolContract>>
}

/**
 * The demands of a pack, with defaults for those that it does not declare.
 *
 * **Details**
 *
 * A pack with a tool that changes the world requires reports: without them a message could claim anything. By default
 * a wrong report is refused, because the correct sentence is known, and a mark would reach people too late.
 */
export const of = (pack: Declared | undefined): MessagePolicy => ({
  reports: Object.values(pack?.tools ?? {}).some(ToolContract.isMutating) ? "required" : "optional",
  unreconciled: "refuse",
  ...pack?.messages
})
