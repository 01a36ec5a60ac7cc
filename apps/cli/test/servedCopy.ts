/** A server over a copy of a shell's store, for tests that compare what a store and a server print. */
import { cpSync, readdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { folder, serve } from "../../server/test/served.ts"
import type { Shell } from "./shell.ts"

/**
 * Serves a copy of the shell's store, which goes with the scope, and runs commands there with the key of Ada. What the
 * agents of the server read from the environment has to be set before.
 */
export const make = Effect.fnUntraced(function* (
  shell: Shell,
  agents: { readonly [name: string]: string },
  role: "admin" | "operator"
) {
  const copy = yield* folder
  const own = shell.path(".backstitch")
  for (const name of readdirSync(own)) cpSync(join(own, name), join(copy, name), { recursive: true })
  const served = yield* serve(join(copy, "trace.db"), agents)
  const ada = yield* served.key("default", role, { name: "Ada" })
  const there = (args: ReadonlyArray<string>, key = ada) =>
    Effect.promise(() => shell.run([...args, "--server", served.address], { BACKSTITCH_KEY: key }))
  return { ...served, ada, there }
})

/**
 * Leaves out digests, moments, places and times, which every process has of its own, and in next steps the server, and
 * whether its agent is a file or a name.
 */
export const told = (out: string): unknown => {
  const text = out
    .replace(/ --server http:[\w:/.]+/g, "")
    .replace(/ --agent (?:FILE|NAME)/g, "")
    .replace(/ \(where the store is\)/g, "")
    .replace(/ \(where the store is, /g, " (")
    .replace(/"(leftMillis|undoEndsAt)": ?\d+/g, '"$1":0')
    .replace(/(?<![.\d])[0-9a-f]{8,}/g, "…")
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, "…")
    .replace(/store=\S+/g, "store=…")
    .replace(/\b\d+ ms\b/g, "… ms")
  return text.startsWith("{") && text.trimEnd().indexOf("\n") < 0 ? JSON.parse(text) : text
}
