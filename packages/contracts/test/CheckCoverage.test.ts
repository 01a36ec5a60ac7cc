import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { CheckCoverage, type Definition, Issue, TaskPack, ToolContract, VerificationCheck } from "../src/index.ts"

const packOf = (tool: Definition.ToolDefinition) =>
  TaskPack.make({ pack: "acme.tools", version: "1", tools: { act: tool } })

const contractOf = (tool: Definition.ToolDefinition): ToolContract.ToolContract =>
  TaskPack.tool(Result.getOrThrow(packOf(tool)), "act")

const writing: Definition.ToolDefinition = {
  class: "high_risk_external",
  input: { seat: "string", price: "int" },
  target: "args.seat",
  identity: { scope: "run", fields: ["seat"] },
  readback: { source: "airline", expect: ["actual.seat == args.seat"] },
  undo: "X"
}

const expecting = (...expect: ReadonlyArray<Definition.Expectation>): Definition.ToolDefinition => ({
  ...writing,
  readback: { source: "airline", expect }
})

describe("CheckCoverage", () => {
  it("has no check that no class asks for, and no class that asks for none", () => {
    const asked = Object.values(CheckCoverage.required).flat()
    assert.sameMembers([...new Set(asked)], [...VerificationCheck.names])
    for (const sideEffect of ToolContract.sideEffects) assert.isAbove(CheckCoverage.required[sideEffect].length, 3)
  })

  it.each<readonly [string, VerificationCheck.VerificationCheck]>([
    ["actual.tenant == tenant", "tenant"],
    ["actual.seat == args.seat", "target"],
    ["actual.target == target", "target"],
    ["actual.price == args.price", "amount"],
    ["actual.key == key", "key"],
    ["actual.by == actor", "actor"],
    ["actual.booking == observed.booking", "provider_transaction"],
    ["actual.transaction != ''", "provider_transaction"],
    ["actual.status == 'sent'", "delivery"],
    ["actual.status == 'sent'", "workflow_status"],
    ["actual.sha256 == args.seat", "content_hash"],
    ["actual.path == args.seat", "path"],
    ["actual.inside", "no_escape"],
    ["actual.seat != ''", "visible_state"]
  ])("tells by %s that it checks %s", (expectation, check) => {
    const contract = contractOf(expecting(expectation))
    assert.include(CheckCoverage.ofExpectation(contract.readback!.expect[0]!, contract), check)
  })

  it("finds in a comparison of other things no check of the target, the tenant or the amount", () => {
    const contract = contractOf(expecting("actual.colour == 'red'"))
    const checks = CheckCoverage.ofExpectation(contract.readback!.expect[0]!, contract)
    for (const name of ["target", "tenant", "amount", "key", "actor"] as const) assert.notInclude(checks, name)
  })

  it("recognises a status by the end of a name, and not by its beginning", () => {
    const contract = contractOf(expecting("actual.statement == 'red'", "actual.state_of_matter == 'solid'"))
    for (const expectation of contract.readback!.expect) {
      assert.notInclude(CheckCoverage.ofExpectation(expectation, contract), "workflow_status")
    }
  })

  it("believes the contract if a check cannot be derived: from a function, or from another name", () => {
    const run = ({ actual }: Definition.FunctionScope) => actual.whose === "acme"
    const said: Definition.Expectation = { id: "theirs", holds: run, checks: ["tenant", "key"] }
    const { made } = CheckCoverage.coverage(contractOf(expecting("actual.seat == args.seat", said)))
    assert.includeMembers([...made], ["tenant", "key"])
    const { missing } = CheckCoverage.coverage(contractOf(expecting("actual.seat == args.seat", run)))
    assert.includeMembers([...missing], ["tenant", "key"])
  })

  it("counts the checks that the readback declares, and those that the kernel makes itself", () => {
    const readback: Definition.Readback = {
      source: "ledger",
      expect: "actual.seat == args.seat",
      scope: { tenant: "actual.tenant" },
      sources: [{ source: "audit" }]
    }
    const critical = contractOf({ ...writing, class: "critical_mutation", readback })
    assert.deepStrictEqual(CheckCoverage.coverage(critical).missing, [])
    const alone = contractOf({ ...writing, class: "critical_mutation", readback: { ...readback, sources: [] } })
    assert.deepStrictEqual(CheckCoverage.coverage(alone).missing, ["every_source"])
    const version = { planned: "1", actual: "actual.version" }
    const low = contractOf({ ...writing, class: "low_risk_internal", readback: { ...readback, version } })
    assert.deepStrictEqual(CheckCoverage.coverage(low).missing, ["actor"])
  })

  it("warns if a critical action waives its further sources: no reason makes one source two", () => {
    const readback: Definition.Readback = { source: "ledger", expect: "actual.seat == args.seat" }
    const warned = (sources: ReadonlyArray<{ readonly source: string }>) =>
      Result.getOrThrow(
        packOf({
          ...writing,
          class: "critical_mutation",
          readback: { ...readback, sources },
          waives: { every_source: "there is one" }
        })
      ).warnings.map(Issue.format)
    const [alone] = warned([]).filter((line) => line.includes("one source alone"))
    assert.include(alone ?? "", "never reported as done")
    assert.deepStrictEqual(
      warned([{ source: "audit" }]).filter((line) => line.includes("one source alone")),
      []
    )
  })

  it("asks for no amount if a call names none", () => {
    const missing = (input: Definition.Types) =>
      CheckCoverage.coverage(contractOf({ ...expecting("actual.seat == args.seat"), input })).missing
    assert.notInclude(missing({ seat: "string" }), "amount")
    assert.include(missing({ seat: "string", total: "int" }), "amount")
    assert.include(missing({ seat: "string", worth: { decimal: 2 } }), "amount")
  })

  it("leaves out the checks that are waived with a reason, and warns of the others with their place", () => {
    const waives = { tenant: "there is one", key: "the record is read by it" }
    const contract = contractOf({ ...writing, waives })
    const { made, missing, waived } = CheckCoverage.coverage(contract)
    assert.deepStrictEqual(waived, ["tenant", "key"])
    assert.deepStrictEqual([...made, ...waived, ...missing].sort(), [...CheckCoverage.required[contract.class]].sort())
    const warnings = Result.getOrThrow(packOf({ ...writing, waives }))
      .warnings.map(Issue.format)
      .join("\n")
    assert.match(warnings, /tools\.act\.readback: found a high_risk_external without the checks provider_transaction/)
    assert.notInclude(warnings, "tenant")
  })

  it("warns of a waiver that nothing needs, and refuses an unknown check", () => {
    const warnings = Result.getOrThrow(packOf({ ...writing, waives: { path: "no files" } })).warnings
    assert.match(warnings.map(Issue.format).join("\n"), /found path, which nothing asks of a high_risk_external/)
    const wrong = packOf({ ...writing, waives: { tennant: "x" } as VerificationCheck.Waivers })
    assert.isTrue(Result.isFailure(wrong))
    assert.isTrue(Result.isFailure(packOf({ ...writing, waives: { tenant: " " } })))
  })
})
