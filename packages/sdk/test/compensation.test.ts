import * as Path from "node:path"
import { assert, describe, it } from "vitest"
import { Backstitch, BackstitchError, type PackDefinition } from "../src/Sdk.ts"
import type * as Message from "../src/values/Message.ts"
import { freshFolder } from "./freshFolder.ts"

const seat = {
  class: "high_risk_external",
  times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "24h" },
  status: "by_key",
  idempotency: "idempotent_write"
} as const

const pack: PackDefinition = {
  pack: "acme.seats",
  version: "1",
  state: { world: { taken: { table: { key: "seat", row: { seat: "string" } } } } },
  tools: {
    announce: { class: "medium_risk_write", input: { seat: "string" }, target: "none", identity: "none", undo: "X" },
    reserve: {
      ...seat,
      input: { seat: "string" },
      target: "'seat/' + args.seat",
      identity: { scope: "goal", fields: ["seat"] },
      readback: { source: "the seat map", expect: ["actual.seat == args.seat", "actual.key == key"] },
      undo: { class: "R", by: "release", with: { seat: "args.seat" } },
      on_reconciled: [{ put: { table: "world.taken", key: "args.seat", row: { seat: "args.seat" } } }]
    },
    release: {
      ...seat,
      input: { seat: "string" },
      target: "'free/' + args.seat",
      identity: { scope: "run", fields: ["seat"] },
      readback: { source: "the seat map", expect: ["actual.free == true"] },
      undo: "X",
      on_reconciled: [{ remove: { table: "world.taken", key: "args.seat" } }]
    }
  }
}

/** A hall whose seats are reserved by key. */
const hall = () => {
  const [seats, released] = [new Map<string, { seat: string; key: string }>(), new Map<string, object>()]
  const sent: Array<string> = []
  const reserve = {
    execute: ({ seat }: { seat: string }, { key }: { key: string }) => {
      sent.push(`reserve ${seat}`)
      seats.set(seat, { seat, key })
      return { seat }
    },
    status: ({ seat }: { seat: string }, { key }: { key: string }) =>
      seats.get(seat)?.key === key ? seats.get(seat) : undefined,
    readback: ({ seat }: { seat: string }) => seats.get(seat)
  }
  const announce = ({ seat }: { seat: string }) => sent.push(`announce ${seat}`)
  const release = {
    execute: ({ seat }: { seat: string }, { key }: { key: string }) => {
      sent.push(`release ${seat}`)
      seats.delete(seat)
      released.set(key, { seat })
      return { seat }
    },
    status: (_: { seat: string }, { key }: { key: string }) => released.get(key),
    readback: ({ seat }: { seat: string }) => ({ free: !seats.has(seat) })
  }
  return { sent, seats, tools: { announce, reserve, release } }
}

describe("a tool with a compensation", () => {
  it("is undone through the ledger, the last act first, and the messages of the run leave it out", async () => {
    const { sent, seats, tools } = hall()
    await using bs = await Backstitch.open({ pack, store: "memory:", tools })
    const run = await bs.run("evening", { text: "seats for Ada" })
    const actions: Array<string> = []
    for (const seat of ["1A", "1B", "1C"]) {
      const outcome = await run.tool("reserve", { seat })
      assert.strictEqual(outcome.status, "done", JSON.stringify(outcome))
      actions.push(outcome.action ?? "")
    }
    const undone = await run.undo(actions.slice(1), { reason: "Ada comes alone" })
    assert.strictEqual(undone.status, "done", JSON.stringify(undone))
    assert.deepStrictEqual(sent.slice(3), ["release 1C", "release 1B"])
    assert.deepStrictEqual([...seats.keys()], ["1A"])
    assert.deepStrictEqual((await run.state()).world, { taken: { "1A": { seat: "1A" } } })
    const messages = await run.messages({ note: "Go on." })
    const calls: ReadonlyArray<Message.CallPart> = messages.flatMap((each) =>
      each.role === "assistant" ? each.content : []
    )
    assert.deepStrictEqual(
      calls.map(({ input, toolCallId, toolName }) => [toolName, toolCallId, input]),
      [["reserve", actions[0] ?? "", { seat: "1A" }]]
    )
    assert.match(String(messages.at(-1)?.content), /^The record says of the world: .*"1A".*\nGo on\.$/s)
  })

  it("is not undone twice, nor where its contract has no compensation", async () => {
    const { sent, tools } = hall()
    await using bs = await Backstitch.open({ pack, store: "memory:", tools })
    const run = await bs.run("evening")
    const { action = "" } = await run.tool("reserve", { seat: "1A" })
    for (const _ of [1, 2]) assert.strictEqual((await run.undo(action, { reason: "never mind" })).status, "done")
    assert.deepStrictEqual(sent, ["reserve 1A", "release 1A"])
    assert.deepInclude(await run.tool("reserve", { seat: "1A" }), { status: "done", before: false })
    assert.strictEqual(sent.pop(), "reserve 1A", "a call after the undoing is a new act")
    const announced = await run.tool("announce", { seat: "1A" })
    const refused = await run.undo(announced.action ?? "", { reason: "nobody was to know" })
    assert.deepStrictEqual([refused.status, sent.length], ["refused", 3], JSON.stringify(refused))
    assert.notStrictEqual(refused.why, "")
    assert.deepStrictEqual(
      refused.next.map(({ call, verb }) => [verb, call]),
      [["look", undefined]]
    )
    const unknown = await run.undo("a999", { reason: "never mind" }).catch((cause: unknown) => cause)
    assert.isTrue(unknown instanceof BackstitchError && unknown.code === "act_unknown", String(unknown))
    assert.deepInclude((unknown as BackstitchError).next[0], { verb: "ledger", run: "evening" })
    const unexplained = await Reflect.apply(run.undo, run, [action]).catch((cause: unknown) => cause)
    assert.isTrue(unexplained instanceof BackstitchError && unexplained.code === "reason_missing", String(unexplained))
    assert.strictEqual(sent.length, 3)
  })
})

describe("a compensation whose code is not here", () => {
  it("is asked for before anything is begun, and the act is undone once it is here", async () => {
    const store = Path.join(freshFolder(), "trace.db")
    const { seats, tools } = hall()
    let action = ""
    {
      await using bs = await Backstitch.open({ pack, store, tools: { reserve: tools.reserve } })
      const run = await bs.run("evening")
      action = (await run.tool("reserve", { seat: "1A" })).action ?? ""
      const { tick } = await run.state()
      const cause: unknown = await run.undo(action, { reason: "Ada comes alone" }).catch((error: unknown) => error)
      assert.isTrue(cause instanceof BackstitchError && cause.code === "tool_codeless")
      assert.include(String(cause), 'tools: { "release": { execute } }')
      assert.strictEqual((await run.state()).tick, tick)
    }
    {
      await using bs = await Backstitch.open({ pack, store, tools })
      const run = await bs.run("evening")
      assert.strictEqual((await run.undo(action, { reason: "Ada comes alone" })).status, "done")
      assert.strictEqual(seats.size, 0)
    }
    await using bs = await Backstitch.open({ pack, store, tools: { reserve: tools.reserve } })
    const again = await (await bs.run("evening")).undo(action, { reason: "Ada comes alone" })
    assert.strictEqual(again.status, "done", "an act that is undone needs no code")
  })
})

describe("an act that is under way", () => {
  /** A hall that answers neither a reservation nor a question about it for a while. */
  const silent = async () => {
    const { sent, seats, tools } = hall()
    let isSilent = true
    const unless =
      <A, B extends ReadonlyArray<unknown>>(ask: (...asked: B) => A) =>
      (...asked: B) => {
        const answer = ask(...asked)
        if (isSilent) throw new Error("the hall is silent")
        return answer
      }
    const reserve = {
      execute: unless(tools.reserve.execute),
      status: unless(tools.reserve.status),
      readback: unless(tools.reserve.readback)
    }
    const bs = await Backstitch.open({ pack, store: "memory:", tools: { ...tools, reserve } })
    const run = await bs.run("evening")
    isSilent = false
    const { action: earlier = "" } = await run.tool("reserve", { seat: "1A" })
    isSilent = true
    const held = await run.tool("reserve", { seat: "1B" })
    assert.strictEqual(held.status, "held", JSON.stringify(held))
    const speaks = () => {
      isSilent = false
    }
    return { bs, earlier, held: held.action ?? "", run, seats, sent, speaks }
  }

  it("is settled first, and then undone", async () => {
    const { bs, held, run, seats, sent, speaks } = await silent()
    await using _ = bs
    const before = await run.undo(held, { reason: "Ada comes alone" })
    assert.deepInclude(before, { action: held, status: "held" })
    speaks()
    const undone = await run.undo(held, { reason: "Ada comes alone" })
    assert.strictEqual(undone.status, "done", JSON.stringify(undone))
    assert.deepStrictEqual([[...seats.keys()], sent], [["1A"], ["reserve 1A", "reserve 1B", "release 1B"]])
  })

  it("is named by the refusal to undo an earlier one, in each step and call", async () => {
    const { bs, earlier, held, run, seats } = await silent()
    await using _ = bs
    const refused = await run.undo(earlier, { reason: "never mind" })
    assert.strictEqual(refused.status, "refused", JSON.stringify(refused))
    assert.isAbove(refused.next.length, 0)
    for (const { call = "", ...step } of refused.next) {
      assert.notInclude(call, '"ACTION"', JSON.stringify(step))
      if (step.verb === "resolve") assert.include(call, `"${held}"`)
    }
    assert.strictEqual(seats.size, 2)
  })
})

describe("a compensation whose record could not be read before", () => {
  /** Undoes a reservation while nobody can read whether it is released. */
  const unread = async () => {
    const { sent, tools } = hall()
    const keyless: typeof pack.tools = {
      release: {
        class: "high_risk_external",
        input: { seat: "string" },
        target: "'free/' + args.seat",
        identity: { scope: "run", fields: ["seat"] },
        undo: "X",
        times: { sendWithin: "100ms", settleAfter: "100ms" },
        readback: { source: "the seat map", expect: ["actual.free == true"], within: "100ms" }
      }
    }
    const down = () => {
      throw new Error("the seat map is down")
    }
    const bs = await Backstitch.open({
      pack: { ...pack, tools: { ...pack.tools, ...keyless } },
      store: "memory:",
      tools: { ...tools, release: { execute: tools.release.execute, readback: down } }
    })
    const run = await bs.run("evening")
    const { action = "" } = await run.tool("reserve", { seat: "1A" })
    const held = await run.undo(action, { reason: "never mind" })
    return { bs, held, run, sent, undone: action }
  }

  it("is held for that cause, and failed once a person says so, with nothing sent", async () => {
    const { bs, held, run, sent, undone } = await unread()
    await using _ = bs
    assert.include(held.why, "release was not sent: what is there could not be read before")
    const { action = "" } = held
    let decided = { ok: false }
    for (let tries = 0; !decided.ok && tries < 100; tries++) {
      await new Promise((go) => setTimeout(go, 20))
      decided = await run.resolve(action, { as: "failure", by: "Ada", evidence: "the seat is still taken" })
    }
    assert.isTrue(decided.ok, JSON.stringify(decided))
    assert.deepStrictEqual(
      (await run.resume()).map(({ status, why }) => [status, why]),
      [["failed", "the seat is still taken"]]
    )
    assert.deepStrictEqual(await run.resume(), [])
    assert.deepStrictEqual(sent, ["reserve 1A"])
    const { actions } = await run.report()
    assert.deepStrictEqual(
      actions.map(({ standing }) => standing),
      ["let_stand", "failure"],
      undone
    )
  })
})

describe("the messages of a run", () => {
  it("give each call its result, one of which nobody knows the outcome too (L8)", async () => {
    const { tools } = hall()
    const lost = {
      ...tools.reserve,
      execute: () => Promise.reject(new Error("no answer")),
      status: () => "pending" as const
    }
    await using bs = await Backstitch.open({ pack, store: "memory:", tools: { ...tools, reserve: lost } })
    const run = await bs.run("evening", { text: "seats for Ada" })
    const waits = new AbortController()
    const called = run.tool("reserve", { seat: "1A" }, { signal: waits.signal }).catch(() => undefined)
    while ((await run.messages()).length < 4) await new Promise((go) => setTimeout(go, 5))
    const [goal, call, result] = await run.messages()
    assert.deepStrictEqual(goal, { role: "user", content: "The goal: seats for Ada" })
    assert.strictEqual(call?.role === "assistant" && call.content[0]?.toolCallId, "a2")
    assert.containSubset(result, {
      role: "tool",
      content: [{ toolCallId: "a2", output: { value: { success: false } } }]
    })
    waits.abort()
    await called
  })
})
