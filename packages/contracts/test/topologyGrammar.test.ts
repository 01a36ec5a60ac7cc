import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { TaskPack, Yaml } from "../src/index.ts"

const head = "pack: acme.press\nversion: 1.0.0\ntopology: "

const read = (topology: string) => Yaml.fromYaml(`${head}${topology}\n`, { file: "p.yaml" })

describe("a topology that cannot work", () => {
  it.each([
    ["{ kind: react, steps: 0 }", "0 }", /found 0, expected a whole number, 1 or more/],
    ["{ kind: debate, rounds: 1 }", "1 }", /found 1, expected a whole number, 2 or more/],
    ["{ kind: hierarchical, queue: 1 }", "1 }", /found 1, expected a whole number, 2 or more/],
    ["{ kind: plan_execute, plan: 0s }", "0s", /found no time, expected a duration above zero/],
    ["{ kind: orchestrator, silence: 0ms }", "0ms", /found no time, expected a duration above zero/],
    ["{ kind: debate, rounds: 2, agents: { jugde: eve } }", "jugde", /the role jugde.*Did you mean judge\?/],
    ["{ kind: pipeline, order: [cite, write], agents: { wriet: eve } }", "wriet", /one of cite, write, judge/],
    ["{ kind: pipeline, order: [cite, write, cite] }", "cite] }", /the name cite once more/],
    ["{ kind: pipeline, order: [cite, judge] }", "judge] }", /the name judge once more/]
  ] as const)("is refused at its place: %s", (topology, mark, message) => {
    const found = read(topology)
    assert.isTrue(Result.isFailure(found))
    if (Result.isSuccess(found)) return
    const [issue, ...others] = found.failure.issues
    assert.deepStrictEqual(others, [])
    assert.match(found.failure.message, message)
    const column = "topology: ".length + topology.lastIndexOf(mark) + 1
    assert.deepStrictEqual([issue?.line, issue?.column], [3, column], found.failure.message)
  })

  it("is none because of the names of workers, or because two leaves share one", () => {
    for (const topology of [
      "{ kind: orchestrator, silence: 30s, agents: { boss: ada, singer: eve } }",
      "{ kind: hierarchical, queue: 2, order: [ann, ann], agents: { leaf: bob } }",
      "{ kind: react, steps: 1, agents: { agent: ada } }",
      "{ kind: pipeline, order: [cite, write], agents: { cite: ann, judge: eve } }"
    ]) {
      assert.isTrue(Result.isSuccess(read(topology)), topology)
    }
  })

  it("is kept as it is, with a warning, where a run has pinned it", () => {
    const definition = { pack: "acme.press", version: "1.0.0", topology: { kind: "debate", rounds: 1 } }
    const stored = Result.getOrThrow(TaskPack.fromJson(definition))
    assert.strictEqual(stored.topology?.roundsMax, 1)
  })
})
