/** Secrets of a provider that are given directly, in place of the variables that the contract of a tool names. */
import type * as Webhook from "@backstitch/contracts/Webhook"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Error for more secrets than the contract of a tool names. */
export class SecretsSurplus extends Schema.TaggedError<SecretsSurplus>("@backstitch/runtime/SecretsSurplus")(
  "SecretsSurplus",
  { tool: Schema.String, given: Schema.Natural, named: Schema.Natural }
) {
  override get message(): string {
    return `The contract of ${this.tool} names ${this.named} secrets, and ${this.given} were given. Give as many, in its order`
  }
}

/** A tool, with the secrets that the webhook of its contract names. */
export interface Hooked {
  readonly tool: string
  readonly webhook: Pick<Webhook.Webhook, "secrets">
}

/**
 * Gives secrets to an effect that checks a delivery, in the order of the variables that the contract names; then
 * nothing is read from the environment. Without any, the effect reads what it is configured to.
 */
export const provide =
  ({ tool, webhook }: Hooked, secrets: ReadonlyArray<string>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SecretsSurplus, R> => {
    const named = webhook.secrets.length
    if (secrets.length > named) return Effect.fail(new SecretsSurplus({ tool, given: secrets.length, named }))
    if (secrets.length === 0) return effect
    const env = Object.fromEntries(secrets.map((secret, index) => [webhook.secrets[index] ?? "", secret]))
    return Effect.provideService(effect, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  }
