/** Reads where to serve, and what, from the environment and the arguments. Nothing has to be set. */
import * as RuntimeLimits from "@backstitch/runtime/Limits"
import * as StorePlace from "@backstitch/sql/StorePlace"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Limits from "./Limits.ts"
import type { Settings } from "./Server.ts"

/** The address of a server of which nothing is configured: this machine alone can reach it. */
const loopback = "127.0.0.1"

/** The port, unless another is set. */
const standardPort = 4747

/** Error for a variable of the environment that cannot be read. */
export class SettingInvalid extends Schema.TaggedError<SettingInvalid>("@backstitch/server/SettingInvalid")(
  "SettingInvalid",
  { variable: Schema.String, found: Schema.String, expected: Schema.String }
) {
  override get message(): string {
    return `${this.variable} is "${this.found}". Set it to ${this.expected}`
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings. A Postgres database in `DATABASE_URL` comes before a store in `BACKSTITCH_STORE`. */
export const of = Effect.fnUntraced(function* (variables: Environment, words: ReadonlyArray<string>) {
  const environment = { ...variables, ...(yield* ofArguments(words)) }
  const store = named(environment, "DATABASE_URL") ?? named(environment, "BACKSTITCH_STORE") ?? ".backstitch/trace.db"
  const settings: Settings = {
    store,
    host: named(environment, "BACKSTITCH_HOST") ?? loopback,
    port: yield* portOf(named(environment, "PORT")),
    secrets: {
      secret: named(environment, "BACKSTITCH_SECRET") ?? "",
      sealingKey: named(environment, "BACKSTITCH_SEALING_KEY") ?? ""
    },
    identity: yield* identityOf(environment),
    agents: yield* agentsOf(named(environment, "BACKSTITCH_AGENTS")),
    cluster: yield* clusterOf(named(environment, "BACKSTITCH_CLUSTER"), store),
    webhooks: yield* webhooksOf(named(environment, "BACKSTITCH_WEBHOOKS")),
    requestsPerSecond: yield* rateOf(named(environment, "BACKSTITCH_RATE")),
    proxies: yield* proxiesOf(named(environment, "BACKSTITCH_PROXIES")),
    workers: yield* workersOf(named(environment, "BACKSTITCH_WORKERS")),
    environment,
    metricsKey: named(environment, "BACKSTITCH_METRICS_KEY"),
    answerKeptMillis: yield* keptOf(named(environment, "BACKSTITCH_ANSWER_HOURS"))
  }
  return settings
})

/** Reads `--cluster HOST:PORT`, which says the same as `BACKSTITCH_CLUSTER`. */
const ofArguments = (words: ReadonlyArray<string>) => {
  const [flag, address, ...others] = words
  if (flag === undefined) return Effect.succeed({})
  return flag === "--cluster" && address !== undefined && others.length === 0
    ? Effect.succeed({ BACKSTITCH_CLUSTER: address })
    : Effect.fail(invalid("The command", words.join(" "), "--cluster HOST:PORT, or to nothing"))
}

const named = (environment: Environment, name: string): string | undefined => {
  const value = environment[name]?.trim()
  return value === "" ? undefined : value
}

const invalid = (variable: string, found: string, expected: string) => new SettingInvalid({ variable, found, expected })

/** A token is for one audience: without it, a token for another program would be recognised. */
const identityOf = Effect.fnUntraced(function* (environment: Environment) {
  const [issuer, audience] = [named(environment, "OIDC_ISSUER"), named(environment, "OIDC_AUDIENCE")]
  if (issuer === undefined) return undefined
  if (!URL.canParse(issuer)) return yield* invalid("OIDC_ISSUER", issuer, "the address of the identity provider")
  if (audience === undefined) return yield* invalid("OIDC_AUDIENCE", "", "the audience of tokens for this server")
  return { issuer, audience }
})

/** Reads `NAME=FILE,NAME=FILE`. */
const agentsOf = Effect.fnUntraced(function* (text: string | undefined) {
  const agents: Record<string, string> = {}
  for (const each of (text ?? "").split(",").filter((part) => part.trim() !== "")) {
    const [, name, file] = /^\s*([A-Za-z0-9][\w.-]*)=(.+?)\s*$/.exec(each) ?? []
    if (name === undefined || file === undefined) {
      return yield* invalid("BACKSTITCH_AGENTS", each, "NAME=FILE, with a comma between two")
    }
    agents[name] = file
  }
  return agents
})

/** Reads `HOST:PORT`. Nodes share what they work on by a Postgres database. */
const clusterOf = Effect.fnUntraced(function* (text: string | undefined, store: string) {
  if (text === undefined) return undefined
  const [, host, port] = /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text)?.filter((part) => part !== undefined) ?? []
  if (host === undefined || Number(port) > 65_535) {
    return yield* invalid("BACKSTITCH_CLUSTER", text, "the address at which other nodes reach this one: HOST:PORT")
  }
  if (StorePlace.fromAddress(store)._tag === "Postgres") return { host, port: Number(port) }
  return yield* invalid("BACKSTITCH_CLUSTER", text, "nothing, or DATABASE_URL to the database that the nodes share")
})

/** An operator permits the network of the host, and no tenant does. */
const webhooksOf = (text: string | undefined) =>
  text === undefined || text === "public" || text === "private"
    ? Effect.succeed({ permitPrivate: text === "private" })
    : Effect.fail(
        invalid("BACKSTITCH_WEBHOOKS", text, "public, or to private to send to the network of the host as well")
      )

const rateOf = (text: string | undefined) => {
  if (text === undefined) return Effect.succeed<number>(Limits.refusing.requestsPerSecond)
  return Number(text) > 0
    ? Effect.succeed(Number(text))
    : Effect.fail(invalid("BACKSTITCH_RATE", text, "a number of requests in a second"))
}

/** Reads hours, up to those of a year. */
const keptOf = (text: string | undefined) => {
  if (text === undefined) return Effect.succeed<number>(RuntimeLimits.pacing.answerKeptMillis)
  const millis = Math.round(Duration.toMillis(Duration.hours(Number(text))))
  return millis > 0 && millis <= Limits.refusing.answerKeptMillisMax
    ? Effect.succeed(millis)
    : Effect.fail(invalid("BACKSTITCH_ANSWER_HOURS", text, "a number of hours, up to those of a year"))
}

const proxiesOf = (text: string | undefined) => {
  if (text === undefined) return Effect.succeed(0)
  return /^\d+$/.test(text) && Number(text) <= Limits.refusing.setProxiesMax
    ? Effect.succeed(Number(text))
    : Effect.fail(invalid("BACKSTITCH_PROXIES", text, `a number of proxies up to ${Limits.refusing.setProxiesMax}`))
}

const workersOf = (text: string | undefined) => {
  if (text === undefined) return Effect.succeed<number>(Limits.pacing.questionWorkersMax)
  return /^\d+$/.test(text) && Number(text) <= Limits.refusing.setWorkersMax
    ? Effect.succeed(Number(text))
    : Effect.fail(
        invalid("BACKSTITCH_WORKERS", text, `a number of workers up to ${Limits.refusing.setWorkersMax}, 0 for none`)
      )
}

const portOf = (text: string | undefined) => {
  if (text === undefined) return Effect.succeed(standardPort)
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? Effect.succeed(Number(text))
    : Effect.fail(invalid("PORT", text, "a number up to 65535"))
}
