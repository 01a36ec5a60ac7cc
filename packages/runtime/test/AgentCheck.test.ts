import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as AgentCheck from "../src/files/AgentCheck.ts"
import type * as ToolExecutor from "../src/ports/ToolExecutor.ts"

const write = {
  class: "medium_risk_write",
  input: { id: "string" },
  identity: { scope: "run", fields: ["id"] },
  target: "args.id",
  times: { sendWithin: "1s", settleAfter: "1s", keyRetention: "1h" },
  undo: "X",
  writes: ["world.n"]
} as const

const expect = ["actual.id == args.id"]

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.desk",
    version: "1.0.0",
    state: { world: { n: "int" } },
    tools: {
      look: { class: "read_only", input: {} },
      ask: { ...write, status: "by_key" },
      read: { ...write, readback: { source: "books", expect, sources: [{ source: "audit" }, { source: "mirror" }] } },
      hold: { ...write, transaction: "local", readback: { source: "books", expect } }
    }
  })
)

const done = async () => ({})

const tools: ToolExecutor.Tools = {
  look: { execute: done },
  ask: { execute: done, status: done },
  read: { execute: done, readback: done, sources: { audit: done, mirror: done } },
  hold: {
    execute: done,
    readback: done,
    open: () => ({ output: {}, read: done, commit: done, rollback: done })
  }
}

const without = (name: keyof typeof tools, ...parts: ReadonlyArray<string>): ToolExecutor.Tools => ({
  ...tools,
  [name]: Object.fromEntries(Object.entries(tools[name]!).filter(([part]) => !parts.includes(part))) as never
})

describe("AgentCheck", () => {
  it("finds nothing if code and contract fit", () => {
    const steps = [
      { id: "a", propose: { tool: "look" } },
      { id: "b", propose: () => ({ tool: "later" }) },
      { id: "c", propose: { type: "goal.complete" } }
    ]
    assert.deepStrictEqual(AgentCheck.problems({ steps, tools }, pack), [])
  })

  it("finds every part that the contract promises and the code lacks, at once", () => {
    const cases: ReadonlyArray<readonly [ToolExecutor.Tools, ReadonlyArray<string>]> = [
      [without("ask", "status"), ["`tools.ask.status` is missing: the contract says `status: by_key`"]],
      [
        without("read", "readback"),
        ["`tools.read.readback` is missing: the contract says that it is read back from books"]
      ],
      [
        without("read", "sources"),
        [
          "`tools.read.sources.audit` is missing: the contract says that audit has to agree",
          "`tools.read.sources.mirror` is missing: the contract says that mirror has to agree"
        ]
      ],
      [without("hold", "open"), ["`tools.hold.open` is missing: the contract says `transaction: local`"]]
    ]
    for (const [given, problems] of cases) {
      assert.deepStrictEqual(AgentCheck.problems({ steps: [], tools: given }, pack), problems)
    }
    const all = AgentCheck.problems({ steps: [], tools: {} }, pack)
    assert.lengthOf(all, 4)
    for (const problem of all) assert.match(problem, /is missing: the pack declares the tool$/)
  })

  it("finds a step with the id of another one, which would count as carried out", () => {
    const steps = ["look", "look", "done"].map((id) => ({ id, propose: { type: "goal.complete" } }))
    const [problem, ...more] = AgentCheck.problems({ steps, tools }, pack)
    assert.deepStrictEqual(more, [])
    assert.include(problem, '`steps[1].id` is "look", as that of `steps[0]`')
  })

  it("finds tools that the contract does not have, unless it is enforced in stages", () => {
    const steps = [{ id: "a", propose: { tool: "lok" } }]
    const given = { ...tools, extra: { execute: done } }
    assert.deepStrictEqual(AgentCheck.problems({ steps, tools: given }, pack), [
      "`steps[0]` proposes lok, which is no tool of the pack. Did you mean look?",
      "`tools.extra` is no tool of the pack"
    ])
    assert.deepStrictEqual(AgentCheck.problems({ steps, tools: given }, pack, { undeclared: "permit" }), [
      "`steps[0]` proposes lok, for which there is no code. Did you mean look?"
    ])
  })
})
