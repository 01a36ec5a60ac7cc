import * as State from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import * as TickLine from "../src/output/TickLine.ts"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

/** The line of what was asked about an action before it is undone. */
const looked = (data: JsonObject, output: Json = null): string => {
  const body = {
    action: { id: "a2", tool: "charge" },
    author: "kernel",
    data: { before: {}, undoing: "u9", ...data }
  } as const
  const result = { output, status: "unknown", trust: 1 } as const
  const transition = {
    body: { ...body, result, type: "action.verified" },
    envelope: { ts: 0 },
    stamp: { asOf: 0 },
    tick: 13
  } as const
  return TickLine.told({ after: State.empty, before: State.empty, tool: "charge", transition })
}

describe("the line of a tick", () => {
  it("shows the findings about an action before it is undone, and not that it was read before it was sent", () => {
    assert.match(looked({ read: "ok" }, { order: "o1" }), /charge +is to be undone: order=o1$/)
    assert.match(looked({ absent: true, read: "not_found" }), /is to be undone: nothing of it is there$/)
    assert.match(looked({ read: "pending" }), /is to be undone: under way$/)
    assert.match(looked({ read: "unknown", reason: "cut" }), /is to be undone: not known, because cut$/)
    assert.match(looked({ read: "not_found" }), /is to be undone: not known$/)
  })

  it("says of an anomaly what was attempted, or what failed", () => {
    const told = (data: JsonObject): string => {
      const body = { author: "kernel", data, type: "kernel.anomaly" } as const
      const transition = { tick: 5, body, stamp: { asOf: 0 }, envelope: { ts: 0 } } as const
      return TickLine.told({ after: State.empty, before: State.empty, transition }).replace(/^kernel\.anomaly +/, "")
    }
    const rows: ReadonlyArray<readonly [JsonObject, string]> = [
      [{ kind: "author", author: "agent", type: "run.fork" }, "author: agent attempted run.fork"],
      [
        { kind: "action.move", from: "failed", to: "committed", tool: "pay" },
        "action.move: pay attempted failed → committed"
      ],
      [
        { kind: "predicate.failed", predicate: "over", at: 4 },
        "predicate.failed: over could not be evaluated, at tick 4"
      ],
      [{ kind: "replay.diverged", at: 3, states: 2 }, "replay.diverged: 2 states did not come out again, at tick 3"],
      [{ kind: "replay.missing_output" }, "replay.missing_output"]
    ]
    for (const [data, line] of rows) assert.strictEqual(told(data), line)
  })

  it("keeps its columns up to tick 999 while the last tick is not known, and with one that is known", () => {
    const at = (tick: number, last?: number): number => {
      const body = { author: "agent", type: "plan.update" } as const
      const transition = { tick, body, stamp: { asOf: 0 }, envelope: { ts: 0 } }
      const step = { after: State.empty, before: State.empty, transition }
      return TickLine.render(step, last).indexOf("plan.update")
    }
    assert.deepStrictEqual(
      [1, 99, 100, 999].map((tick) => at(tick)),
      [9, 9, 9, 9]
    )
    assert.deepStrictEqual(
      [1, 99, 100, 4000].map((tick) => at(tick, 4000)),
      [11, 11, 11, 11]
    )
  })

  it("has room for a tool with a name as long as send_confirmation, in one column with every other", async () => {
    const { out } = await shell.run(["run", "trip", "--agent", fixture("agent.ts")])
    const lines = out.split("\n").filter((line) => /^TICK \d+ {2}action\.result +(order|search) /.test(line))
    const columns = lines.map((line) => line.search(/(?<=(order|search) +)\S/) - line.search(/order|search/))
    assert.isAbove(columns.length, 2)
    assert.deepStrictEqual([...new Set(columns)], [22])
  })
})

describe("the line of a memo", () => {
  const noted = (topology: JsonObject) => {
    const body = { type: "artifact.write", author: "agent", data: { topology } } as const
    const transition = { tick: 2, body, stamp: { asOf: 1 }, envelope: { ts: 1 } } as const
    return TickLine.told({ before: State.empty, after: State.empty, transition }).replace(/^artifact\.write +/, "")
  }

  it("tells who is asked for which task, and what came of it, in words", () => {
    const rows: ReadonlyArray<readonly [JsonObject, string]> = [
      [{ memo: "dispatch", task: "t1", worker: "ann", brief: "pay" }, "orders t1 from ann: pay"],
      [{ memo: "report", task: "t1", result: { paid: 7 } }, "hands in t1: paid=7"],
      [{ memo: "collect", task: "t1" }, "takes t1 over"],
      [{ memo: "gate", stage: "cite", green: false }, "cite is red"],
      [{ memo: "gate", stage: "edit", green: true, whole: true }, "the whole is green"],
      [{ memo: "plan", steps: ["a", "b"], assumes: { a: true } }, "plans a, b; assumes a=true"],
      [{ memo: "step", step: 2, status: "failed", missing: "b" }, "step 2 has failed: b is missing"],
      [{ memo: "round", round: 1, draft: "a knot" }, "round 1 is complete: a knot"],
      [{ memo: "load", waiting: 9, idle: 3 }, "9 wait at the root, 3 are idle"],
      [{ memo: "aggregate", level: 1, of: 3 }, "brings 3 results of level 1 together"],
      [{ memo: "report", task: "t1" }, "a report of t1 that has not the form of one"],
      [{ memo: "report", task: "t1", unfit: [1] }, "a report of t1 that has not the form of one: [1]"],
      [{ memo: 7 }, "a memo that has not the form of one"]
    ]
    for (const [memo, line] of rows) assert.strictEqual(noted(memo), line)
  })
})

describe("the line of an undoing that is over", () => {
  const restored = (data: JsonObject) => {
    const body = { type: "recovery.restored", author: "kernel", data } as const
    const transition = { tick: 9, body, stamp: { asOf: 1 }, envelope: { ts: 1 } } as const
    return TickLine.told({ before: State.empty, after: State.empty, transition })
  }

  it("names the undone, the missing and the remaining acts with reasons, and shows no JSON", () => {
    const because = { args: {}, code: "cause.revision" }
    const all = restored({
      because,
      cause: "saga",
      masks: [],
      plan: "u1",
      undone: ["a4", "a2"],
      residue: ["a2"],
      absent: ["a6"]
    })
    assert.match(all, /undone a4, a2; nothing there of a6; left over of a2, because /)
    const checkpoint = { entity: "0", kind: "entry", ordinal: 1, skeleton: "slot", state: "open", tick: 4 }
    const rolled = { because, cause: "recovery", checkpoint, masks: [], plan: "u1", undone: ["a4"], residue: [] }
    const back = restored({ ...rolled, policy: { name: "commit", without: ["in_scope"] } })
    assert.include(
      back,
      "slot::0::1 back at its entry checkpoint of tick 4 by policy commit without in_scope; undone a4"
    )
    assert.include(restored(rolled), "back at its entry checkpoint of tick 4; undone a4")
    const none = restored({ because, cause: "saga", masks: [], plan: "u1", undone: [], residue: [] })
    assert.include(none, "nothing had to be undone, because ")
  })
})

describe("the line of a message", () => {
  const said = (data: JsonObject) => {
    const transition = {
      tick: 7,
      body: { type: "message.sent", author: "agent", data },
      stamp: { asOf: 1 },
      envelope: { ts: 1 }
    } as const
    return TickLine.render({ before: State.empty, after: State.empty, transition })
  }

  it("shows each wrong claim before its text, however long that is (L8)", () => {
    const content = "All done, everything was completed successfully, and nothing is left to do for anybody. ".repeat(3)
    const marked = [{ action: "a2", claimed: "success", found: "unknown" }]
    assert.include(said({ content, marked, reports: ["a2"] }), "a2 told as success, is unknown")
    assert.include(said({ content: "Which day?", reports: [] }), "Which day?")
    assert.notInclude(said({ content: "Which day?", reports: [] }), "told as")
  })
})
