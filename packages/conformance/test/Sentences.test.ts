import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Export from "@backstitch/trace/Export"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Sentences from "../src/Sentences.ts"

const root = join(import.meta.dirname, "../../..")

/** Every trace in the repository that a kernel has committed. */
const traces = globSync("{packages,examples}/*/{test/histories,recorded}/*.jsonl", { cwd: root }).flatMap((file) => {
  const read = Export.decode(readFileSync(join(root, file), "utf8"))
  return Result.isSuccess(read) ? [[file, read.success.transitions.map(Transition.open)] as const] : []
})

describe("Sentences", () => {
  it("finds none in any trace of the repository (decision 0027)", () => {
    assert.isAtLeast(traces.length, 10)
    for (const [file, transitions] of traces) assert.deepStrictEqual([file, Sentences.inTrace(transitions)], [file, []])
  })

  it("finds one in a code, a name and an argument, and names tick, type and field", () => {
    const at = (body: Transition.Body) =>
      Sentences.inTrace([{ body, envelope: { ts: 0 }, stamp: { asOf: 0 }, tick: 7 }])
    const fork: Transition.Body = {
      author: "kernel",
      data: { at: 3, child: "b", parent: "to try it" },
      type: "run.fork"
    }
    assert.deepStrictEqual(at(fork), ["tick 7 run.fork data.parent: to try it"])
    const why = { args: { tool: "the card" }, code: "approval.needed" }
    const asked: Transition.Body = { author: "kernel", data: { review: "r1", why }, type: "review.requested" }
    assert.deepStrictEqual(at(asked), ["tick 7 review.requested data.why.args.tool: the card"])
    const checks = [{ id: "tools", step: "fork policy", why: { args: { tool: "sell it" }, code: "fork.denies" } }]
    const refused: Transition.Body = { author: "kernel", data: { checks }, type: "intent.refused" }
    assert.deepStrictEqual(at(refused), [
      "tick 7 intent.refused data.checks.0.step: fork policy",
      "tick 7 intent.refused data.checks.0.why.args.tool: sell it"
    ])
    const because = { args: {}, code: "it was late" }
    const restored: Transition.Body = { author: "kernel", data: { because }, type: "recovery.restored" }
    assert.deepStrictEqual(at(restored), ["tick 7 recovery.restored data.because.code: it was late"])
    const anomaly: Transition.Body = { author: "kernel", data: { kind: "k", said: "so it is" }, type: "kernel.anomaly" }
    assert.deepStrictEqual(at(anomaly), ["tick 7 kernel.anomaly data.said: so it is"])
  })

  it("finds none in the evidence that our sources make, which passes for a word of a tool", () => {
    const made = /_tag:\s*"(?:Error|Unknown)",\s*(?:error|reason):\s*["`][^"`]*\s[^"`]*["`]/g
    assert.match('{ _tag: "Error", error: "it is gone" }', made)
    const sources = globSync("{packages,packages/adapters,apps}/*/src/**/*.ts", { cwd: root })
    // The suite plays the providers of its worlds: what they say is theirs.
    const files = sources.filter((file) => !file.startsWith("packages/conformance/"))
    assert.isAtLeast(files.length, 400)
    for (const file of files) {
      const found = [...readFileSync(join(root, file), "utf8").matchAll(made)].map(([text]) => text)
      assert.deepStrictEqual([file, found], [file, []])
    }
  })

  it("leaves to people, providers, models and contracts what they wrote", () => {
    const fork: Transition.Body = {
      author: "kernel",
      data: { at: 3, child: "b", policy: ["args.price > 50"], reason: "before the charge" },
      goal: "three nights",
      intent: { description: "look for a room" },
      type: "run.fork"
    }
    const noted: Transition.Body = { author: "agent", data: { text: "it rains" }, type: "observation.add" }
    const failed = { output: "sold out", status: "error" } as const
    const shipped: Transition.Body = {
      author: "user",
      data: { note: "by boat" },
      result: failed,
      type: Ontology.Foreign.make("acme.shipped")
    }
    for (const body of [fork, noted, shipped]) assert.deepStrictEqual(Sentences.of(body), [])
  })
})
