/** A predicate on the command line: an expression, or the file of a function. */
import { readFileSync } from "node:fs"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Usage } from "../../terminal/Failure.ts"

/** Reads the condition of a predicate, from exactly one of the two. */
export const read = (given: {
  readonly when: string | undefined
  readonly function: string | undefined
}): Effect.Effect<string | { readonly function: string }, FileProblem.FileUnreadable | Usage> => {
  const { function: file, when } = given
  if ((when === undefined) === (file === undefined)) {
    return Effect.fail(new Usage({ problem: "Say what is violated: an expression, or --function with a file" }))
  }
  if (when !== undefined) return Effect.succeed(when)
  const source = Result.try(() => readFileSync(file!, "utf8"))
  if (Result.isFailure(source)) return Effect.fail(FileProblem.unreadable(file!, source.failure))
  const found = PackFile.functionSource(source.success)
  return Result.isSuccess(found)
    ? Effect.succeed({ function: found.success })
    : Effect.fail(new Usage({ problem: `${file} is a module ${found.failure}` }))
}
