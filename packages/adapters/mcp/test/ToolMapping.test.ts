import { readFileSync } from "node:fs"
import { TaskPack, Yaml } from "@backstitch/contracts"
import { beside, of } from "@backstitch/mcp/ContractFile"
import * as ToolMapping from "@backstitch/mcp/ToolMapping"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { changes } from "../src/contract/toolChange.ts"
import { misfits } from "../src/contract/toolFit.ts"
import { example } from "./harness.ts"

const pack = Result.getOrThrow(Yaml.fromYaml(readFileSync(example("payments.yaml"), "utf8"), { file: "payments.yaml" }))
const text = readFileSync(example("payments.mcp.yaml"), "utf8")
const read = (given: string) => of(pack, { file: "payments.mcp.yaml", text: given })
const problems = (given: string): ReadonlyArray<string> => {
  const found = read(given)
  return Result.isFailure(found) ? found.failure.problems : []
}

describe("ToolMapping", () => {
  it("stands beside its pack", () => {
    assert.strictEqual(beside("folder/shop.yaml"), "folder/shop.mcp.yaml")
    assert.strictEqual(beside("shop.yml"), "shop.mcp.yaml")
  })

  it("is part of the pack that a run pins, so that another mapping is another pack", () => {
    const [first, second] = [text, `${text}# reviewed again\n`].map((each) => Result.getOrThrow(read(each)).pack.digest)
    assert.notStrictEqual(first, second)
    assert.notStrictEqual(first, pack.digest)
  })

  it("names each mistake with its place", () => {
    const found = problems(`${text}    readbak: { tool: find_charge }\n  refund: { errors: refused }\n`)
    assert.deepStrictEqual(
      found.map((each) => each.slice(0, each.indexOf(":", "payments.mcp.yaml:".length))),
      ["payments.mcp.yaml:6"]
    )
    assert.include(found[0], "readbak")
    assert.include(problems(`${text}  refund: { errors: refused }\n`)[0], "has no tool refund")
    assert.include(problems(text.replace("value.charges }", "values.charges }"))[0], "found")
  })

  it("refuses what the contract asks for and nobody answers, and what nobody asks for", () => {
    const lines = text.split("\n")
    const without = (part: string) => problems(lines.filter((line) => !line.trim().startsWith(part)).join("\n"))
    assert.match(without("readback:").join(), /has a readback, and readback is not here/)
    assert.match(without("status:").join(), /says status: by_key, and status is not here/)
    assert.match(without("key:").join(), /asked under a key, and key is not here/)
    assert.match(problems(`${text}  find_charge:\n    readback: { tool: find_charge }\n`).join(), /is never asked/)
  })

  it("refuses a question that could change the world", () => {
    const found = problems(text.replaceAll("tool: find_charge", "tool: create_charge"))
    assert.match(found.join(), /create_charge is high_risk_external; a question may only use a tool that is read_only/)
    assert.match(problems(text.replaceAll("tool: find_charge", "tool: other")).join(), /declare it as read_only/)
  })

  it("names how a tool differs from its review", () => {
    const inputSchema = { type: "object", properties: { amount: { type: "integer" } } }
    const reviewed = ToolMapping.reviewedOf({ name: "charge", description: "old words", inputSchema })
    assert.deepStrictEqual(changes(reviewed, { name: "charge", description: "new words", inputSchema }), [])
    const changed = { type: "object", properties: { amount: { type: "string" }, to: {} } }
    assert.sameMembers(
      [...changes(reviewed, { inputSchema: changed, annotations: { readOnlyHint: true } })],
      [
        'inputSchema.properties.amount.type was changed to "string"',
        "inputSchema.properties.to was added as {}",
        'annotations was added as {"readOnlyHint":true}'
      ]
    )
  })

  it("names what the server does not have: a tool, the tool of a question, the argument for the key", () => {
    const { mapping } = Result.getOrThrow(read(text))
    const inputSchema = { type: "object", properties: { order: {}, amount: {} } }
    const listed = (...names: ReadonlyArray<string>) => new Map(names.map((name) => [name, { name, inputSchema }]))
    assert.deepStrictEqual(misfits(mapping, listed("create_charge")), [
      "the mapping of create_charge asks find_charge, and the server lists create_charge",
      "the mapping of create_charge puts the key into reference, and the tool takes order, amount"
    ])
    assert.deepStrictEqual(misfits(mapping, listed("other")), [
      "the mapping names create_charge, and the server lists other"
    ])
    const open = new Map(
      [...listed("create_charge", "find_charge")].map(([name, tool]) => {
        return [name, { ...tool, inputSchema: { ...inputSchema, additionalProperties: true } }] as const
      })
    )
    assert.deepStrictEqual(misfits(mapping, open), [])
  })

  it("gives a tool without an entry no question, and lets its errors prove nothing", () => {
    assert.deepStrictEqual(ToolMapping.of(ToolMapping.empty, "any"), { errors: "unknown", sources: {} })
    assert.isUndefined(TaskPack.approvalOf(pack, "any"))
  })
})
