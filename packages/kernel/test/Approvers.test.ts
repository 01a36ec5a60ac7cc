import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as Approvers from "../src/approval/Approvers.ts"
import { forks } from "./branch.ts"
import { Bench, bookOf, definition, ends } from "./lab.ts"

/** Booking is critical here. */
const { book } = definition.tools
const waives = { target: "the flight is in the record", tenant: "there is one" }
const tools = { ...definition.tools, book: { ...book, class: "critical_mutation", waives } as const }

const benchOf = () => new Bench({ changes: { tools } })

const approversOf = (bench: Bench, tool: string) =>
  Approvers.ofTool(bench.pack, bench.state, TaskPack.tool(bench.pack, tool))

describe("Approvers", () => {
  it("names the roles of the contract, and an operator for a class that is always reviewed", () => {
    const bench = benchOf()
    assert.deepStrictEqual(approversOf(bench, "refund"), ["manager"])
    assert.deepStrictEqual(approversOf(bench, "book"), ["operator"])
    assert.isUndefined(approversOf(bench, "look"))
  })

  it("names an operator, beside the roles of the contract, where a fork asks for the tool", () => {
    const bench = benchOf()
    forks(bench, { toolPolicy: { book: "approve", look: "approve", refund: "approve" } })
    assert.deepStrictEqual(approversOf(bench, "look"), ["operator"])
    assert.deepStrictEqual(approversOf(bench, "refund"), ["manager", "operator"])
    assert.deepStrictEqual(approversOf(bench, "book"), ["operator"])
    assert.isUndefined(approversOf(bench, "tell"))
  })

  it("names each role that the kernel then asks", () => {
    for (const call of [
      bookOf("LX1"),
      { tool: "look", params: { q: "x" } },
      { tool: "refund", params: { amount: 10 } },
      { tool: "refund", params: { amount: 60 } }
    ] as const) {
      const bench = benchOf()
      forks(bench, { toolPolicy: { book: "approve", look: "approve", refund: "approve" } })
      const { needs } = ends(bench.proposes(call), "Parked")
      assert.includeMembers([...(approversOf(bench, `${call.tool}`) ?? [])], [...needs])
    }
  })
})
