import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "vitest"
import {
  Backstitch,
  BackstitchError,
  CallRefused,
  guarded,
  type JsonObject,
  type PackDefinition,
  type ToolContext,
  type ToolOptions,
  ToolRefused
} from "../src/Sdk.ts"
import { freshFolder } from "./freshFolder.ts"

const folder = freshFolder()

const contract = { tool: "charge", input: { order: "string" } }

const told = (does: Promise<unknown>): Promise<unknown> => does.catch((cause: unknown) => cause)

describe("a guarded tool", () => {
  it("refuses arguments that a trace cannot carry, and sends nothing", async () => {
    let sent = 0
    await using charge = guarded(async (_: object) => ++sent, { contract, store: "memory:" })
    const circular: { order?: unknown } = {}
    circular.order = circular
    for (const args of [{ order: 10n }, circular, { order: "1", more: 2 }, {}, { order: new Map([["id", 1]]) }]) {
      assert.strictEqual((await charge.outcome(args)).status, "refused")
    }
    assert.strictEqual(sent, 0)
  })

  it("refuses arguments that JSON would make others, names their place, and sends nothing", async () => {
    const json = { ...contract, input: { order: "string", more: "json" } }
    let sent = 0
    await using charge = guarded(async (_: object) => ++sent, { contract: json, store: "memory:" })
    const kinds: ReadonlyArray<readonly [unknown, string]> = [
      [Number.NaN, "NaN"],
      [Number.POSITIVE_INFINITY, "Infinity"],
      [new Date(Number.NaN), "invalid Date"],
      ["\ud83d", "half of a surrogate pair"],
      [new Set([1]), "Set"],
      [() => 1, "function"],
      [undefined, "undefined"]
    ]
    for (const [value, kind] of kinds) {
      const cause = await told(charge({ order: "1", more: { rates: [1, value] } }))
      assert.isTrue(cause instanceof CallRefused)
      assert.include(String(cause), `JSON does not carry the ${kind} at more.rates[1]`)
      assert.include(String(cause), "expected text, finite numbers, true, false, null, and lists and objects of them")
    }
    assert.strictEqual(sent, 0)
    const outcome = await charge.outcome({ order: "1", more: null })
    assert.deepInclude(outcome, { status: "done", before: false })
  })

  it("keeps the act of an answer that JSON would make another one, and asks what became of it", async () => {
    let sent = 0
    const answer = async (_: { order: string }) => ({ rate: ++sent / 0 })
    await using blind = guarded(answer, { contract, store: "memory:" })
    for (const _ of [1, 2]) {
      const outcome = await blind.outcome({ order: "1" })
      assert.deepInclude(outcome, { status: "held", said: "JSON does not carry the Infinity at rate" })
    }
    const status = async () => ({ rate: 7 })
    await using charge = guarded(answer, { contract, store: "memory:", status })
    assert.deepStrictEqual(await charge({ order: "1" }), { rate: 7 })
    const torn = async (_: { order: string }) => ({ snippet: "so \ud83d" })
    await using search = guarded(torn, { contract, store: "memory:" })
    assert.deepStrictEqual(await search({ order: "1" }), { snippet: "so \ufffd" })
    assert.strictEqual(sent, 2)
  })

  it("is not done by an answer of which JSON would keep nothing", async () => {
    const answer = async (_: object) => new Response("it is full", { status: 500 })
    await using charge = guarded(answer, { contract, store: "memory:" })
    const outcome = await charge.outcome({ order: "1" })
    assert.deepInclude(outcome, { status: "held", said: "JSON carries nothing of a Response in it" })
  })

  it("is refused by a tool whose reason JSON does not carry, and is not held", async () => {
    const cycle: Record<string, unknown> = {}
    cycle["reason"] = cycle
    for (const detail of [10n, { left: 10n }, cycle, undefined, () => 1]) {
      const insists = async (_: object) => {
        throw new ToolRefused(detail as never)
      }
      await using charge = guarded(insists, { contract, store: "memory:" })
      assert.deepInclude(await charge.outcome({ order: "1" }), { status: "failed", effect: "none" })
    }
  })

  it("takes an error for a refusal only if `refuses` answers `true`", async () => {
    const questions: ReadonlyArray<(cause: unknown) => unknown> = [
      async () => false,
      async () => true,
      () => "no",
      () => {
        throw new TypeError("in the question")
      }
    ]
    for (const question of questions) {
      let sent = 0
      const fails = async (_: object) => {
        sent++
        throw new Error("no answer")
      }
      const refuses = question as (cause: unknown) => boolean
      await using charge = guarded(fails, { contract, store: "memory:", refuses })
      for (const _ of [1, 2]) {
        const outcome = await charge.outcome({ order: "1" })
        assert.deepInclude(outcome, { status: "held", said: "no answer" })
      }
      assert.strictEqual(sent, 1)
    }
  })

  it("is refused without a function, a contract or a name, and its run without a text for a name", async () => {
    const answer = async (_: object) => 1
    const make = guarded as unknown as (...given: ReadonlyArray<unknown>) => typeof charge
    for (const given of [[], [answer], [answer, {}], [undefined, { contract }]]) {
      assert.throws(() => make(...given), /^guarded takes a function and its contract/)
    }
    assert.throws(() => make(answer, { contract: { ...contract, tool: "" } }), /^Give the tool a name/)
    await using charge = guarded(answer, { contract, store: "memory:", run: () => 7 as unknown as string })
    assert.match(String(await told(charge({ order: "1" }))), /The name of a run is a text, and this is none: number 7/)
  })

  it("takes its name from the contract or its function, whatever characters it has", async () => {
    const named = async (args: { order: string }) => args
    for (const options of [
      { contract: { ...contract, tool: "charge a card!" } },
      { contract: { input: contract.input } }
    ]) {
      await using charge = guarded(named.bind(undefined), { ...options, store: "memory:" })
      const outcome = await charge.outcome({ order: "1" })
      assert.match(outcome.run, /^(charge_a_card_|named)-\d{4}-\d{2}-\d{2}$/)
      assert.strictEqual(outcome.status, "done")
    }
  })

  it("fails with the reason of a caller that aborts, and is asked about by the next call", async () => {
    let sent = 0
    const never = (_: { order: string }, { signal }: ToolContext) =>
      new Promise<object>((_, fail) => {
        sent++
        signal.addEventListener("abort", () => fail(new Error("the connection was cut")))
      })
    await using charge = guarded(never, { contract, store: "memory:", status: () => ({ receipt: "r1" }) })
    const leaves = new AbortController()
    const waits = told(charge({ order: "1" }, { signal: leaves.signal }))
    while (sent === 0) await new Promise((go) => setTimeout(go, 5))
    leaves.abort(new Error("the user has left"))
    assert.strictEqual(((await waits) as Error).message, "the user has left")
    assert.deepStrictEqual(await charge({ order: "1" }), { receipt: "r1" })
    assert.strictEqual(sent, 1)
    const before = await told(charge({ order: "2" }, { signal: AbortSignal.abort(new Error("too late")) }))
    assert.deepStrictEqual([(before as Error).message, sent], ["too late", 1])
  })

  it("waits behind an equal call no longer than its caller does, and is not sent when its turn comes", async () => {
    let sent = 0
    const { promise: answered, resolve: answer } = Promise.withResolvers<object>()
    const slow = (_: { order: string }) => {
      sent++
      return answered
    }
    await using charge = guarded(slow, { contract, store: "memory:", status: () => ({ receipt: "r1" }) })
    const first = charge({ order: "1" })
    while (sent === 0) await new Promise((go) => setTimeout(go, 5))
    const leaves = new AbortController()
    const second = told(charge({ order: "1" }, { signal: leaves.signal }))
    leaves.abort(new Error("the user has left"))
    assert.strictEqual(((await second) as Error).message, "the user has left")
    const third = charge({ order: "1" })
    answer({ receipt: "r1" })
    assert.deepStrictEqual([await first, await third, sent], [{ receipt: "r1" }, { receipt: "r1" }, 1])
  })

  it("says what the tool said of an outcome that nobody knows", async () => {
    const fail = async (_: { order: string }) => {
      throw new Error("socket hang up")
    }
    await using charge = guarded(fail, { contract, store: "memory:" })
    const outcome = await charge.outcome({ order: "1" })
    assert.deepInclude(outcome, { status: "held", said: "socket hang up" })
    const cause = (await told(charge({ order: "1" }))) as BackstitchError
    assert.match(
      cause.message,
      /^Nobody knows whether charge was done \(it said: socket hang up\): .*neither asked about nor sent again; a person/
    )
    const large = async (_: { order: string }) => "x".repeat(2 ** 21)
    await using other = guarded(large, { contract, store: "memory:" })
    const held = await other.outcome({ order: "1" })
    assert.isTrue(held.status === "held" && /larger than/.test(String(held.said)))
  })

  it("opens a store again that could not be opened, and closes one that never was", async () => {
    const store = Path.join(folder, "broken", "trace.db")
    Fs.mkdirSync(Path.dirname(store))
    Fs.writeFileSync(store, "a text that is no database, and longer than the head of one")
    const charge = guarded(async (args: { order: string }) => args, { contract, store })
    const broken = (await told(charge({ order: "1" }))) as BackstitchError
    assert.strictEqual(broken.code, "trace_store_error")
    Fs.rmSync(store)
    assert.deepStrictEqual(await charge({ order: "1" }), { order: "1" })
    await charge.close()
    await charge.close()
  })

  it("leaves an address of something else alone, and shows none of it", async () => {
    const cause = (await told(Backstitch.open({ store: "mysql://root:secret@host/db" }))) as BackstitchError
    assert.isTrue(cause instanceof BackstitchError && cause.code === "store_unsuited")
    assert.notInclude(cause.message, "secret")
    assert.isFalse(Fs.existsSync("mysql:"))
  })

  it("seals what its contract calls sensitive, and recognises the act by it", async () => {
    const store = Path.join(folder, "sealed", "trace.db")
    const card = { type: "string", sensitive: { subject: "args.order" } }
    let sent = 0
    const pay = async ({ card }: { order: string; card: string }) => ({ last: card.slice(-4), sent: ++sent })
    await using charge = guarded(pay, {
      contract: {
        ...contract,
        input: { order: "string", card },
        output: { last: "string", sent: "int" },
        identity: ["order"]
      },
      store
    })
    const first = await charge({ order: "1", card: "4242424242424242" })
    assert.deepStrictEqual(await charge({ order: "1", card: "4242424242424242" }), first)
    assert.strictEqual(sent, 1)
    await charge.close()
    assert.notInclude(Fs.readFileSync(store).toString("latin1"), "4242424242424242")
  })
})

describe("the name of a call", () => {
  const pack: PackDefinition = {
    pack: "acme.payments",
    version: "1",
    tools: Object.fromEntries(
      ["pay", "refund"].map((name) => [
        name,
        {
          class: "medium_risk_write",
          input: { order: "string", amount: { decimal: 2 } },
          identity: { scope: "run", fields: [{ order: "code" }] },
          target: "none",
          undo: "X"
        }
      ])
    )
  }

  const payments = async () => {
    const sent: Array<string> = []
    const execute = ({ order }: { order: string }) => ({ number: sent.push(order) })
    const bs = await Backstitch.open({ pack, store: "memory:", tools: { pay: { execute }, refund: { execute } } })
    const run = await bs.run("orders")
    const told = (tool: string, args: JsonObject, options: ToolOptions) =>
      run.tool(tool, args, options).then(
        ({ status }) => status,
        (cause: unknown) => (cause instanceof BackstitchError && cause.code === "call_id_taken" ? cause.message : cause)
      )
    return { bs, run, sent, told }
  }

  it("answers the same call, and never another one from the record of the first", async () => {
    const { bs, run, sent, told } = await payments()
    await using _ = bs
    const callId = "call_0"
    assert.strictEqual(await told("pay", { order: "2", amount: "1.50" }, { callId }), "done")
    assert.strictEqual(await told("pay", { order: "2", amount: "1.5" }, { callId }), "done")
    assert.include(await told("pay", { order: "3", amount: "1.5" }, { callId }), "a call of pay with another order")
    assert.include(await told("refund", { order: "2", amount: "1.5" }, { callId }), "and now of a call of refund")
    assert.include(await told("pay", { order: "2", amount: "1.5" }, { callId, occurrence: 2 }), "{ occurrence: 2 }")
    assert.deepStrictEqual(sent, ["2"])
    const fact = await run.record("observation.add", { seen: "2" }, { callId }).catch((cause: unknown) => cause)
    assert.include(String(fact), "and now of a fact (observation.add)")
    assert.strictEqual(await told("pay", { order: "3", amount: "1.5" }, { callId: "2:call_0" }), "done")
    assert.strictEqual(await told("refund", { order: "2", amount: "1.5" }, {}), "done")
    assert.deepStrictEqual(sent, ["2", "3", "2"])
  })

  it("answers the same call in another spelling, as the kernel does", async () => {
    const { bs, sent, told } = await payments()
    await using _ = bs
    const callId = "call_0"
    assert.strictEqual(await told("pay", { order: "ab-2", amount: "1.50" }, { callId }), "done")
    assert.strictEqual(await told("pay", { order: " AB-2", amount: "1.5" }, { callId }), "done")
    assert.include(await told("pay", { order: "ab-2", amount: "2" }, { callId }), "a call of pay with another amount")
    assert.deepStrictEqual(sent, ["ab-2"])
  })

  it("is given to one of several calls that come at once with it", async () => {
    const { bs, sent, told } = await payments()
    await using _ = bs
    const all = await Promise.all(
      ["1", "2", "3"].map((order) => told("pay", { order, amount: "1" }, { callId: "call_0" }))
    )
    assert.strictEqual(all.filter((each) => each === "done").length, 1, JSON.stringify(all))
    assert.strictEqual(all.filter((each) => String(each).includes("with another order")).length, 2)
    assert.strictEqual(sent.length, 1)
  })
})
