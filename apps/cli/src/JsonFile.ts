/**
 * A file that a command is given and that holds one JSON document.
 *
 * @since 0.1.0
 */
import { readFile } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { Usage } from "./Failure.ts"
import * as FileProblem from "./FileProblem.ts"

/**
 * Reads the document, or says which file holds none.
 *
 * @category constructors
 * @since 0.1.0
 */
export const read = (file: string): Effect.Effect<unknown, Usage> =>
  Effect.tryPromise({
    try: async (): Promise<unknown> => JSON.parse(await readFile(file, "utf8")),
    catch: (cause) =>
      new Usage({
        problem: isMissing(cause)
          ? `There is no file ${file}`
          : `${file} cannot be read as JSON: ${FileProblem.say(cause)}`
      })
  })

const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT"
