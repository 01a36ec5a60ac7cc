/**
 * Environment variables with secrets: this program reads them, and the code that it loads or starts cannot.
 *
 * Tools are code of others. They run in this process and start their own programs, which inherit its environment.
 */
import * as StoreAddress from "./StoreAddress.ts"

const secrets = ["BACKSTITCH_KEY", "BACKSTITCH_MODEL_KEY", "BACKSTITCH_SEALING_KEY", "BACKSTITCH_SECRET"] as const

const address = "BACKSTITCH_STORE"

/** A variable that is taken. */
export type VariableName = (typeof secrets)[number] | typeof address

const taken = new Map<VariableName, string>()

/**
 * Removes secrets from the environment before other code is loaded. The address of a store counts as one, unless it
 * names a file, because it may contain a password.
 */
export const take = (): void => {
  for (const name of secrets) move(name)
  const store = process.env[address]
  if (store !== undefined && StoreAddress.fileOf(store) === undefined) move(address)
}

const move = (name: VariableName): void => {
  const text = process.env[name]
  if (text === undefined) return
  taken.set(name, text)
  delete process.env[name]
}

/** The text of a variable, removed or not; empty if it is not set. */
export const get = (name: VariableName): string => process.env[name] ?? taken.get(name) ?? ""
