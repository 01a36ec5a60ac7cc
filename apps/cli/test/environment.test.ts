/** Secrets of the environment reach no code of a tool, and no program that one starts. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const example = join(import.meta.dirname, "../../../examples/visa")
copyFileSync(join(example, "pack.yaml"), shell.path("pack.yaml"))

/** An agent whose tool looks at its own environment and has a child process print the one that it got. */
const curious = readFileSync(join(example, "agent.ts"), "utf8")
  .replace("import type { Agent }", 'import { execFileSync } from "node:child_process"\nimport type { Agent }')
  .replace("find_traveller: { execute: () => (", "find_traveller: { execute: () => looked(")
  .concat(
    `\nfunction looked<A>(answer: A): A {
  const child = "process.stdout.write(JSON.stringify(process.env))"
  const own = JSON.stringify(process.env)
  writeFileSync("seen.json", JSON.stringify([own, execFileSync(process.execPath, ["-e", child], { encoding: "utf8" })]))
  return answer
}\n`
  )
writeFileSync(shell.path("curious.ts"), curious)

const key = "cd".repeat(32)
const modelKey = "the key of a model"
const secret = "the secret of a test"

const seenWith = async (run: string, env: Record<string, string>): Promise<ReadonlyArray<string>> => {
  const { code, err, out } = await shell.run(["run", run, "--agent", "curious.ts", "--tenant", "curious"], env)
  assert.strictEqual(code, 0, out + err)
  return JSON.parse(readFileSync(shell.path("seen.json"), "utf8"))
}

describe("the environment of tools", () => {
  it("has none of the secrets that the program was given, and the rest", async () => {
    const store = shell.path("own.db")
    const keys = { BACKSTITCH_MODEL_KEY: modelKey, BACKSTITCH_SEALING_KEY: key }
    const env = { ...keys, BACKSTITCH_SECRET: secret, BACKSTITCH_STORE: store, OFFICE: "open" }
    for (const seen of await seenWith("anna-1", env)) {
      assert.notInclude(seen, secret)
      assert.notInclude(seen, key)
      assert.notInclude(seen, modelKey)
      assert.include(seen, '"OFFICE":"open"')
      assert.include(seen, store)
    }
  }, 60_000)

  it("has no address of a store that is no file, which may hold a password", async () => {
    const address = process.env["BACKSTITCH_TEST_POSTGRES"] ?? ""
    const env = { BACKSTITCH_SECRET: secret, BACKSTITCH_SEALING_KEY: key, BACKSTITCH_STORE: address }
    for (const seen of await seenWith(`curious-${process.pid}`, { ...env, BACKSTITCH_TEST_POSTGRES: "" })) {
      assert.notInclude(seen, JSON.stringify(address).slice(1, -1))
    }
  }, 60_000)
})
