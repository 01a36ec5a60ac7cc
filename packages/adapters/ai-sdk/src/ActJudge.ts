/**
 * Judges by a model whether acts fit a revised goal, where their contracts do not decide.
 *
 * All acts are asked about at once. An act without an answer counts as in conflict, so a model that fails costs work
 * and never leaves a wrong effect in place.
 */
import * as ModelCall from "./ModelCall.ts"

/** The acts of a plan that no contract decides, the goal before and after the revision, and the words of the user. */
export interface Batch {
  readonly before: object
  readonly after: object
  readonly said: ReadonlyArray<string>
  readonly questions: ReadonlyArray<{ readonly action: string }>
}

/** Answers by act, and the tokens that they cost: the run folds them into what it has spent. */
export interface PricedAnswers {
  readonly answers: ReadonlyMap<string, "compatible" | "conflict">
  readonly tokens: number | undefined
}

/** Makes a judge, as a function of the batch of acts. */
export const make =
  (options: ModelCall.Options) =>
  async ({ after, before, questions, said }: Batch): Promise<PricedAnswers> => {
    const content = JSON.stringify({ before, after, said, acts: questions })
    const { calls, tokens } = await ModelCall.ask(options, {
      instructions,
      messages: [{ role: "user", content }],
      tools
    })
    const asked = new Set(questions.map(({ action }) => action))
    const answers = new Map<string, "compatible" | "conflict">()
    for (const { action, answer } of calls.flatMap(verdictsOf)) {
      // Two answers about one act are none.
      if (asked.has(action)) answers.set(action, (answers.get(action) ?? answer) === answer ? answer : "conflict")
    }
    return { answers, tokens }
  }

const instructions = [
  "The goal of an agent was revised after it had acted. Say of each act whether it still fits the goal as it is after",
  "the revision: compatible if it does, conflict if it does not or if you cannot tell. Call the tool judge_acts once."
].join(" ")

const verdict = {
  type: "object",
  properties: { action: { type: "string" }, answer: { type: "string", enum: ["compatible", "conflict"] } },
  required: ["action", "answer"]
} as const

const tools: ModelCall.ModelQuestion["tools"] = {
  judge_acts: {
    description: "Says of each act whether it fits",
    input: { type: "object", properties: { verdicts: { type: "array", items: verdict } }, required: ["verdicts"] }
  }
}

interface Verdict {
  readonly action: string
  readonly answer: "compatible" | "conflict"
}

const verdictsOf = ({ input }: ModelCall.Called): ReadonlyArray<Verdict> => {
  const { verdicts } = (typeof input === "object" ? (input ?? {}) : {}) as { readonly verdicts?: unknown }
  return Array.isArray(verdicts) ? verdicts.filter(isVerdict) : []
}

const isVerdict = (value: unknown): value is Verdict => {
  const { action, answer } = (typeof value === "object" ? (value ?? {}) : {}) as { readonly [field: string]: unknown }
  return typeof action === "string" && (answer === "compatible" || answer === "conflict")
}
