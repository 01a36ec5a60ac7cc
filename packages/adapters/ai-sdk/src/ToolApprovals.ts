/**
 * The approval flow of the AI SDK, bound to the record.
 *
 * The AI SDK rebuilds an approval from messages that a client sends. The record has what a person was asked about: a
 * call, its tool and the digest of its arguments. A yes counts once, for exactly that, and for nobody's second call.
 * The reason of a request names its question, so an old yes does not renew an approval that has expired since.
 *
 * | | |
 * | --- | --- |
 * | `toolApproval` | asks a person where the pack does, and denies a call that nobody was asked about in this form |
 * | `decideApprovals` | commits what people said, before the messages are handed to the AI SDK again |
 */
import type { Backstitch, JsonObject, Run } from "@backstitch/sdk"
import { type ApprovalRequest, approvalRequestOf, approversOf, requestDigestOf } from "@backstitch/sdk/adapter"
import type { ModelMessage } from "ai"
import * as RunTools from "./RunTools.ts"

/** A call whose approval the AI SDK considers. */
export interface Considered {
  readonly messages: ReadonlyArray<ModelMessage>
  readonly toolCall: { readonly input: unknown; readonly toolCallId: string; readonly toolName: string }
}

/** The status of a call that may not be carried out now; without one, its tool is executed. */
export interface NeededApproval {
  readonly type: "denied" | "user-approval"
  readonly reason: string
}

/** The person who decides, and in which role: from the session of the user, never from the messages. */
export interface Approver {
  readonly by: string
  readonly role?: string | undefined
}

/** The effect of an answer to an approval request. `refused` means that it does not count; `why` says the reason. */
export interface ApprovalDecision {
  readonly toolCallId: string
  readonly tool: string
  readonly status: "approved" | "denied" | "refused"
  readonly why: string
}

/**
 * Asks for approval where the pack does, for `toolApproval` of the AI SDK.
 *
 * **Details**
 *
 * The call is proposed to find out. Where it needs nobody, it is carried out at once, and the tool has its outcome.
 */
export const toolApproval =
  (run: Run) =>
  async ({ messages, toolCall }: Considered): Promise<NeededApproval | undefined> => {
    const { input, toolCallId, toolName: tool } = toolCall
    if ((await approversOf(run, tool)) === undefined) return undefined
    const call = { toolCallId, tool, args: input as JsonObject }
    if (answersIn(messages).some((answer) => answer.toolCallId === toolCallId)) {
      const request = await fitting(run, call)
      return typeof request === "string" ? { type: "denied", reason: request } : undefined
    }
    const outcome = await RunTools.ahead(run, call)
    if (outcome.status !== "parked") return undefined
    const request = await approvalRequestOf(run, toolCallId)
    const named = request === undefined ? "" : ` ${nameOf(request)}`
    return { type: "user-approval", reason: `${outcome.why}${named}` }
  }

/**
 * Commits the answers of the last message to what the record asked: a yes or a no to exactly those arguments. The
 * approval's own signature is kept with the decision.
 */
export const decideApprovals = async (
  at: { readonly backstitch: Backstitch.Backstitch; readonly run: Run },
  messages: ReadonlyArray<ModelMessage>,
  { by, role }: Approver
): Promise<ReadonlyArray<ApprovalDecision>> => {
  const { backstitch, run } = at
  const decided: Array<ApprovalDecision> = []
  for (const answer of answersIn(messages)) {
    const { approvalId, approved, args, asked, reason, signature, tool, toolCallId } = answer
    const about = { toolCallId, tool }
    const request = await fitting(run, { ...about, args })
    if (typeof request === "string") {
      decided.push({ ...about, status: "refused", why: request })
      continue
    }
    if (asked?.endsWith(nameOf(request)) !== true) {
      decided.push({ ...about, status: "refused", why: "The answer is about an earlier request: ask again" })
      continue
    }
    const signed = signature === undefined ? "" : `, signature ${signature}`
    const words = `${reason === undefined ? "" : `${reason} `}(approval ${approvalId}${signed})`
    const decide = approved ? backstitch.approve : backstitch.deny
    const decision = await decide(run.id, request.review, { by, role, reason: words, digest: request.question })
    const status = approved ? "approved" : "denied"
    decided.push({ ...about, status: decision.ok ? status : "refused", why: decision.why })
  }
  return decided
}

/** Names the question of a request in words that its approver sees and a client hands back. */
const nameOf = ({ question }: ApprovalRequest): string => `(question ${question.slice(0, 12)})`

/** Finds the request on record that an approval of a call is about, or tells why there is none. */
const fitting = async (
  run: Run,
  { args, tool, toolCallId }: RunTools.ModelToolCall
): Promise<ApprovalRequest | string> => {
  const request = await approvalRequestOf(run, toolCallId)
  if (request === undefined) return "Nobody was asked to approve this call"
  return request.digest === (await requestDigestOf(run, { tool, args }))
    ? request
    : "The tool or its arguments were changed after the approval was asked for: ask again"
}

/** An answer to an approval request, with the call that the messages say it is about. */
interface Answer {
  readonly approvalId: string
  readonly approved: boolean
  /** The words of the request that is answered. */
  readonly asked: string | undefined
  readonly reason: string | undefined
  readonly signature: string | undefined
  readonly toolCallId: string
  readonly tool: string
  readonly args: JsonObject
}

interface Part {
  readonly type: string
  readonly approvalId?: string
  readonly approved?: boolean
  readonly input?: unknown
  readonly reason?: string
  readonly signature?: string
  readonly toolCallId?: string
  readonly toolName?: string
}

/** The answers in the last message, as the AI SDK collects them: the first one of each call counts. */
const answersIn = (messages: ReadonlyArray<ModelMessage>): ReadonlyArray<Answer> => {
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : (content as ReadonlyArray<Part>)))
  const last = messages.at(-1)
  const given = last?.role === "tool" ? (last.content as ReadonlyArray<Part>) : []
  const answers = new Map<string, Answer>()
  for (const { approvalId, approved, reason, type } of given) {
    if (type !== "tool-approval-response" || approvalId === undefined) continue
    const request = parts.findLast((part) => part.type === "tool-approval-request" && part.approvalId === approvalId)
    const call = parts.findLast((part) => part.type === "tool-call" && part.toolCallId === request?.toolCallId)
    const { input, toolCallId, toolName } = call ?? {}
    if (toolCallId === undefined || toolName === undefined || answers.has(toolCallId)) continue
    const { reason: asked, signature } = request ?? {}
    const args = (input ?? {}) as JsonObject
    answers.set(toolCallId, {
      approvalId,
      approved: approved === true,
      asked,
      reason,
      signature,
      toolCallId,
      tool: toolName,
      args
    })
  }
  return [...answers.values()]
}
