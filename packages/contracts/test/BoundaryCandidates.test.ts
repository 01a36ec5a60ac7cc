import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { BoundaryCandidates, TaskPack } from "../src/index.ts"

const made = (slot: object) =>
  Result.getOrThrow(
    TaskPack.make({
      pack: "acme.form",
      version: "1",
      tools: {
        find: { class: "read_only", writes: ["slot"] },
        take: { class: "read_only" },
        draft: { class: "read_only" }
      },
      machine: {
        initial: "open",
        states: ["open", "found", "drafted"],
        edges: [
          { from: "open", tool: "find", to: "found" },
          { from: "found", tool: "take", to: "open" },
          { from: "open", tool: "draft", to: "drafted" }
        ]
      },
      skeletons: {
        slot: { tools: ["find", "take"], ...slot },
        form: { tools: ["draft"], states: ["open"], entry: ["open"], exit: "to == 'drafted'" }
      }
    })
  )

describe("BoundaryCandidates", () => {
  it("are the states, entries, commits and exits that the machine and the tools give", () => {
    const pack = made({ states: ["open", "found"], entry: ["open"], commit: "to == 'found'" })
    const [form, slot] = BoundaryCandidates.of(pack)
    assert.deepStrictEqual(slot, {
      skeleton: "slot",
      states: ["open", "found"],
      entry: ["open"],
      commits: [
        { from: "open", tool: "find", to: "found" },
        { from: "found", tool: "take", to: "open" }
      ],
      exits: [{ from: "found", tool: "take", to: "open" }],
      pending: ["exit"],
      drift: []
    })
    assert.deepStrictEqual(form?.exits, [{ from: "open", tool: "draft", to: "drafted" }])
    assert.deepStrictEqual(BoundaryCandidates.load(pack), {
      skeletons: 2,
      commits: 3,
      exits: 2,
      pending: 2,
      states: 3,
      edges: 3
    })
  })

  it("show where the reviewed skeleton differs, and which condition nobody has signed", () => {
    const [, slot] = BoundaryCandidates.of(made({ states: ["open", "drafted"], exit: true }))
    assert.deepStrictEqual(slot?.pending, ["commit"])
    assert.deepStrictEqual(slot?.drift, [
      { field: "states", candidate: ["found"], reviewed: ["drafted"] },
      { field: "entry", candidate: ["open"], reviewed: [] }
    ])
  })

  it("are none without a machine", () => {
    assert.deepStrictEqual(BoundaryCandidates.of({ fields: { working: {} }, skeletons: {}, tools: {} }), [])
  })
})
