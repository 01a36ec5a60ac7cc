/**
 * Tools of a graph that act by their contract.
 *
 * The model sees a tool like any other. Each call takes the commit path of its run, and is on record before it is
 * sent. A call without an answer is asked about. A call that was done before is answered from the record, whatever the
 * graph repeats. The outcome of a call is a message that a model can read: nothing is thrown for which a framework
 * would try again.
 */

import { type Backstitch, BackstitchError, type JsonObject, type Run } from "@backstitch/sdk"
import { approvalRequestOf, callIdOf, isBackstitchError, requestDigestOf } from "@backstitch/sdk/adapter"
import { ToolMessage } from "@langchain/core/messages"
import { type StructuredToolInterface, tool } from "@langchain/core/tools"
import type { JsonSchema7Type } from "@langchain/core/utils/json_schema"
import { interrupt, isGraphBubbleUp, type LangGraphRunnableConfig } from "@langchain/langgraph"
import * as RunName from "../checkpointer/runName.ts"
import * as CallId from "./callId.ts"
import * as GraphApproval from "./GraphApproval.ts"
import * as OutcomeMessage from "./outcomeMessage.ts"
import * as SharedRun from "./sharedRun.ts"

/** The description of a tool for a model. A tool of LangChain has all of it; its own function is not called. */
export type ToolDescription = Pick<StructuredToolInterface, "description" | "name" | "schema">

/** One call of a tool. */
interface Call {
  readonly backstitch: Backstitch.Backstitch
  readonly run: Run
  readonly tool: string
  readonly args: JsonObject
  /** The id of the call in the message of the model, if it is called by one. */
  readonly id: string | undefined
  /** The checkpoint from which the call was made. */
  readonly from: string | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Makes a tool that acts by its contract: the tool of that name in the pack of the store, carried out by the code that
 * the store was opened with.
 *
 * **Details**
 *
 * The run is that of the thread. A call that needs an approval interrupts the graph with an `ApprovalRequest`, and goes
 * on with the verdict with which the graph is resumed.
 */
export const contracted = (backstitch: Backstitch.Backstitch, shown: ToolDescription): StructuredToolInterface =>
  tool(
    async (args: unknown, config: LangGraphRunnableConfig & { readonly toolCallId?: string }) => {
      const id = config.toolCallId || undefined
      const message = (content: OutcomeMessage.Content) =>
        new ToolMessage({ ...content, name: shown.name, tool_call_id: id ?? shown.name })
      try {
        const became = await SharedRun.within(backstitch, runNameOf(config), (run) =>
          carriedOut({
            backstitch,
            run,
            tool: shown.name,
            args: args as JsonObject,
            id,
            from: CallId.checkpointOf(config),
            signal: config.signal
          })
        )
        return message(OutcomeMessage.ofOutcome(became))
      } catch (cause) {
        if (isGraphBubbleUp(cause) || config.signal?.aborted === true) throw cause
        if (!isBackstitchError(cause)) throw cause
        return message(OutcomeMessage.ofError(cause))
      }
    },
    { name: shown.name, description: shown.description, schema: shown.schema as JsonSchema7Type }
  )

const carriedOut = async (call: Call): Promise<OutcomeMessage.Became> => {
  const { args, from, run, signal, tool } = call
  const id = call.id ?? (await requestDigestOf(run, { tool, args })) ?? tool
  const name = CallId.make(id, from)
  // Two calls of a model are one act or two by their contract; one call that is repeated is always one.
  const callId = await callIdOf(run, { call: name, tool, args })
  let refused: string | undefined
  for (;;) {
    const outcome = await run.tool(tool, args, { callId, signal })
    if (outcome.status !== "parked") return outcome
    const asked = await approvalRequestOf(run, name)
    if (asked === undefined) return outcome
    const told = refused === undefined ? {} : { refused }
    const request = { ...asked, ...told, call: id, kind: "backstitch.approval" } as const
    const given: unknown = interrupt(request)
    if (!GraphApproval.isVerdict(given))
      return {
        status: "unfit",
        request,
        why: "The graph was resumed with something that is no verdict on this call",
        next: []
      }
    const refusal = await judged(call, { given, request })
    if (refusal !== undefined && given.call === id) return { status: "unfit", request, ...refusal }
    refused = refusal?.why
  }
}

/** The reason why a verdict does not count, and the steps that would help. */
type Refusal = Pick<OutcomeMessage.Unfit, "next" | "why">

/**
 * Commits a verdict if it is about what was asked; else says why not.
 *
 * Calls of one message wait side by side, and a graph hands verdicts out in the order in which they ask. So a verdict
 * about another call of the message is committed for that one, by the same rules, and this call asks again.
 */
const judged = async (
  { backstitch, from, run }: Call,
  { given, request }: { readonly given: GraphApproval.GraphDecision; readonly request: GraphApproval.ApprovalRequest }
): Promise<Refusal | undefined> => {
  const { by, call, digest, question, reason, review, role, verdict } = given
  const isOwn = call === request.call
  const asked = isOwn ? request : await approvalRequestOf(run, CallId.make(call, from))
  if (asked === undefined) return { why: "The verdict names a call that nobody was asked about here", next: [] }
  if (digest !== asked.digest)
    return { why: "The verdict is about other arguments than those that would be sent now", next: [] }
  if (review !== asked.review || question !== asked.question)
    return { why: "The verdict is about an earlier request, which was decided or has expired since", next: [] }
  // A graph that is resumed hands out its earlier verdicts again, also those that have been used.
  if (verdict === asked.verdict) return undefined
  const decide = verdict === "approved" ? backstitch.approve : backstitch.deny
  try {
    const { next, ok, why } = await decide(run.id, review, { by, role, reason, digest: question })
    return ok ? undefined : { why, next }
  } catch (cause) {
    if (isOwn || !isBackstitchError(cause)) throw cause
    return { why: cause.message, next: [] }
  }
}

const runNameOf = (config: LangGraphRunnableConfig): string => {
  const name: unknown = config.configurable?.["thread_id"]
  if (typeof name === "string" && name !== "") return RunName.runOf(name)
  throw new BackstitchError({
    code: "config_incomplete",
    message: 'The call belongs to no run: pass a thread, such as { configurable: { thread_id: "trip-42" } }'
  })
}
