import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Definition, Issue, TaskPack, Yaml } from "../src/index.ts"

const note: Definition.ToolDefinition = {
  class: "medium_risk_write",
  input: { text: "string" },
  identity: { scope: "run", fields: ["text"] },
  target: "'note'",
  undo: "X",
  on_reconciled: [{ set: { field: "world.noted", value: "args.text" } }]
}

/** A pack whose guard reads `working.ok`, and whose violation reads `working.mood`. */
const pack = (parts: Partial<Definition.Definition> = {}, mood: Definition.Type = "string"): Definition.Definition => ({
  pack: "acme.notes",
  version: "1",
  state: { world: { noted: "string" }, working: { ok: "bool", mood, spare: "int" } },
  tools: { note },
  guards: [{ id: "asked", on: "note", refuse_if: "!working.ok || world.noted == args.text" }],
  violations: [{ id: "sour", when: "state.mood == 'sour'" }],
  ...parts
})

const adviceOn = (definition: Definition.Definition): ReadonlyArray<string> =>
  Result.getOrThrow(TaskPack.make(definition, { file: "notes" }))
    .warnings.map(Issue.format)
    .flatMap(
      (text) => /(working|world)\.\w+(?=: found a field that .* reads, and nothing writes)/.exec(text)?.[0] ?? []
    )

describe("a field that rules read and nothing writes", () => {
  it("is named with the rules that read it", () => {
    assert.deepStrictEqual([...adviceOn(pack())].sort(), ["working.mood", "working.ok"])
    const { warnings } = Result.getOrThrow(TaskPack.make(pack(), { file: "notes" }))
    const [first] = warnings.filter(({ found }) => found.includes("nothing writes"))
    assert.match(first?.found ?? "", /the (guard asked|violation sour) reads/)
    assert.deepStrictEqual(adviceOn(pack({ approvals: { note: { when: "working.spare > 1", by: "lead" } } })).length, 3)
  })

  it("is none if a reducer, a tool or a function may write it, a contract requires it, or it has a first value", () => {
    const set = (field: string, value: string) => [{ set: { field, value } }]
    const reducers = { on: { "plan.update": set("working.ok", "true"), note: set("working.mood", "'fair'") } }
    assert.deepStrictEqual(adviceOn(pack({ reducers })), [])
    const written = { ...note, writes: ["working.ok", "world.noted"] }
    assert.deepStrictEqual(adviceOn(pack({ tools: { note: written } })), ["working.mood"])
    const pure = { on: { note: { function: "() => ({})" } } }
    assert.deepStrictEqual(adviceOn(pack({ reducers: pure })), [])
    const contracts = { note: { required_state: { "working.ok": "bool" } } } as const
    assert.deepStrictEqual(adviceOn(pack({ contracts })), ["working.mood"])
    assert.deepStrictEqual(adviceOn(pack({}, { type: "string", initial: "fair" })), ["working.ok"])
  })

  it("is in no pack of the examples", () => {
    const root = join(import.meta.dirname, "../../..")
    const files = globSync("examples/*/{,*/}*.yaml", { cwd: root })
    const found = files.flatMap((file) => {
      const read = Yaml.fromYaml(readFileSync(join(root, file), "utf8"), { file, impure: "keep" })
      const warnings = Result.isFailure(read) ? [] : read.success.warnings
      return warnings.filter((each) => each.found.includes("nothing writes")).map(Issue.format)
    })
    assert.isAbove(files.length, 20)
    assert.deepStrictEqual(found, [])
  })
})
