/**
 * Solutions with one fault each: a line has the calls that were made, their answers, and the calls that should have
 * been made.
 *
 * It shows how to read a custom format: a value with a name, a framing and a function.
 */
import * as Chat from "@backstitch/importers/Chat"
import type { Format } from "@backstitch/importers/Format"
import type * as Solution from "@backstitch/importers/Solution"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** One line. */
export interface Fault {
  readonly id: string
  readonly steps: ReadonlyArray<{
    readonly name: string
    readonly arguments: Schema.JsonObject
    readonly output: string
  }>
  readonly expectedMutations: ReadonlyArray<Solution.Action>
  readonly label?: { readonly pointOfNoReturn: number | null }
}

/** Reads a line. */
export const read = (line: string): Fault => JSON.parse(line) as Fault

/** The format, for `Import`. Message `2 n` is the call of step `n`, the next one its answer. */
export const format: Format = {
  name: "retail-faults",
  framing: "line",
  parse: (line) => {
    const { id, steps } = read(line)
    const builder = new Chat.Builder()
    for (const [index, step] of steps.entries()) {
      builder.message().called({ id: `step-${index}`, tool: step.name, args: step.arguments })
      builder.message().answered(`step-${index}`, step.output)
    }
    return Result.succeed([builder.done({ task: id })])
  }
}
