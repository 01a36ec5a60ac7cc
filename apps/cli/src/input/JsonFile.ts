/** Reads a file with one JSON document that a command was given. */
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as Branded from "@backstitch/trace/Branded"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import { Usage } from "../terminal/Failure.ts"

/** Reads the document within the limits in force; fails with the name of a file without one. */
export const read = Effect.fnUntraced(function* (file: string) {
  const limits = yield* SourceFile.Limits
  return yield* Effect.tryPromise({
    try: async (): Promise<unknown> => {
      const text = await SourceFile.text(file, limits)
      const problem = SourceFile.exceeded(file, { number: 0, text }, limits)
      if (problem !== undefined) throw problem
      return Canonical.parse(text)
    },
    catch: (cause) =>
      Branded.isError(cause, SourceFile.LimitExceeded)
        ? cause
        : isOfSystem(cause)
          ? FileProblem.unreadable(file, cause)
          : new Usage({ problem: `${file} cannot be read as JSON: ${FileProblem.say(cause)}` })
  })
})

const isOfSystem = (cause: unknown): boolean => cause instanceof Error && "syscall" in cause
