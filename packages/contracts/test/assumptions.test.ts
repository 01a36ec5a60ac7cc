import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Condition, Issue, TaskPack, Yaml } from "../src/index.ts"
import { travel } from "./packs.ts"

const packOf = (parts: string) =>
  Yaml.fromYaml(travel.replace("    assumes: [fare_limit]\n", parts), { file: "trips.yaml" })
const toolOf = (parts: string) => TaskPack.tool(Result.getOrThrow(packOf(parts)), "issue_ticket")
const issuesOf = (parts: string): ReadonlyArray<string> => {
  const pack = packOf(parts)
  return (Result.isFailure(pack) ? pack.failure.issues : pack.success.warnings).map(Issue.format)
}

const call = {
  args: { train: "IC 1", rider: "Ada", fare: "40.00" },
  observed: { code: "T1", fare: "41.00", refundable: true },
  actual: { status: "issued", fare: "41.00" },
  key: "k1",
  world: { paid: "500.00" },
  working: { route: null },
  clause: { fare_limit: "540.00", no_night: false }
}

describe("the assumptions of a contract", () => {
  it("differ for a contract that assumes no clause, and one that does not decide", () => {
    assert.deepStrictEqual(toolOf("    assumes: []\n").assumes, [])
    assert.deepStrictEqual(toolOf("    assumes: {}\n").assumes, [])
    assert.isUndefined(toolOf("").assumes)
    assert.isUndefined(toolOf("    assumes:\n").assumes)
    assert.isUndefined(TaskPack.tool(undefined, "anything").assumes)
  })

  it("are clauses, in a list, in a mapping to conditions, or both", () => {
    const named = (parts: string) =>
      toolOf(`    assumes: ${parts}\n`).assumes?.map(({ clause, holds }) => [clause, holds && Condition.source(holds)])
    assert.deepStrictEqual(named("[fare_limit, no_night]"), [
      ["fare_limit", undefined],
      ["no_night", undefined]
    ])
    assert.deepStrictEqual(named("{ fare_limit: args.fare <= clause.fare_limit }"), [
      ["fare_limit", "args.fare <= clause.fare_limit"]
    ])
    assert.deepStrictEqual(named("[no_night, { fare_limit: args.fare <= clause.fare_limit }]"), [
      ["no_night", undefined],
      ["fare_limit", "args.fare <= clause.fare_limit"]
    ])
  })

  it.each([
    "world.paid + args.fare <= clause.fare_limit",
    "observed.fare <= clause.fare_limit && key == 'k1'",
    "actual.fare == observed.fare && clause.fare_limit > 0.0",
    '{ function: "({ args, clause }) => Number(args.fare) <= Number(clause.fare_limit)" }'
  ])("are conditions over one call, the state and the values of the clauses: %s", (holds) => {
    const [assumption] = toolOf(`    assumes: { fare_limit: ${holds} }\n`).assumes ?? []
    assert.deepStrictEqual(assumption?.holds && Condition.holds(assumption.holds, call), Result.succeed(true))
  })

  it("are refused at their places, with the nearest name", () => {
    const expected = "expected a clause that the pack declares (declared: fare_limit, no_night)"
    assert.deepStrictEqual(issuesOf("    assumes: { fare_limt: args.fare <= clause.fare_limit }\n"), [
      `trips.yaml:37:16 tools.issue_ticket.assumes.fare_limt: found clause fare_limt, ${expected}. ` +
        "Did you mean fare_limit?"
    ])
    assert.deepStrictEqual(issuesOf("    assumes: [{ fare_limit: args.fares <= clause.fare_limit }, budget]\n"), [
      "trips.yaml:37:29 tools.issue_ticket.assumes[0].fare_limit: found args.fares, expected a declared field: fare, " +
        "rider, train. Did you mean fare?",
      `trips.yaml:37:64 tools.issue_ticket.assumes[1]: found clause budget, ${expected}`
    ])
    assert.deepStrictEqual(issuesOf("    assumes: { fare_limit: args.fare }\n"), [
      "trips.yaml:37:28 tools.issue_ticket.assumes.fare_limit: found a value that is decimal, " +
        "expected a condition that is true or false"
    ])
    assert.match(issuesOf("    assumes: { fare_limit: row.fare <= clause.fare_limit }\n")[0] ?? "", /the name row/)
    assert.match(issuesOf("    assumes: 7\n")[0] ?? "", /expected a list of clauses, or a mapping/)
    assert.match(issuesOf("    serves: [fare_limt]\n")[0] ?? "", /serves\[0\]: found clause fare_limt.*mean fare_limit/)
  })

  it("name each clause once; a stored contract that names one twice is still read", () => {
    const parts = "    assumes: [fare_limit, fare_limit]\n"
    assert.match(issuesOf(parts)[0] ?? "", /assumes\[1\]: found fare_limit again, expected each clause once/)
    const pack = Result.getOrThrow(packOf("    assumes: [fare_limit]\n"))
    const tools = structuredClone(pack.definition["tools"]) as { issue_ticket: { assumes: Array<string> } }
    tools.issue_ticket.assumes.push("fare_limit")
    const stored = Result.getOrThrow(TaskPack.fromJson({ ...pack.definition, tools }))
    assert.deepStrictEqual(TaskPack.tool(stored, "issue_ticket").assumes, [{ clause: "fare_limit" }])
  })

  it("are warned of if a revision of their clause cannot change their answer", () => {
    assert.deepStrictEqual(issuesOf("    assumes: { fare_limit: args.fare <= 600 }\n"), [
      "trips.yaml:37:28 tools.issue_ticket.assumes.fare_limit: found a condition that does not read " +
        "clause.fare_limit, expected a condition over clause.fare_limit. A new value of the clause would not change " +
        "its answer"
    ])
    assert.deepStrictEqual(issuesOf("    assumes: { fare_limit: size(clause) > 0 && args.fare > 0.0 }\n"), [])
  })

  it("are read beside `serves`, the clauses for which a call is made", () => {
    assert.deepStrictEqual(toolOf("    serves: [no_night]\n").serves, ["no_night"])
    assert.deepStrictEqual(toolOf("").serves, [])
  })
})
