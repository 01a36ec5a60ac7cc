/** Reads where to serve, and what, from the environment. Nothing has to be set. */
import type { Settings } from "./Server.ts"

/** The address of a server of which nothing is configured: this machine alone can reach it. */
const loopback = "127.0.0.1"

/** The port, unless another is set. */
const standardPort = 4747

/** Error for a variable of the environment that cannot be read. */
export class SettingInvalid extends Error {
  readonly _tag = "SettingInvalid"
}

/** Reads the settings. A Postgres database in `DATABASE_URL` comes before a store in `BACKSTITCH_STORE`. */
export const fromEnvironment = (environment: Readonly<Record<string, string | undefined>>): Settings => ({
  store: named(environment, "DATABASE_URL") ?? named(environment, "BACKSTITCH_STORE") ?? ".backstitch/trace.db",
  host: named(environment, "BACKSTITCH_HOST") ?? loopback,
  port: portOf(named(environment, "PORT"))
})

/** Tells whether other machines can reach the server. */
export const isOpen = ({ host }: Settings): boolean => !["127.0.0.1", "::1", "localhost"].includes(host)

const named = (environment: Readonly<Record<string, string | undefined>>, name: string): string | undefined => {
  const value = environment[name]?.trim()
  return value === "" ? undefined : value
}

const portOf = (text: string | undefined): number => {
  if (text === undefined) return standardPort
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new SettingInvalid(`PORT is "${text}". Set it to a number up to 65535`)
  return port
}
