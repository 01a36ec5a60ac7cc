/**
 * A run as messages of the AI SDK: the goal, each act as a call with its result, and how the run stands.
 *
 * The messages are those of the SDK, with names of tools that providers accept.
 */
import { type Briefing, messagesOfBriefing } from "@backstitch/sdk/adapter"
import type { ModelMessage } from "ai"
import type * as ToolNames from "./ToolNames.ts"

/** The messages of a run. `note` is told last, in the words of the program. */
export const of = (briefing: Briefing, names: ToolNames.ToolNames, note?: string | undefined): Array<ModelMessage> =>
  messagesOfBriefing(briefing, { nameOf: names.offered, note })
