import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import * as AgentFile from "../src/files/AgentFile.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"

const folder = mkdtempSync(join(tmpdir(), "backstitch-agent-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const module = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

module("pack.yaml", "pack: acme.notes\nversion: 1.0.0\n")

describe("AgentFile", () => {
  it.effect("loads an agent with the pack in its folder", () =>
    Effect.gen(function* () {
      const path = module(
        "agent.ts",
        "const tools: object = {}\nexport default { pack: './pack.yaml', goal: 'g', steps: [], tools }\n"
      )
      const { agent, pack } = yield* AgentFile.load(path)
      assert.strictEqual(agent.goal, "g")
      assert.strictEqual(pack.version, "1.0.0")
    })
  )

  it.effect("names everything that a default export lacks", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(AgentFile.load(module("lacking.ts", "export default { goal: 1 }\n")))
      assert.strictEqual(error._tag, "AgentInvalid")
      for (const name of ["pack", "goal", "steps", "tools"]) assert.include(error.message, `\`${name}\``)
    })
  )

  it.effect("holds the proposals of a script against their form before anything begins", () =>
    Effect.gen(function* () {
      const proposals = "{ tool: 5 }, { tool: null }, {}, { toool: 'note' }, [], { tool: 'note', occurrence: 0 }"
      const steps = `[${proposals}].map((propose, index) => ({ id: 's' + index, propose }))`
      const agent = `export default { pack: './pack.yaml', goal: 'g', steps: ${steps}, tools: {} }`
      const error = yield* Effect.flip(AgentFile.load(module("misfits.ts", agent)))
      assert.strictEqual(error._tag, "AgentInvalid")
      for (const problem of [
        "`steps[0].propose.tool`: Expected the name of a tool, found number 5",
        "`steps[1].propose.tool`: Expected the name of a tool, found null",
        "`steps[2].propose.tool`: Expected the name of a tool, found nothing",
        "`steps[3].propose.tool`: Expected the name of a tool, found nothing",
        "`steps[4].propose` must be a proposal, or a function that answers one",
        "`steps[5].propose.occurrence`: Expected a value greater than or equal to 1, found number 0"
      ]) {
        assert.include(error.message, problem)
      }
    })
  )

  it.effect("refuses a planner beside roles, which nobody would ask", () =>
    Effect.gen(function* () {
      const roles = "roles: { drafter: () => 'x', critic: () => 'y' }"
      const agent = (more: string) => `export default { pack: './pack.yaml', goal: 'g', tools: {}, ${roles}${more} }\n`
      const beside = module("beside.ts", agent(", next: () => undefined, steps: []"))
      const refused = yield* Effect.flip(AgentFile.load(beside))
      for (const name of ["next", "steps"]) assert.include(refused.message, `\`${name}\` would not be asked`)
      const modelled = yield* Effect.flip(AgentFile.load(module("modelled.ts", agent("")), { planner: "given" }))
      assert.include(modelled.message, "no model is asked: name no model")
      const read = yield* Effect.flip(AgentFile.load(module("read.ts", agent("")), { planner: "reads" }))
      assert.strictEqual(read._tag, "TopologyUnfit")
    })
  )

  it.effect("names the reason for which a module cannot be loaded", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(AgentFile.load(join(folder, "nowhere.ts")))
      assert.include(missing.message, "there is no such file")
      const throwing = yield* Effect.flip(AgentFile.load(module("throwing.ts", "throw new Error('no key')\n")))
      assert.include(throwing.message, "no key")
    })
  )

  it.effect("recognises a refusal from any copy of its class", () =>
    Effect.gen(function* () {
      class Elsewhere extends Error {
        readonly _tag = "ToolRefused"
        readonly detail = "sold out"
      }
      const tools = { book: { execute: () => Promise.reject(new Elsewhere("sold out")) } }
      const request = { tool: "book", action: "a1", params: {}, key: undefined, deadlineMillis: 1000 }
      assert.deepStrictEqual(yield* ToolExecutor.fromTools(tools).call(request), { _tag: "Error", error: "sold out" })
    })
  )
})
