import type { Body, Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as RecordedRequest from "../src/history/RecordedRequest.ts"

type Step = readonly [Body["type"], Partial<Body>?, string?]

const transitions = (...steps: ReadonlyArray<Step>): ReadonlyArray<Transition> =>
  steps.map(([type, more, key], index) => ({
    tick: index + 1,
    body: { author: "kernel", action: { id: "a1", tool: "pay", params: { amount: 1 } }, ...more, type },
    stamp: { asOf: 100 + index, ...(key === undefined ? {} : { key }) },
    envelope: { ts: 0 }
  }))

const of = (...steps: ReadonlyArray<Step>) => RecordedRequest.of(transitions(...steps), "a1")

describe("RecordedRequest", () => {
  it("is the request of the action, under its key, with its tool's answer and its times (L5)", () => {
    assert.deepStrictEqual(
      of(
        ["action.request"],
        ["action.started", {}, "k1"],
        ["action.result", { result: { status: "unknown", output: "cut" } }],
        ["action.started", {}, "k1"],
        ["action.result", { result: { status: "ok", output: "C1" } }],
        ["action.reconciled", { result: { status: "ok" } }]
      ),
      {
        action: "a1",
        tool: "pay",
        params: { amount: 1 },
        key: "k1",
        observed: "C1",
        firstAt: 101,
        startedAt: 103,
        isSettled: true
      }
    )
  })

  it("counts from its first start under the key that it has: another key is sent for the first time", () => {
    const found = of(["action.request"], ["action.started", {}, "k1"], ["action.started", {}, "k2"])
    assert.deepInclude(found, { key: "k2", firstAt: 102, startedAt: 102 })
  })

  it("is closed by its settlement: later answers do not belong to it", () => {
    const found = of(
      ["action.request"],
      ["action.started", {}, "k1"],
      ["action.reconciled", { result: { status: "ok" } }],
      ["action.result", { result: { status: "ok", output: "late" } }],
      ["action.started", {}, "k2"]
    )
    assert.deepInclude(found, { key: "k1", observed: undefined, startedAt: 101 })
  })

  it("leaves out the news from a provider about an action that a person decides about", () => {
    const told = { delivery: "d1", told: { outcome: "done", output: "C2" } }
    const found = of(["action.request"], ["action.result", { data: told, result: { status: "ok", output: "C2" } }])
    assert.isUndefined(found?.observed)
  })

  it("is nothing if no transition asks for it, and an import has its key from the request on", () => {
    assert.isUndefined(of(["action.started", {}, "k1"]))
    assert.isUndefined(RecordedRequest.of(transitions(["action.request"]), "a2"))
    assert.strictEqual(of(["action.request", {}, "k0"])?.key, "k0")
  })
})
