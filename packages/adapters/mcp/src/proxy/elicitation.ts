/**
 * Asks the person at a client to approve a call, with the exact arguments that the approval will be bound to.
 *
 * @source MCP, 2025-11-25, "Elicitation"
 */
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Limits from "../Limits.ts"
import { isObject } from "../message/JsonRpc.ts"

/** The call that a person is asked about. */
export interface ElicitedCall {
  readonly tool: string
  readonly args: JsonObject
  readonly run: string
  readonly review: string
  readonly why: string
}

/** The parameters of the question; `undefined` if nobody could look through the arguments. */
export const question = ({ args, review, run, tool, why }: ElicitedCall): JsonObject | undefined => {
  const written = JSON.stringify(args, undefined, 2)
  const { argumentsCharactersMax } = Limits.showing
  if (written.length > argumentsCharactersMax) return undefined
  return {
    message: `${why}\n\n${tool}\n${written}\n\nThe approval counts for exactly these arguments, once (run ${run}, review ${review}).`,
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          description: `May ${tool} be called with these arguments?`,
          enum: ["approve", "deny"]
        },
        reason: { type: "string", title: "Reason", description: "Kept with the decision" }
      },
      required: ["decision"]
    }
  }
}

/**
 * Names a question by its digest, where questions and answers are named: a review keeps its name when its call is asked
 * about again, and an answer that a client sends once more is about the earlier question.
 */
export const nameOf = (digest: string): string => `${prefix}${digest}`

const prefix = "backstitch-"

/** The result that asks a question, in versions without sessions. The client calls again with the answer. */
export const asking = (digest: string, params: JsonObject): JsonObject => ({
  resultType: "input_required",
  inputRequests: { [nameOf(digest)]: { method: "elicitation/create", params } }
})

/** The answer to a question, by its digest, among the parameters of a call. */
export const answerIn = ({ inputResponses: given }: JsonObject, digest: string): JsonObject | undefined => {
  const answer = isObject(given) ? given[nameOf(digest)] : undefined
  return isObject(answer) ? answer : undefined
}

/** The parameters of a call without answers to questions of the proxy, of which the server knows nothing. */
export const withoutAnswers = ({ inputResponses: given, ...params }: JsonObject): JsonObject => {
  if (!isObject(given)) return given === undefined ? params : { ...params, inputResponses: given }
  const rest = Object.entries(given).filter(([name]) => !name.startsWith(prefix))
  return rest.length === 0 ? params : { ...params, inputResponses: Object.fromEntries(rest) }
}

/** A decision, with the person's reason. */
export interface ElicitedDecision {
  readonly verdict: "approved" | "denied"
  readonly reason: string | undefined
}

/** Reads the answer. A question that was closed without an answer decides nothing. */
export const decisionOf = (answer: JsonObject | undefined): ElicitedDecision | undefined => {
  const { action, content } = answer ?? {}
  const { decision, reason } = isObject(content) ? content : {}
  const why = typeof reason === "string" && reason.trim() !== "" ? reason : undefined
  if (action === "decline") return { verdict: "denied", reason: why }
  if (action !== "accept") return undefined
  if (decision === "approve") return { verdict: "approved", reason: why }
  return decision === "deny" ? { verdict: "denied", reason: why } : undefined
}
