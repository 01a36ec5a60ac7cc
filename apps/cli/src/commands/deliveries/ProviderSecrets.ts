/** Reads the secrets of a provider from a file, which replaces the variables that its contract names. */
import { readFile } from "node:fs/promises"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as Effect from "effect/Effect"
import { Usage } from "../../terminal/Failure.ts"

/** Reads the secrets in a file, one per line; none if no file was given. */
export const read = (file: string | undefined): Effect.Effect<ReadonlyArray<string>, Usage> =>
  file === undefined
    ? Effect.succeed([])
    : Effect.tryPromise({
        try: async () => {
          const lines = (await readFile(file, "utf8")).split(/\r?\n/).filter((line) => line !== "")
          if (lines.length === 0) throw new Error("it is empty")
          return lines
        },
        catch: (cause) => new Usage({ problem: `The secret ${file} cannot be read: ${FileProblem.say(cause)}` })
      })
