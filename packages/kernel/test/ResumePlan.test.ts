import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Decided } from "../src/decision/Decision.ts"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as ResumePlan from "../src/ResumePlan.ts"
import { asks, Bench, bookOf, call, type Definition, definition, ends, ok, outcome } from "./lab.ts"

type Tools = NonNullable<Definition["tools"]>
type Tool = Tools[string]

const silent: Evidence = { _tag: "Unknown", reason: "cut" }
const absent: Evidence = { _tag: "NotFound" }
const times = { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" } as const
const identity = { scope: "run", fields: [{ to: "exact" }] } as const
const record = { source: "post", expect: "actual.to == args.to", within: "1s" } as const
const lagging = { ...record, consistency: "eventual" } as const
const undo = { class: "K", by: "unbook", with: { id: "args.to" } } as const

/** Every part of a contract that a recovery may depend on, each with all its kinds. */
const parts: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  class: ["medium_risk_write", "high_risk_external"],
  identity: ["none", identity],
  idempotency: ["idempotent_write", "effectful"],
  status: ["none", "by_key"],
  readback: [
    undefined,
    record,
    { ...record, consistency: "strong" },
    { ...record, before: "permit" },
    lagging,
    { ...lagging, before: "permit" },
    { ...lagging, strong: { source: "ledger" } }
  ],
  times: [{}, times, { keyRetention: "1h" }, { keyRetention: "5s" }, { sendWithin: "3s", settleAfter: "1s" }],
  undo: ["X", undo],
  transaction: [undefined, "local"]
}

/** Every combination of the parts. */
const shapes = Object.entries(parts).reduce<ReadonlyArray<object>>(
  (all, [name, kinds]) =>
    all.flatMap((each) => kinds.map((kind) => (kind === undefined ? each : { ...each, [name]: kind }))),
  [{ input: { to: "string" }, target: "none" }]
)

const tooling = (tools: Tools): Definition => ({
  ...definition,
  tools: { ...definition.tools, ...tools },
  budgets: { steps: 10_000 }
})

/** The shapes that a pack admits. */
const admitted = (): Tools => {
  const all = shapes.map((shape, index) => [`t${index}`, shape as Tool] as const)
  const made = TaskPack.make(tooling(Object.fromEntries(all)))
  const refused = Result.isFailure(made) ? made.failure.issues.map(({ path }) => path.split(".")[1]) : []
  const names = new Set(refused)
  return Object.fromEntries(all.filter(([name]) => !names.has(name)))
}

const withTools = (tools: Tools): TaskPack.TaskPack => Result.getOrThrow(TaskPack.make(tooling(tools)))
const auditOf = (tool: Tool) => ResumePlan.audit(withTools({ tool }), "tool")
const base = { class: "high_risk_external", identity: "none", input: { to: "string" }, target: "none" } as Tool

/** Sends a call of which nobody hears: the process dies in the middle of it. */
const begun = (bench: Bench, tool: string): { readonly action: string; readonly key: string | undefined } => {
  let { next } = bench.proposes({ tool, params: { to: tool } })
  if (next._tag === "ReadBefore") {
    next = bench.does({ _tag: "ReadBefore", action: next.request.action, evidence: absent }).next
  }
  if (next._tag !== "Call" && next._tag !== "Open") return assert.fail(`${tool}: ${JSON.stringify(next)}`)
  return next.request
}

/** Decides at a later time, and commits nothing. */
const later = (bench: Bench, millis: number, command: Parameters<Bench["decides"]>[0]): Decided => {
  const { now } = bench
  bench.now += millis
  const decided = bench.decides(command)
  bench.now = now
  return decided
}

/** Recovers an action, after the waits that the kernel asks for. */
const recovered = (bench: Bench, action: string): Decided => {
  const first = bench.decides({ _tag: "Recover", action })
  if (first.next._tag !== "Wait") return first
  return later(bench, first.next.untilMillis - bench.now, { _tag: "Recover", action })
}

/** Shows that the kernel does with an action in flight what a recovery says. */
const shown: {
  readonly [R in ResumePlan.ResumeWay]?: (
    bench: Bench,
    about: { readonly action: string; readonly key: string | undefined; readonly next: Decided["next"] }
  ) => void
} = {
  resume_with_key: (_, { key, next }) => {
    assert.isTrue(next._tag === "Call" && key !== undefined && next.request.key === key)
  },
  ask_then_resume: (bench, { action, next }) => {
    const evidence = absent
    if (next._tag === "ReadBack") {
      ends(later(bench, 60_000, { _tag: "ReadBack", action, evidence }), "Failed")
      return
    }
    assert.strictEqual(next._tag, "Ask")
    const { next: then } = later(bench, 60_000, { _tag: "Answered", action, via: "status", evidence })
    assert.include(["Call", "ReadBefore"], then._tag)
  },
  ask_or_hold: (bench, { action, next }) => {
    assert.strictEqual(next._tag, "Ask")
    ends(bench.decides({ _tag: "Answered", action, via: "status", evidence: absent }), "Held")
    const told = bench.decides({ _tag: "Answered", action, via: "status", evidence: ok({ to: "x" }) })
    assert.isTrue(told.next._tag === "ReadBack" || outcome(told)._tag === "Done")
  },
  read_or_hold: (bench, { action, key, next }) => {
    const { source } = asks({ next }, "ReadBack")
    ends(later(bench, 60_000, { _tag: "ReadBack", action, evidence: absent, source }), "Held")
    const to = OpenActions.of(bench.state)[action]?.tool ?? ""
    const own = ok(key === undefined ? { to } : { to, key })
    ends(later(bench, 60_000, { _tag: "ReadBack", action, evidence: own, source }), "Done")
  },
  hold: (_, { next }) => {
    ends({ next }, "Held")
  },
  hold_then_compensate: (_, { next }) => {
    ends({ next }, "Held")
  }
}

const stepOf = (bench: Bench): ResumePlan.ResumeStep => ResumePlan.plan(bench.terms, bench.state).at(-1)!

describe("ResumePlan", () => {
  const tools = admitted()

  it("plans and audits for every shape of a contract what the kernel does after a crash in mid-call (L14)", () => {
    const rows = new Map(ResumePlan.auditPack(withTools(tools)).map((row) => [row.tool, row]))
    const seen = new Set<ResumePlan.ResumeWay>()
    const names = Object.keys(tools)
    for (let from = 0; from < names.length; from += 8) {
      const bench = new Bench({ changes: tooling(tools) })
      const all = names.slice(from, from + 8).map((tool) => ({ tool, ...begun(bench, tool) }))
      const steps = new Map(ResumePlan.plan(bench.terms, bench.state).map((step) => [step.action, step]))
      for (const { action, key, tool } of all) {
        const about = JSON.stringify(tools[tool])
        const row = rows.get(tool)!
        const { because, phase, property, recovery } = steps.get(action)!
        assert.deepStrictEqual([phase, recovery, because], ["in_flight", row.recovery, property], about)
        assert.strictEqual(row.unrecoverable, recovery === "hold")
        assert.strictEqual(row.advice !== undefined, /hold/.test(recovery), about)
        seen.add(recovery)
        try {
          shown[recovery]!(bench, { action, key, next: recovered(bench, action).next })
        } catch (error) {
          throw new Error(`${recovery} of ${about}: ${error}`)
        }
      }
    }
    assert.sameMembers([...seen], Object.keys(shown))
  })

  it("never repeats a mutation in flight without a key that is honoured or a question that proves (L14)", () => {
    const pack = withTools(tools)
    for (const { recovery, tool } of ResumePlan.auditPack(pack)) {
      const contract = TaskPack.tool(pack, tool)
      const { idempotency, identity, times } = contract
      const isHonoured =
        idempotency === "idempotent_write" && identity !== undefined && times.keyRetentionMillis !== undefined
      if (recovery === "resume") assert.isFalse(ToolContract.isMutating(contract))
      if (recovery === "resume_with_key") assert.isTrue(isHonoured)
      if (recovery === "ask_then_resume")
        assert.isTrue(ToolContract.canBeAsked(contract) || ToolContract.isLocal(contract))
    }
  })

  it("holds a lost call whose key is forgotten, and says so", () => {
    const bench = new Bench()
    call(bench.proposes({ tool: "tell", params: { to: "a@b.ch" } }))
    assert.deepInclude(stepOf(bench), { recovery: "resume_with_key", because: "keyed" })
    bench.now += 3_600_000
    const { because, property, recovery, why } = stepOf(bench)
    assert.deepStrictEqual([recovery, because, property], ["hold", "held", "keyed"])
    assert.deepInclude(why?.args, { tool: "tell", why: { args: {}, code: "sending.key_expired" } })
  })

  it("holds a call whose first read was not made: its record may not be its own", () => {
    const bench = new Bench({
      changes: tooling({ letter: { ...base, readback: { ...record, before: "permit" } } as Tool })
    })
    asks(bench.proposes({ tool: "letter", params: { to: "x" } }), "ReadBefore")
    assert.strictEqual(ResumePlan.propertyOf(bench.pack, "letter"), "read")
    assert.deepInclude(stepOf(bench), { recovery: "hold", because: "held" })
  })

  it("does not say that an answer is read back which nothing can check", () => {
    const answered = (more: Partial<Tool>, evidence: Evidence = ok({ id: 1 })) => {
      const bench = new Bench({ changes: tooling({ tool: { ...base, ...more } as Tool }) })
      const { action } = call(bench.proposes({ tool: "tool", params: { to: "x" } }))
      // The process dies between the answer and what follows from it.
      const { drafts } = bench.decides({ _tag: "Answered", action, via: "call", evidence })
      bench.commits(drafts.slice(0, 1))
      const { because, phase, recovery, why } = stepOf(bench)
      return [phase, recovery, because, why?.code]
    }
    const accepted: Evidence = { _tag: "Accepted", output: { id: 1 } }
    const keyed = { identity, status: "by_key", times } as Partial<Tool>
    assert.deepStrictEqual(answered({}), ["answered", "hold", "held", "outcome.word_alone"])
    assert.deepStrictEqual(answered(keyed), ["answered", "ask_then_resume", "asked", undefined])
    assert.deepStrictEqual(answered({ readback: record }), ["answered", "resume", "answered", undefined])
    assert.deepStrictEqual(answered({}, accepted), ["answered", "hold", "held", "outcome.accepted"])
    assert.deepStrictEqual(answered(keyed, accepted), ["answered", "ask_then_resume", "asked", undefined])
  })

  it("leaves a lost call to the person who decides about it", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes({ tool: "fax", params: { to: "x" } }))
    assert.deepInclude(stepOf(bench), { recovery: "hold", because: "neither", property: "neither" })
    ends(bench.answers(action, silent), "Held")
    assert.deepInclude(stepOf(bench), { recovery: "hold", because: "frozen", property: "neither" })
  })

  it("lists actions in the order in which they began, and starts over what was never begun (L14)", () => {
    const bench = new Bench()
    call(bench.proposes({ tool: "look", params: { q: "x" } }))
    call(bench.proposes(bookOf("LX1")))
    const { drafts } = bench.decides({ _tag: "Propose", proposal: { tool: "fax", params: { to: "x" } } })
    bench.commits(drafts.slice(0, 1))
    assert.deepStrictEqual(
      ResumePlan.plan(bench.terms, bench.state).map(({ because, phase, recovery, tool }) => [
        tool,
        phase,
        recovery,
        because
      ]),
      [
        ["look", "before_start", "resume", "harmless"],
        ["book", "in_flight", "ask_then_resume", "asked"],
        ["fax", "before_start", "restart", "unstarted"]
      ]
    )
  })

  it("knows no property of a tool that the pack does not name", () => {
    assert.strictEqual(ResumePlan.propertyOf(undefined, "fax"), "neither")
  })

  it("audits a pack, with the unrecoverable tools on top", () => {
    const { fax, look, tell } = definition.tools
    const pack = Result.getOrThrow(
      TaskPack.make({ pack: "acme.notes", version: "1.0.0", state: definition.state, tools: { look, tell, fax } })
    )
    assert.deepStrictEqual(
      ResumePlan.auditPack(pack).map((row) => [row.tool, row.recovery, row.unrecoverable]),
      [
        ["fax", "hold", true],
        ["look", "resume", false],
        ["tell", "resume_with_key", false]
      ]
    )
  })

  it("advises the first thing that a contract lacks", () => {
    const adviceOf = (more: object) => auditOf({ ...base, ...more } as Tool).advice
    const keyed = { identity, idempotency: "idempotent_write" }
    assert.deepStrictEqual(adviceOf({ identity: "none" }), { code: "identity" })
    assert.deepStrictEqual(adviceOf({ identity, idempotency: "effectful" }), { code: "status" })
    assert.deepStrictEqual(adviceOf(keyed), { code: "key_retention" })
    assert.deepStrictEqual(adviceOf({ ...keyed, times: { keyRetention: "5s" } }), { code: "send_within" })
    assert.isUndefined(adviceOf({ ...keyed, times: { keyRetention: "1h" } }))
    const untimed = { ...keyed, status: "by_key", times: { keyRetention: "1h" } }
    assert.deepStrictEqual(adviceOf(untimed), { code: "times", lacks: ["sendWithin", "settleAfter"] })
  })
})
