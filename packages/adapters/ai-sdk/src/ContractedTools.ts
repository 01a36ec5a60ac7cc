/**
 * Tools of the AI SDK as tools by contract: one alone, or all those of an agent for a store with a pack.
 *
 * The function of a tool is called as the AI SDK calls it, with one difference. Its `toolCallId` is the key of the act:
 * the same after a crash, and for whoever calls it again. Send it to a provider as the idempotency key.
 */
import {
  type CallQuestion,
  type Tool as ContractedTool,
  type Guarded,
  guarded,
  type JsonObject,
  type Question,
  type GuardOptions as SdkGuardOptions,
  type ToolContext
} from "@backstitch/sdk"
import { asSchema, type Tool, type ToolSet } from "ai"
import { type OutcomeTool, type ToolOutcome, unavailable, withOutcome } from "./RunTools.ts"

/** The contract of a tool, the store, and how the provider is asked about a call. */
export type GuardOptions = SdkGuardOptions<never>

/**
 * Questions to a provider about a call, the errors of a tool that are refusals for good, and the identity of before
 * that the owner of the tool gives up.
 */
export interface Questions {
  readonly status?: CallQuestion<never> | undefined
  readonly readback?: CallQuestion<never> | undefined
  readonly sources?: Readonly<Record<string, Question<never>>> | undefined
  readonly refuses?: ((error: unknown) => boolean) | undefined
  readonly identityBefore?: string | undefined
}

/**
 * Guards one tool of the AI SDK, so that each act is done once. Its result is the outcome of the call, which a model
 * can read, and is never thrown. The arguments are those of its `inputSchema`, unless the contract names others.
 */
export const guardedTool = <Given extends Tool>(
  name: string,
  given: Given,
  options: GuardOptions
): OutcomeTool<Given> => {
  let guard: Promise<Guarded<JsonObject, unknown>> | undefined
  const made = async () => {
    const input = options.contract.input ?? ((await asSchema(given.inputSchema).jsonSchema) as Record<string, unknown>)
    const { description } = given
    const told = typeof description === "string" ? { description } : {}
    const contract = { ...told, ...options.contract, tool: name, input }
    return guarded(functionOf(given) as never, { ...options, contract }) as Guarded<JsonObject, unknown>
  }
  const execute = async (
    input: unknown,
    { abortSignal }: { readonly abortSignal?: AbortSignal | undefined }
  ): Promise<ToolOutcome> => {
    guard ??= made()
    try {
      const { outcome } = await guard
      return await outcome(input as JsonObject, { signal: abortSignal })
    } catch (cause) {
      return unavailable(cause, abortSignal)
    }
  }
  return withOutcome(given, execute)
}

/** The tools of an agent for `Backstitch.open`, with the questions that their contracts promise. */
export const contractedTools = (
  tools: ToolSet,
  questions: Readonly<Record<string, Questions>> = {}
): Readonly<Record<string, ContractedTool>> =>
  Object.fromEntries(
    Object.entries(tools).map(([name, each]) => {
      const own = Object.hasOwn(questions, name) ? questions[name] : undefined
      return [name, { execute: functionOf(each), ...own } as ContractedTool]
    })
  )

/** The part of a tool that is carried out. */
interface Executable {
  readonly execute?: ((args: never, options: never) => unknown) | undefined
}

/** The function of a tool. Of one that answers in parts, the last part is its answer. */
const functionOf =
  ({ execute }: Executable) =>
  async (args: unknown, { action, key, signal }: ToolContext): Promise<unknown> => {
    if (execute === undefined) throw new Error("The tool has no function that could be called")
    const options = { toolCallId: key === "" ? action : key, messages: [], abortSignal: signal, context: undefined }
    const answer: unknown = await execute(args as never, options as never)
    if (typeof answer !== "object" || answer === null || !(Symbol.asyncIterator in answer)) return answer
    let last: unknown
    for await (const part of answer as AsyncIterable<unknown>) last = part
    return last
  }
