/** Secrets of a provider: from the variables that its contract names, or from a file that replaces them. */
import { readFile } from "node:fs/promises"
import type * as Webhook from "@backstitch/contracts/Webhook"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as ConfigProvider from "effect/ConfigProvider"
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

/**
 * Gives the secrets to an effect that checks a delivery. Secrets from a file replace all variables that the contract
 * names.
 */
export const provide =
  (tool: string, webhook: Webhook.Webhook, secrets: ReadonlyArray<string>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Usage, R> => {
    const most = webhook.secrets.length
    if (secrets.length > most) {
      const problem = `The file has ${secrets.length} secrets, one a line, and the contract of ${tool} names ${most}`
      return Effect.fail(new Usage({ problem }))
    }
    const env =
      secrets.length === 0
        ? (process.env as Record<string, string>)
        : Object.fromEntries(secrets.map((secret, index) => [webhook.secrets[index] ?? "", secret]))
    return Effect.provideService(effect, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  }
