import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Definition, Expectation, Issue, TaskPack, Yaml } from "../src/index.ts"

const packOf = (expect: NonNullable<Definition.ToolDefinition["readback"]>["expect"]) =>
  TaskPack.make({
    pack: "acme.desk",
    version: "1",
    state: { world: {}, working: {} },
    tools: {
      move: {
        class: "medium_risk_write",
        input: { ticket: "string" },
        target: "args.ticket",
        identity: { scope: "run", fields: ["ticket"] },
        readback: { source: "desk", expect },
        undo: "X"
      }
    }
  })

const issues = (expect: unknown) => {
  const read = packOf(expect as Definition.Expectation)
  return Result.isFailure(read) ? read.failure.issues.map(Issue.format).join("\n") : ""
}

describe("Expectation", () => {
  it("is a condition with a name and a class, beside bare ones", () => {
    const read = packOf([
      "actual.open == true",
      { id: "wrong_assignee", holds: "actual.assignee == 'ada'", otherwise: "value_mismatch" },
      { id: "unlogged", holds: ({ actual }) => actual.logged === true },
      { id: "not_ours", holds: "key in actual.keys", otherwise: "wrong_target_modified" }
    ])
    const expectations = Result.getOrThrow(read).tools["move"]?.readback?.expect
    assert.deepStrictEqual(
      expectations?.map(({ indicator, otherwise }) => [indicator, otherwise]),
      [
        [undefined, undefined],
        ["wrong_assignee", "value_mismatch"],
        ["unlogged", undefined],
        ["not_ours", "wrong_target_modified"]
      ]
    )
  })

  it("means the same in a file as in code", () => {
    const text = (list: string) => `
pack: acme.desk
version: "1"
state: { world: {}, working: {} }
tools:
  move:
    class: medium_risk_write
    input: { ticket: string }
    target: args.ticket
    identity: { scope: run, fields: [ticket] }
    readback: { source: desk, expect: [${list}] }
    undo: X
`
    const read = Yaml.fromYaml(text(`{ id: gone, holds: "actual != null", otherwise: no_op_failure }`), {
      file: "desk.yaml"
    })
    const made = packOf([{ id: "gone", holds: "actual != null", otherwise: "no_op_failure" }])
    assert.strictEqual(Result.getOrThrow(read).digest, Result.getOrThrow(made).digest)
  })

  it("refuses an unknown discrepancy, and a failure that is called success (L8)", () => {
    const wanted = { id: "late", holds: "actual != null" }
    assert.match(issues([{ ...wanted, otherwise: "no_op_success" }]), /one of no_op_failure, value_mismatch/)
    assert.match(issues([{ ...wanted, otherwise: "propagation_delai" }]), /Did you mean propagation_delay\?/)
    assert.notInclude(Expectation.discrepancies as ReadonlyArray<string>, "no_op_success")
  })

  it("refuses one without a name or a condition, and a name that occurs twice", () => {
    assert.match(issues([{ holds: "actual != null" }]), /the failure that it notices/)
    assert.match(issues([{ id: "late" }]), /a condition over actual/)
    assert.match(issues([{ id: "late", holds: "true", class: "x" }]), /the key class/)
    assert.match(
      issues([
        { id: "late", holds: "actual.a == 1" },
        { id: "late", holds: "actual.b == 1" }
      ]),
      /a second expectation late/
    )
  })
})
