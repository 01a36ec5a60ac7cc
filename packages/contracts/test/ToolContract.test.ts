import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { CheckCoverage, type Definition, Issue, TaskPack, ToolContract } from "../src/index.ts"

const writing: Definition.ToolDefinition = {
  class: "high_risk_external",
  input: { seat: "string" },
  target: "args.seat",
  identity: { scope: "run", fields: ["seat"] },
  status: "by_key",
  times: { sendWithin: "10s", settleAfter: "2m", keyRetention: "24h" },
  undo: { class: "K", by: "free", with: { seat: "args.seat" } },
  waives: Object.fromEntries(CheckCoverage.required.high_risk_external.map((name) => [name, "nothing is read"]))
}

const packOf = (tools: Readonly<Record<string, Definition.ToolDefinition>>) =>
  TaskPack.make({
    pack: "acme.tools",
    version: "1",
    state: { world: { seats: { table: { row: { who: "string" } } } }, working: { note: "string" } },
    specification: { limit: "1 < 2" },
    tools: { free: { ...writing, undo: "X" }, ...tools },
    violations: [{ id: "never", when: false }]
  })

const issues = (tool: Definition.ToolDefinition, more: Readonly<Record<string, Definition.ToolDefinition>> = {}) => {
  const read = packOf({ act: tool, ...more })
  return Result.isFailure(read) ? read.failure.issues.map(Issue.format).join("\n") : ""
}

const put: Definition.Operation = { put: { table: "world.seats", key: "'a'", row: { who: "'b'" } } }

/** One that is held in a local transaction until it is verified. */
const { status: _, ...unasked } = writing
const held: Definition.ToolDefinition = {
  ...unasked,
  transaction: "local",
  readback: { source: "db", expect: "actual.who == 'Ada'" }
}

/** Contracts, each with the part that contradicts it. */
const contradictions: ReadonlyArray<readonly [string, Definition.ToolDefinition, RegExp]> = [
  [
    "a write that does not change the world",
    { ...writing, undo: "I" },
    /I on a tool that is high_risk_external.*still R, K or X/
  ],
  ["a write declared as read", { ...writing, idempotency: "read" }, /declared as read/],
  ["a read that writes", { class: "read_only", writes: ["world.seats"] }, /read_only that writes world\.seats/],
  ["a read that changes beliefs", { class: "read_only", on_reconciled: [put] }, /read_only that writes world\.seats/],
  ["a read with a target", { class: "read_only", target: "'x'" }, /read_only with a target/],
  [
    "a read that can be undone",
    { class: "read_only", undo: { class: "R", by: "free", with: { seat: "'a'" } } },
    /read_only with undo R/
  ],
  ["a read that is effectful", { class: "read_only", idempotency: "effectful" }, /read_only that is effectful/],
  ["K without what undoes it", { ...writing, undo: "K" }, /K without by/],
  ["R without what undoes it", { ...writing, undo: { class: "R" } }, /R without by/],
  ["X with what undoes it", { ...writing, undo: { class: "X", by: "free", with: { seat: "'a'" } } }, /X with by/],
  [
    "a tool that undoes itself with what it was given",
    { ...writing, undo: { class: "K", by: "act" } },
    /the tool itself/
  ],
  ["an unknown tool that undoes", { ...writing, undo: { class: "K", by: "nobody" } }, /tool nobody/],
  ["a key without an identity", { ...writing, identity: "none" }, /by_key without an identity/],
  [
    "repeatable without an identity",
    { ...writing, identity: "none", status: "none", idempotency: "idempotent_write" },
    /idempotent_write without an identity/
  ],
  ["a read in a transaction", { class: "read_only", transaction: "local" }, /read_only in a transaction/],
  ["a transaction that cannot be read", { ...unasked, transaction: "local" }, /transaction without a readback/],
  [
    "a transaction that is read from a copy",
    { ...held, readback: { source: "db", from: "replica", expect: "actual.who == 'Ada'" } },
    /read back late.*its own store/
  ],
  [
    "a transaction that is read some time",
    { ...held, readback: { source: "db", consistency: "eventual", expect: "actual.who == 'Ada'" } },
    /read back late/
  ],
  ["a transaction that is asked by its key", { ...held, status: "by_key" }, /by_key on a local transaction/],
  [
    "a transaction of which a provider tells",
    { ...held, webhook: { secret: "S", tolerance: "none", key: "body.key", done: "body.done" } },
    /a webhook on a local transaction/
  ],
  ["a transaction without its times", { ...held, times: { sendWithin: "3s" } }, /sendWithin and times\.settleAfter/],
  [
    "a mutation without an identity",
    { class: "low_risk_internal", target: "none" },
    /or none where no two calls are one act/
  ],
  [
    "a readback that expects names out of scope",
    { ...writing, readback: { source: "db", expect: "row.status == 'ok'" } },
    /the name row/
  ],
  [
    "a readback that expects nothing",
    { ...writing, readback: { source: "db", expect: [] } },
    /at least one condition over actual/
  ],
  ["a clause that the specification lacks", { ...writing, assumes: ["budget"] }, /clause budget/]
]

describe("ToolContract", () => {
  it.each(contradictions)("refuses %s", (_, tool, message) => {
    assert.match(issues(tool), message)
  })

  it("accepts a contract without contradictions", () => {
    assert.strictEqual(issues(writing), "")
    assert.strictEqual(
      issues({ class: "read_only", on_reconciled: [{ set: { field: "working.note", value: "'seen'" } }] }),
      ""
    )
    assert.strictEqual(issues({ ...writing, on_reconciled: [put] }), "")
  })

  it("holds a call in a local transaction if the contract says so, and reads the record before it", () => {
    const pack = Result.getOrThrow(packOf({ act: held }))
    const [act, free] = [pack.tools["act"]!, pack.tools["free"]!]
    assert.deepStrictEqual([ToolContract.isLocal(act), ToolContract.isReadBefore(act)], [true, true])
    assert.deepStrictEqual([ToolContract.isLocal(free), ToolContract.isReadBefore(free)], [false, false])
  })

  it("lets two tools undo each other, and refuses longer circles", () => {
    const undo = (by: string): Definition.ToolDefinition => ({
      ...writing,
      undo: { class: "K", by, with: { seat: "args.seat" } }
    })
    assert.strictEqual(issues(undo("back"), { back: undo("act") }), "")
    assert.match(issues(undo("b"), { b: undo("c"), c: undo("act") }), /a cycle of compensations: act → b → c → act/)
  })

  it("refuses a compensation that only reads", () => {
    assert.match(
      issues({ ...writing, undo: { class: "K", by: "look" } }, { look: { class: "read_only" } }),
      /look, which is read_only/
    )
  })

  it("derives the class of repetition if the pack does not name it", () => {
    const of = (tool: Definition.ToolDefinition) => Result.getOrThrow(packOf({ act: tool })).tools["act"]?.idempotency
    assert.strictEqual(of({ class: "read_only" }), "read")
    assert.strictEqual(of(writing), "idempotent_write")
    assert.strictEqual(of({ ...writing, status: "none" }), "effectful")
    assert.strictEqual(of({ ...writing, idempotency: "effectful" }), "effectful")
  })

  it("can be asked only with a key and all three times (L14)", () => {
    const of = (tool: Definition.ToolDefinition) => {
      const pack = Result.getOrThrow(packOf({ act: tool }))
      return {
        asked: ToolContract.canBeAsked(TaskPack.tool(pack, "act")),
        warnings: pack.warnings
          .filter(({ path }) => path.startsWith("tools.act"))
          .map(Issue.format)
          .join("\n")
      }
    }
    const lasting: Definition.ToolDefinition = {
      ...writing,
      idempotency: "idempotent_write",
      undo: "X",
      writes: ["seats"]
    }
    assert.deepStrictEqual(of(lasting), { asked: true, warnings: "" })
    const timeless = of({ ...lasting, times: { sendWithin: "10s" } })
    assert.isFalse(timeless.asked)
    assert.match(timeless.warnings, /stays unknown and is held/)
    assert.isFalse(of({ ...lasting, status: "none" }).asked)
  })

  it("is proven absent by a strong readback, or else under its key, and by no read that lags (L5)", () => {
    const readback = { source: "seats", expect: "actual.who == 'Ada'" } as const
    const of = (tool: Definition.ToolDefinition) =>
      ToolContract.absenceBy(TaskPack.tool(Result.getOrThrow(packOf({ act: tool })), "act"))
    assert.strictEqual(of({ ...writing, readback }), "readback")
    assert.strictEqual(of({ ...writing, readback: { ...readback, consistency: "eventual" } }), "status")
    assert.strictEqual(of({ ...writing, readback: { ...readback, from: "replica" } }), "status")
    assert.strictEqual(of(writing), "status")
    assert.isUndefined(of({ ...writing, status: "none" }))
    assert.isUndefined(of({ ...writing, times: { sendWithin: "10s" } }))
    assert.isUndefined(of({ ...writing, status: "none", readback: { ...readback, from: "cache" } }))
  })

  it("is undone only where that can be asked about and verified, and says so at its undo (L5)", () => {
    const readback = { source: "seats", expect: "actual.who == 'Ada'" } as const
    const of = (
      act: Definition.ToolDefinition,
      free: Definition.ToolDefinition = { ...writing, readback, undo: "X" }
    ) => Result.getOrThrow(packOf({ act, free })).warnings.filter(({ path }) => path === "tools.act.undo")
    assert.deepStrictEqual(of(writing), [])
    assert.deepStrictEqual(
      of({ ...writing, status: "none" }).map(({ found }) => found),
      ["an undo of act, of which nobody can find out whether there is anything to undo"]
    )
    assert.deepStrictEqual(
      of(writing, { ...writing, undo: "X" }).map(({ found }) => found),
      ["an undo by free, which has no readback"]
    )
  })

  it("warns about effects that can never be proven, and about mutations that hold no target", () => {
    const { target: _, ...untargeted } = writing
    const warned = (more: object) =>
      Result.getOrThrow(packOf({ act: { ...untargeted, status: "none", ...more } as never }))
        .warnings.map(Issue.format)
        .join("\n")
    assert.match(warned({ class: "medium_risk_write" }), /without a readback.*never be reported as done/)
    assert.match(warned({}), /high_risk_external without a readback.*accepts_word.*held until a person decides/)
    assert.match(warned({}), /no target/)
    assert.match(
      warned({ status: "by_key" }),
      /tools.act: found no idempotency.*sent again under its key.*only stores keys is effectful/
    )
    assert.notMatch(warned({ idempotency: "effectful", status: "by_key" }), /tools.act: found no idempotency/)
    assert.notMatch(warned({}), /tools.act: found no idempotency/)
  })

  it("names the person whose word is accepted if nothing can be checked, and nobody otherwise", () => {
    const accepts_word = { by: "head of payments", why: "the fax has no record" }
    const warned = (more: object) =>
      Result.getOrThrow(packOf({ act: { ...writing, ...more } as never }))
        .warnings.map(Issue.format)
        .join("\n")
    assert.match(warned({ accepts_word, status: "none" }), /whose own word head of payments accepts/)
    assert.match(warned({ accepts_word }), /accepts_word on a tool that is verified/)
    assert.deepStrictEqual(issues({ ...writing, accepts_word: { by: "", why: "x" } } as never).length > 0, true)
  })

  it("names the part of the record that is read before a sending, and the parts of an effect", () => {
    const readback = {
      source: "airline",
      expect: "actual.ok",
      before: "refuse",
      version: { planned: "args.seat", actual: "actual.version" },
      parts: { seat: "actual.seat", bag: "actual.bag" }
    } as const
    const read = TaskPack.tool(Result.getOrThrow(packOf({ act: { ...writing, readback } })), "act").readback
    assert.deepStrictEqual([read?.before, Object.keys(read?.parts ?? {})], ["refuse", ["bag", "seat"]])
    assert.isDefined(read?.version)
    assert.match(
      issues({ ...writing, readback: { ...readback, version: { planned: "args.nobody" } } as never }),
      /version/
    )
  })

  it("treats a tool without a contract as irreversible and unverifiable", () => {
    const unknown = ToolContract.unknown("mystery")
    assert.isTrue(ToolContract.isMutating(unknown))
    assert.isFalse(ToolContract.isVerifiable(unknown))
    assert.isFalse(ToolContract.canBeAsked(unknown))
    assert.deepStrictEqual([unknown.known, unknown.undo.class], [false, "X"])
  })
})
