/** Tools of this package as tools of the runtime. */
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Question, Tool, ToolContext } from "./Tool.ts"
import { ToolRefused } from "./Tool.ts"

type Executed = ReturnType<ToolExecutor.Tool["execute"]>
type Asked = ReturnType<NonNullable<ToolExecutor.Tool["status"]>>

/** Binds a tool. */
export const bound = (tool: Tool): ToolExecutor.Tool => {
  const { execute, readback, refuses = () => false, sources, status } = tool
  return {
    execute: async (params: never, context) => {
      try {
        return (await execute(params, contextOf(context))) as Awaited<Executed>
      } catch (cause) {
        if (!isRefusal(refuses, cause)) throw cause
        throw new ToolRefused(cause instanceof Error ? cause.message : String(cause))
      }
    },
    ...(status === undefined ? {} : { status: asking(status, "status") }),
    ...(readback === undefined ? {} : { readback: asking(readback, "readback") }),
    ...(sources === undefined
      ? {}
      : { sources: Object.fromEntries(Object.entries(sources).map(([name, each]) => [name, asking(each)])) })
  }
}

/**
 * Tells whether an error is a refusal for good. A question that fails, or answers anything but `true`, such as a
 * promise, says nothing.
 */
const isRefusal = (refuses: NonNullable<Tool["refuses"]>, cause: unknown): boolean => {
  try {
    return refuses(cause) === true
  } catch {
    return false
  }
}

/** An executor of tools by their names. */
export const executor = (tools: Readonly<Record<string, Tool>>): ToolExecutor.ToolExecutor["Service"] =>
  ToolExecutor.fromTools(Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, bound(tool)])))

/**
 * A question to a record. Clients that answer `null` for what they do not find mean "not found". A `readback` or a
 * `status` that is answered with an empty value counts as not answered.
 */
const asking =
  (question: Question<never>, name?: "readback" | "status") =>
  async (context: ToolExecutor.ToolContext, params: never): Promise<Awaited<Asked>> => {
    const found = (await question(params, contextOf(context))) ?? undefined
    if (name === undefined || !isEmpty(found)) return found as Awaited<Asked>
    throw new Error(`${name} answered ${JSON.stringify(found)}: answer undefined, or null, where there is nothing`)
  }

const isEmpty = (found: unknown): boolean =>
  found === false || found === "" || (Array.isArray(found) && found.length === 0)

const contextOf = ({ key = "", ...context }: ToolExecutor.ToolContext): ToolContext => ({ key, ...context })
