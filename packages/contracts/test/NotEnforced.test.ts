import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as NotEnforced from "../src/NotEnforced.ts"
import * as TaskPack from "../src/TaskPack.ts"
import * as Yaml from "../src/Yaml.ts"

describe("NotEnforced", () => {
  it("names the declarations of a contract that nothing enforces", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.desk",
        version: "1.0.0",
        state: { world: { n: "int" } },
        specification: { few: { holds: "world.n < 5" } },
        topology: { kind: "debate", rounds: 3, steps: 9, queue: 4 },
        tools: { look: { class: "read_only", reads: ["world.n"], assumes: ["few"] }, other: { class: "read_only" } },
        skeletons: { a: { tools: ["look"], exit: "world.n > 1" }, b: { tools: ["other"], after: ["a"], inputs: [] } }
      })
    )
    assert.deepStrictEqual(NotEnforced.of(pack), [
      "topology.queue",
      "skeletons.a.exit",
      "skeletons.b.after",
      "tools.look.reads",
      "tools.look.assumes"
    ])
  })

  it("names nothing that recovery reads, where the states of the agent are declared", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.desk",
        version: "1.0.0",
        tools: { look: { class: "read_only", reads: ["found"], assumes: [] } },
        machine: { initial: "open", states: ["open"], edges: [] },
        skeletons: { a: { tools: ["look"], states: ["open"], inputs: ["found"], commit: "to == 'open'", after: [] } }
      })
    )
    assert.deepStrictEqual(NotEnforced.of(pack), [])
  })

  it("names what revisions read only where the contract permits revisions", () => {
    const definition = {
      pack: "acme.desk",
      version: "1.0.0",
      state: { world: { n: "int" } },
      specification: { few: { holds: "world.n < clause.few", value: "int", default: 5 } },
      tools: {
        look: { class: "read_only", reads: ["world.n"], assumes: { few: "clause.few > 2" }, serves: ["few"] }
      }
    } as const
    const named = (more: object) => NotEnforced.of(Result.getOrThrow(TaskPack.make({ ...definition, ...more })))
    assert.deepStrictEqual(named({}), ["tools.look.reads", "tools.look.assumes", "tools.look.serves"])
    assert.deepStrictEqual(named({ revisions: {} }), [])
  })

  it("does not name an empty declaration", () => {
    const text =
      "pack: acme.desk\nversion: 1.0.0\ntools:\n  look: { class: read_only, reads: [], assumes: }\n  see: { class: read_only, assumes: {} }\n"
    assert.deepStrictEqual(NotEnforced.of(Result.getOrThrow(Yaml.fromYaml(text, { file: "p.yaml" }))), [])
  })

  it("names nothing of a contract that is enforced completely", () => {
    const pack = Result.getOrThrow(TaskPack.make({ pack: "acme.desk", version: "1.0.0" }))
    assert.deepStrictEqual(NotEnforced.of(pack), [])
  })
})
