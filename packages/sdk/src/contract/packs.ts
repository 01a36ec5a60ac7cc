/** Packs of this package: from files or objects, and the tools in code that belong to them. */
import type * as Definition from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { BackstitchError } from "../failures/Failures.ts"
import { ownError } from "../failures/foreignErrors.ts"
import * as BoundTools from "./boundTools.ts"
import * as PromisedQuestions from "./promisedQuestions.ts"
import type { StandardSchema } from "./StandardSchema.ts"
import type { Tool } from "./Tool.ts"
import type { PackDefinition } from "./ToolContract.ts"

/** Loads a pack. The reader of YAML is loaded only for a file. */
export const load = async (given: string | PackDefinition | undefined): Promise<TaskPack.TaskPack | undefined> => {
  if (given === undefined) return undefined
  if (typeof given === "string") {
    const PackFile = await import("@backstitch/runtime/PackFile")
    return await Effect.runPromise(PackFile.load(given)).catch((cause: unknown) => {
      throw ownError(cause)
    })
  }
  const made = TaskPack.make(given as Definition.Definition, { file: `the pack ${given.pack}` })
  if (Result.isFailure(made)) throw ownError(made.failure)
  return made.success
}

/** Binds tools to the names of a pack. */
export const bind = (
  pack: TaskPack.TaskPack | undefined,
  tools: Readonly<Record<string, Tool | Tool["execute"]>>
): {
  readonly executor: ToolExecutor.ToolExecutor["Service"]
  readonly schemas: Readonly<Record<string, StandardSchema>>
  /** The identities of before that tools give up. */
  readonly identitiesBefore: Readonly<Record<string, string>>
} => {
  const known = Object.keys(pack?.tools ?? {})
  const strange = pack === undefined ? [] : Object.keys(tools).filter((name) => !known.includes(name))
  if (strange.length > 0) {
    const message =
      `The pack ${pack?.id} has no tool ${strange.join(", ")}. It has ${known.join(", ") || "none"}. ` +
      "Correct the name, or add a contract for it"
    throw new BackstitchError({ code: "tool_unknown", message })
  }
  const whole = Object.entries(tools).map(
    ([name, tool]) => [name, typeof tool === "function" ? { execute: tool } : tool] as const
  )
  for (const [name, { readback, status }] of whole) {
    const contract = pack?.tools[name]
    const promised = { status: contract?.status === "by_key", readback: contract?.readback !== undefined }
    PromisedQuestions.demand(name, promised, { status: status !== undefined, readback: readback !== undefined })
  }
  const schemas = whole.flatMap(([name, { input }]) => (input === undefined ? [] : [[name, input] as const]))
  const before = whole.flatMap(([name, { identityBefore }]) =>
    identityBefore === undefined ? [] : [[name, identityBefore] as const]
  )
  return {
    executor: BoundTools.executor(Object.fromEntries(whole)),
    schemas: Object.fromEntries(schemas),
    identitiesBefore: Object.fromEntries(before)
  }
}
