/**
 * A run as messages for a model: the goal, each act as a call with its result, and how the run stands.
 *
 * The messages are made from the record and not kept beside it. So each call has its result, also after a crash, and
 * acts that were undone are not among them. The words of the record stand in place of the words of tools.
 */
import { defined } from "@backstitch/trace/Defined"
import type { Message, MessageOptions, MessageValue } from "../values/Message.ts"
import type { BriefedAction, Briefing } from "./Briefing.ts"

/** The messages of a run, by its briefing. */
export const messagesOf = (briefing: Briefing, options: MessageOptions = {}): Array<Message> => {
  const { nameOf = (tool) => tool, note } = options
  return [
    { role: "user", content: goalOf(briefing) },
    ...briefing.actions.flatMap((act) => pairOf(act, nameOf)),
    { role: "user", content: standingOf(briefing, note) }
  ]
}

const goalOf = ({ goal, specification }: Briefing): string => {
  const clauses = specification.map(
    ({ clause, description, holds, value }) =>
      `- ${clause} = ${JSON.stringify(value)}: ${description ?? "it has to hold that"} (${holds})`
  )
  return [
    `The goal: ${goal.text || goal.id}`,
    ...(clauses.length === 0 ? [] : ["The clauses that it has to keep to:", ...clauses])
  ].join("\n")
}

/** A call with its result. An act whose outcome is open has a result, too, which says so. */
const pairOf = (act: BriefedAction, nameOf: (tool: string) => string): ReadonlyArray<Message> => {
  const { action, discrepancy, error, output, params, says, status, success, tool } = act
  const call = { toolCallId: action, toolName: nameOf(tool) }
  const value = defined({ success, status, says, output, error, discrepancy }) as MessageValue
  return [
    { role: "assistant", content: [{ type: "tool-call", ...call, input: params as MessageValue }] },
    { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "json", value } }] }
  ]
}

const standingOf = ({ last, remaining, working, world }: Briefing, note: string | undefined): string =>
  [
    `The record says of the world: ${JSON.stringify(world)}`,
    `Noted so far: ${JSON.stringify(working)}`,
    ...(remaining.length === 0 ? [] : [`Still to be done before the goal is reached: ${JSON.stringify(remaining)}`]),
    ...(last === undefined || last.success ? [] : [`Your last proposal came to: ${JSON.stringify(last)}`]),
    ...(note === undefined ? [] : [note])
  ].join("\n")
