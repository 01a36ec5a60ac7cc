/**
 * A planner that asks a model of the AI SDK.
 *
 * The model is shown the record, and offered the tools of the contract. Each call that it makes is proposed, one after
 * the other, and the kernel decides. Its calls are never carried out here: the AI SDK runs no tool, and so repeats
 * none.
 *
 * | the model answers | the planner proposes |
 * | --- | --- |
 * | calls of tools | the first one; the next one after a success, otherwise the model is asked again |
 * | a call of `complete_goal` | `goal.complete`, with the model's words as the message |
 * | words alone | `message.sent`, which reports each verified act as a success; then it is done |
 * | arguments that are no JSON | the call as it is, which the kernel refuses |
 * | a tool that nobody offered, or nothing | `anomaly.flag` |
 *
 * Each proposal carries the tokens that it cost.
 */
import type { JsonObject } from "@backstitch/sdk"
import { type BriefedAction, type Briefing, briefingOfView, message, type Proposed } from "@backstitch/sdk/adapter"
import * as Limits from "./Limits.ts"
import * as ModelCall from "./ModelCall.ts"
import * as ModelFailed from "./ModelFailed.ts"
import * as RunMessages from "./RunMessages.ts"
import * as ToolNames from "./ToolNames.ts"

/** The model, how it is asked, and instructions for the task, after those of this package. */
export interface Options extends ModelCall.Options {
  readonly instructions?: string | undefined
}

/** The tool by which a model declares the goal reached. */
const completion = "complete_goal"

const instructions = [
  "You work on a goal by calling tools.",
  "Every call is a proposal: it is checked against a contract and carried out, and its result is read back from the",
  'system of record. Believe only results with "success": true. A status of "unknown" or "open" means that nobody knows',
  "yet whether it was done: do not repeat the call, the record settles it. A refusal tells what would make the call pass.",
  "Do not call the same tool with the same arguments twice.",
  `When the goal is reached, call ${completion} with a short message to the user.`,
  "If it cannot be reached, say so in words and call no tool."
].join(" ")

/** Makes a planner for `next` of an agent, or for `Planner.layerFrom`. */
export const make = (options: Options): ((view: object) => Promise<Proposed | undefined>) => {
  const rest: Array<Proposed> = []
  let note: string | undefined
  let unusable = 0
  let fruitless = 0
  let isTold = false

  const giveUp = (kind: ModelFailed.FailureKind, detail: string): ModelFailed.ModelFailed =>
    new ModelFailed.ModelFailed({ model: ModelFailed.nameOf(options.model), kind, detail })

  const asked = async (briefing: Briefing): Promise<Proposed | undefined> => {
    const names = ToolNames.of([completion, ...[...briefing.tools, ...briefing.records].map(({ name }) => name)])
    const answer = await ModelCall.ask(options, {
      instructions: [instructions, options.instructions ?? ""].join("\n\n").trim(),
      messages: RunMessages.of(briefing, names, note),
      tools: offeredOf(briefing, names)
    })
    const { proposals, unused } = read(answer, names, briefing)
    unusable = unused === undefined ? 0 : unusable + 1
    if (unusable >= Limits.refusing.unusableAnswersMax) {
      throw giveUp("unusable", `gave ${unusable} answers in a row that propose nothing; the last one ${unused}`)
    }
    note = unused === undefined ? undefined : `Your last answer was not usable: it ${unused}.`
    const [first, ...more] = proposals
    rest.push(...more)
    isTold = first?.type === "message.sent"
    return first === undefined ? undefined : costed(first, answer.tokens)
  }

  return async (view) => {
    const briefing = briefingOfView(view)
    const { goal, last } = briefing
    const isFine = last?.success === true
    const waiting = isFine ? rest.shift() : undefined
    if (waiting !== undefined) return waiting
    rest.length = 0
    if (goal.isReached || (isTold && isFine)) return undefined
    fruitless = last === undefined || isFine ? 0 : fruitless + 1
    if (fruitless >= Limits.refusing.fruitlessProposalsMax || isSpent(last)) {
      throw giveUp("fruitless", `proposed what came to nothing, ${last?.says ?? "time after time"}`)
    }
    return asked(briefing)
  }
}

/** Budgets on which every proposal draws. */
const shared: ReadonlySet<string> = new Set(["anomalies", "elapsed", "refusals", "steps", "tokens"])

/** Tells whether a budget is used up on which every proposal draws. To ask on would only cost more. */
const isSpent = (last: Briefing["last"]): boolean => last?.exceeded?.some((budget) => shared.has(budget)) === true

const costed = (proposal: Proposed, tokens: number | undefined): Proposed =>
  tokens === undefined ? proposal : { ...proposal, tokens }

/** The tools that the model is offered: those of the contract, what it may record, and the end. */
const offeredOf = ({ records, tools }: Briefing, names: ToolNames.ToolNames): ModelCall.ModelQuestion["tools"] => ({
  ...Object.fromEntries(
    [...tools, ...records].map(({ description = "", input, name }) => [
      names.offered(name),
      { description: description === "" ? `Records a ${name}` : description, input }
    ])
  ),
  [completion]: {
    description: "Declares the goal reached",
    input: {
      type: "object",
      properties: { message: { type: "string", description: "The words for the user" } },
      required: ["message"]
    }
  }
})

/** Reads what an answer proposes. `unused` says why nothing of it can be carried out. */
const read = (
  { calls, finish, text }: ModelCall.Answered,
  names: ToolNames.ToolNames,
  briefing: Briefing
): { readonly proposals: ReadonlyArray<Proposed>; readonly unused?: string } => {
  const flagged = (data: JsonObject, unused: string) => ({
    proposals: [{ type: "anomaly.flag", data } satisfies Proposed],
    unused
  })
  const said = text.trim().slice(0, Limits.showing.saidCharactersMax)
  const proposals: Array<Proposed> = []
  for (const call of calls) {
    const name = names.meant(call.name)
    // Calls before an unusable one are proposed; those after it are not, since they may build on it.
    if (name === undefined || !call.isOffered) {
      if (proposals.length > 0) break
      return flagged(
        { kind: "model.invented_tool", tool: call.name },
        `called a tool that does not exist: ${call.name}`
      )
    }
    if (call.isMalformed) {
      if (proposals.length > 0) break
      const params = String(call.input).slice(0, Limits.showing.malformedCharactersMax)
      const unused = `called ${call.name} with arguments that are no JSON`
      return name === completion
        ? flagged({ kind: "model.malformed_call", tool: call.name, params }, unused)
        : { proposals: [{ tool: name, params }], unused }
    }
    proposals.push(proposalOf(name, call.input as JsonObject, briefing))
  }
  const [first, ...more] = proposals
  if (first !== undefined) return { proposals: [said === "" ? first : { ...first, description: said }, ...more] }
  if (finish === "length") return flagged({ kind: "model.truncated" }, "was cut off at the limit of its length")
  if (said === "") return flagged({ kind: "model.empty", finish }, "had neither words nor a call")
  return { proposals: [message(text.trim(), successes(briefing))] }
}

const proposalOf = (name: string, input: JsonObject, briefing: Briefing): Proposed => {
  if (name === completion) {
    const { content, ...rest } = message(String(input["message"] ?? ""), successes(briefing)).data ?? {}
    return { type: "goal.complete", data: { ...rest, message: content ?? "" } }
  }
  return briefing.records.some((record) => record.name === name)
    ? { type: name, data: input }
    : { tool: name, params: input }
}

const successes = ({ actions }: Briefing): ReadonlyArray<BriefedAction> => actions.filter(({ success }) => success)
