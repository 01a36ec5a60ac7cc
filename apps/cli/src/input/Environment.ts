/**
 * Variables that hold secrets: read by this program, and by nothing that it loads or starts.
 *
 * Tools are code of others. They run in this process and start programs of
 * their own, which inherit its environment.
 */
import * as StoreAddress from "./StoreAddress.ts"

const secrets = ["BACKSTITCH_SEALING_KEY", "BACKSTITCH_SECRET"] as const

const address = "BACKSTITCH_STORE"

/** A variable that is taken. */
export type Name = (typeof secrets)[number] | typeof address

const taken = new Map<Name, string>()

/**
 * Takes what is secret out of the environment, before anything of others is loaded. The address of a store is, unless
 * it names a file: it may hold a password.
 */
export const take = (): void => {
  for (const name of secrets) move(name)
  const store = process.env[address]
  if (store !== undefined && StoreAddress.fileOf(store) === undefined) move(address)
}

const move = (name: Name): void => {
  const text = process.env[name]
  if (text === undefined) return
  taken.set(name, text)
  delete process.env[name]
}

/** The text of a variable, taken or not; empty where it is not set. */
export const get = (name: Name): string => process.env[name] ?? taken.get(name) ?? ""
