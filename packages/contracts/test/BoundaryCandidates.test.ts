import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { BoundaryCandidates, TaskPack } from "../src/index.ts"

const write = { class: "medium_risk_write", identity: "none" } as const
const form = { tools: ["draft"], states: ["open"], entry: ["open"], exit: "to == 'drafted'" }
const made = (slot: object) => packOf({ slot: { tools: ["find", "take"], ...slot }, form })

const packOf = (skeletons: NonNullable<Parameters<typeof TaskPack.make>[0]["skeletons"]>) =>
  Result.getOrThrow(
    TaskPack.make({
      pack: "acme.form",
      version: "1",
      tools: {
        find: { class: "read_only", writes: ["slot"] },
        take: { ...write, reads: ["slots", "slot"], undo: { class: "K", by: "leave", with: {} } },
        leave: { ...write, undo: "X" },
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
      skeletons
    })
  )

describe("BoundaryCandidates", () => {
  it("are the states, entries, commits and exits that the machine and the tools give", () => {
    const pack = made({ states: ["open", "found"], entry: ["open"], commit: "to == 'found'" })
    const [form, slot] = BoundaryCandidates.of(pack)
    assert.deepStrictEqual(slot, {
      skeleton: "slot",
      tools: ["find", "take"],
      states: ["open", "found"],
      entry: ["open"],
      commits: [
        { from: "open", tool: "find", to: "found" },
        { from: "found", tool: "take", to: "open" }
      ],
      exits: [{ from: "found", tool: "take", to: "open" }],
      inputs: ["slots"],
      effects: "compensate",
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

  it("are drawn of tools that no skeleton has: those that lead back to each other's states together", () => {
    const pack = packOf({})
    assert.deepStrictEqual(
      BoundaryCandidates.of(pack).map(({ entry, pending, tools }) => [tools, entry, pending]),
      [
        [["find", "take"], ["open"], ["skeleton"]],
        [["draft"], ["open"], ["skeleton"]]
      ]
    )
    assert.deepInclude(BoundaryCandidates.load(pack), { skeletons: 0, pending: 2 })
    assert.deepStrictEqual(
      BoundaryCandidates.of(packOf({ form })).map(({ skeleton }) => skeleton),
      ["form", "find"]
    )
  })

  it("are none without a machine", () => {
    assert.deepStrictEqual(BoundaryCandidates.of({ fields: { working: {} }, skeletons: {}, tools: {} }), [])
  })
})
