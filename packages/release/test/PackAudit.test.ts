import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as English from "@backstitch/wording/English"
import * as PseudoWords from "@backstitch/wording/PseudoWords"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as lab from "../../runtime/test/lab.ts"
import * as PackAudit from "../src/PackAudit.ts"

describe("PackAudit", () => {
  it("tells each tool's recovery and proof, and counts the tools that a crash would leave held", () => {
    const { pack, tools, unrecoverable, verification } = PackAudit.of(lab.pack)
    assert.strictEqual(pack, "acme.trips")
    assert.sameMembers(
      tools.map(({ tool }) => tool),
      ["book", "fax", "look", "tell"]
    )
    const held = tools.filter((row) => row.unrecoverable)
    assert.deepStrictEqual(
      held.map(({ tool }) => tool),
      ["fax"]
    )
    assert.strictEqual(unrecoverable, 1)
    assert.include(held[0]?.advice, "declare")
    const proofs = Object.fromEntries(verification.map(({ proof, tool }) => [tool, proof]))
    assert.deepInclude(proofs, { book: "readback", fax: "own word" })
  })

  it("tells the first crack of a declared topology, and is not sound while nothing would detect it", () => {
    const audited = (topology: object | string) =>
      PackAudit.of(
        Result.getOrThrow(TaskPack.make({ pack: "acme.desk", version: "1.0.0", topology: topology as "react" }))
      )
    assert.isUndefined(PackAudit.of(lab.pack).topology)
    const bare = audited("orchestrator")
    assert.deepInclude(bare.topology, { kind: "orchestrator", crack: "lost_handoff", detector: "off" })
    assert.match(bare.topology?.remedy ?? "", /declare topology\.silence/)
    assert.isFalse(PackAudit.isSound(bare))
    const watched = audited({ kind: "orchestrator", silence: "30s" })
    assert.deepInclude(watched.topology, { detector: "on", checkpoint: "each order and each report" })
    assert.isTrue(PackAudit.isSound(watched))
    const idle = audited({ kind: "orchestrator", silence: "30s", rounds: 3, queue: 2 })
    assert.deepStrictEqual(idle.topology?.unread, ["topology.queue", "topology.rounds"])
  })

  it("tells what becomes of a role that hangs, with a time for it and without one", () => {
    const silenceOf = (topology: object | string) => {
      const pack = Result.getOrThrow(
        TaskPack.make({ pack: "acme.desk", version: "1.0.0", topology: topology as "react" })
      )
      return PackAudit.of(pack).topology?.silence
    }
    assert.include(silenceOf({ kind: "pipeline", order: ["a", "b"] }), "none is declared")
    assert.strictEqual(silenceOf({ kind: "debate", silence: "5m" }), "a role that is silent for 5m counts as lost")
    assert.isUndefined(silenceOf({ kind: "react", steps: 4 }))
  })

  it("takes its words from a lexicon", () => {
    const { tools, verification } = PackAudit.of(lab.pack, PseudoWords.of(English.words))
    for (const { advice } of tools) assert.isTrue(advice === undefined || PseudoWords.isMarked(advice))
    for (const { proof } of verification) assert.isTrue(PseudoWords.isMarked(proof))
  })
})
