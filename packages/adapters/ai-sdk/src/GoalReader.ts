/**
 * Turns the words of a user into changes of the goal, by a model.
 *
 * The model chooses among the forms of a change and names clauses. Whether the changes fit the contract is decided
 * where the revision is injected.
 */
import type { Json, RevisionChange } from "@backstitch/sdk"
import type { Clause } from "@backstitch/sdk/adapter"
import * as ModelCall from "./ModelCall.ts"
import * as ModelFailed from "./ModelFailed.ts"

/** Changes that were read from words, and the tokens that it cost: the run folds them into what it has spent. */
export interface ReadChanges {
  readonly changes: ReadonlyArray<RevisionChange>
  readonly tokens: number | undefined
}

/** Makes a reader for `revise` of an agent. */
export const make =
  (options: ModelCall.Options) =>
  async (words: string, specification: ReadonlyArray<Clause>): Promise<ReadChanges> => {
    const clauses = specification.map((clause) => JSON.stringify(clause)).join("\n")
    const content = `The clauses of the goal, the most important one first:\n${clauses}\n\nThe user says: ${words}`
    const { calls, text, tokens } = await ModelCall.ask(options, {
      instructions,
      messages: [{ role: "user", content }],
      tools
    })
    const changes = calls.map(changeOf)
    const unread = changes.indexOf(undefined)
    if (changes.length > 0 && unread < 0) return { changes: changes.filter((change) => change !== undefined), tokens }
    const said = text === "" ? "it said nothing" : `it said: ${text}`
    const detail = changes.length === 0 ? `read no change of the goal in these words; ${said}` : wrong(calls[unread])
    throw new ModelFailed.ModelFailed({ model: ModelFailed.nameOf(options.model), kind: "unread", detail })
  }

const wrong = (call: ModelCall.Called | undefined): string =>
  `gave a change that cannot be read: ${call?.name} ${JSON.stringify(call?.input)}`

const instructions = [
  "The user changes a goal that an agent works on. Call a tool for each change that the user asks for, and for nothing",
  "else. Keep to the clauses that are there: set a value where one fits, and add a clause only if none does.",
  "Call no tool if the words ask for no change."
].join(" ")

const name = { type: "string", description: "The name of the clause" } as const

const object = (properties: object): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false
})

const tools: ModelCall.ModelQuestion["tools"] = {
  set_clause: { description: "Gives a clause another value", input: object({ clause: name, value: {} }) },
  add_clause: {
    description: "Adds a clause with a condition over the state, written as the other conditions are",
    input: object({ clause: name, holds: { type: "string" } })
  },
  withdraw_clause: { description: "Withdraws a clause", input: object({ clause: name }) },
  prioritise_clauses: {
    description: "Puts clauses first, the most important one before the others",
    input: object({ clauses: { type: "array", items: { type: "string" } } })
  }
}

/** Reads one call as a change; `undefined` if it is none. */
const changeOf = ({ input, name: called }: ModelCall.Called): RevisionChange | undefined => {
  if (typeof input !== "object" || input === null) return undefined
  const { clause, clauses, holds, value } = input as { readonly [field: string]: unknown }
  if (called === "prioritise_clauses") {
    const isNamed = Array.isArray(clauses) && clauses.every((each) => typeof each === "string")
    return isNamed ? { change: "prioritise", clauses } : undefined
  }
  if (typeof clause !== "string") return undefined
  if (called === "set_clause" && value !== undefined) return { change: "set", clause, value: value as Json }
  if (called === "add_clause" && typeof holds === "string") return { change: "add", clause, holds }
  return called === "withdraw_clause" ? { change: "withdraw", clause } : undefined
}
