import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as RunSecret from "@backstitch/runtime/RunSecret"
import * as SecretFingerprint from "@backstitch/runtime/SecretFingerprint"
import * as SqlNotes from "@backstitch/sql/SqlNotes"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as TraceRun from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import { Backstitch, BackstitchError, type Event, type PackDefinition, type Run } from "../src/Sdk.ts"
import { freshFolder } from "./freshFolder.ts"

const pack: PackDefinition = {
  pack: "acme.trips",
  version: "1.0.0",
  state: { world: { spent: "int" } },
  tools: {
    book: {
      class: "high_risk_external",
      input: { flight: "string", price: "int" },
      target: "'seat/' + args.flight",
      identity: { scope: "goal", fields: [{ flight: "code" }] },
      times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "24h" },
      status: "by_key",
      readback: { source: "airline", expect: ["actual.price == args.price"] },
      undo: "X",
      on_reconciled: [{ add: { field: "world.spent", value: "actual.price" } }]
    }
  },
  violations: [{ id: "overspent", when: "world.spent > 100" }]
}

interface Flight {
  readonly flight: string
  readonly price: number
}

/** An airline that honours keys. */
const airline = () => {
  const seats = new Map<string, Flight>()
  const find = (_: Flight, { key }: { readonly key: string }) => seats.get(key)
  const book = {
    execute: (args: Flight, { key }: { readonly key: string }) => {
      seats.set(key, args)
      return { booked: args.flight }
    },
    status: find,
    readback: find
  }
  return { seats, tools: { book } }
}

const eventsOf = async (run: Run, from = 1): Promise<ReadonlyArray<Event>> => {
  const found: Array<Event> = []
  for await (const event of run.events({ from, follow: false })) found.push(event)
  return found
}

const codeOf = (does: Promise<unknown>) => does.then(String, (cause: unknown) => (cause as BackstitchError).code)

describe("Backstitch", () => {
  it("records calls, steps, decisions and facts of a run, and answers them when it is opened again", async () => {
    const store = Path.join(freshFolder(), "trace.db")
    const { seats, tools } = airline()
    for (const round of [1, 2]) {
      await using bs = await Backstitch.open({ pack, store, tools })
      const run = await bs.run("trip-42", { goal: "trip" })
      assert.strictEqual(await run.step("search", async () => round), 1)
      assert.deepStrictEqual(await run.decide("seat", () => ({ seat: `${round}A` })), { seat: "1A" })
      const outcome = await run.tool("book", { flight: "LX1", price: 40 })
      assert.isTrue(outcome.status === "done" && outcome.before === (round === 2))
      assert.deepInclude(outcome, { output: { booked: "LX1" }, record: { flight: "LX1", price: 40 }, verified: true })
      const said = await run.record("observation.add", { found: "rain" }, { callId: "weather" })
      assert.strictEqual(said.status, "done")
      assert.deepStrictEqual((await run.state()).world, { spent: 40 })
      const facts = (await eventsOf(run)).filter(({ transition_type: type }) => type === "observation.add")
      assert.strictEqual(facts.length, 2)
    }
    assert.strictEqual(seats.size, 1)
  })

  it("counts calls under way where a guard would be exhausted by them, and lets the others pass", async () => {
    const { seats, tools } = airline()
    const guards = [{ id: "affordable", on: "book", refuse_if: "world.spent + args.price > 100" }]
    await using bs = await Backstitch.open({ pack: { ...pack, guards }, store: "memory:", tools })
    const run = await bs.run("trip-42")
    const all = await Promise.all(["LX1", "LX2", "LX3"].map((flight) => run.tool("book", { flight, price: 40 })))
    assert.deepStrictEqual(all.map(({ status }) => status).sort(), ["done", "done", "refused"])
    assert.include(all.find(({ status }) => status === "refused")?.why, "may count")
    assert.deepStrictEqual([seats.size, (await run.state()).world], [2, { spent: 80 }])
  })

  it("reports, verifies and lists what was done, and says when the run is done", async () => {
    await using bs = await Backstitch.open({ pack, store: "memory:", tools: airline().tools })
    const run = await bs.run("trip-42")
    await run.tool("book", { flight: "LX1", price: 140 })
    assert.isFalse((await run.report()).done)
    assert.strictEqual((await run.complete()).status, "done")
    assert.deepInclude(await run.complete(), { status: "done", before: true })
    const report = await run.report()
    assert.deepStrictEqual([report.done, report.actions.map(({ standing }) => standing)], [true, ["success"]])
    const verdict = await run.verify()
    assert.isTrue(verdict.consistent && verdict.compared > 3)
    const [entry] = await run.ledger()
    assert.strictEqual(entry?.action_id, report.actions[0]?.action)
  })

  it("follows a run as it is committed, until the loop is left", async () => {
    await using bs = await Backstitch.open({ store: "memory:" })
    const run = await bs.run("trip-42")
    const seen: Array<string> = []
    await run.record("observation.add", { found: "a" })
    for await (const { transition_type: type } of run.events({ from: 2 })) {
      if (seen.push(type) === 2) break
      await run.record("plan.update", { plan: "b" })
    }
    assert.deepStrictEqual(seen, ["observation.add", "plan.update"])
  })

  it("fails as closed what is called after it is closed, or under way at that moment", async () => {
    const { promise: isSent, resolve: sent } = Promise.withResolvers<void>()
    const { promise: isShown, resolve: shown } = Promise.withResolvers<Event>()
    const never = () => new Promise<never>(() => sent())
    const bs = await Backstitch.open({
      pack,
      store: "memory:",
      tools: { book: { ...airline().tools.book, execute: never } }
    })
    const run = await bs.run("trip-42")
    const followed = (async () => {
      for await (const event of run.events()) shown(event)
      return "ended"
    })()
    const underWay = codeOf(run.tool("book", { flight: "LX1", price: 40 }))
    await Promise.all([isSent, isShown])
    await bs.close()
    assert.strictEqual(await underWay, "closed")
    assert.strictEqual(await followed, "ended")
    for (const does of [run.tool("book", { flight: "LX1", price: 40 }), run.state(), bs.held(), bs.run("trip-43")]) {
      assert.strictEqual(await codeOf(does), "closed")
    }
    await run.close()
    await bs.close()
  })

  it("says how a run goes on whose pack has changed, and goes on so", async () => {
    const store = Path.join(freshFolder(), "trace.db")
    const { seats, tools } = airline()
    {
      await using bs = await Backstitch.open({ pack, store, tools })
      await (await bs.run("trip-42", { goal: "trip" })).tool("book", { flight: "LX1", price: 40 })
    }
    const newer = { ...pack, version: "1.1.0" }
    {
      await using bs = await Backstitch.open({ pack: newer, store, tools })
      const cause = await bs.run("trip-42").catch((cause: unknown) => cause)
      assert.instanceOf(cause, BackstitchError)
      assert.deepInclude(cause, { code: "pack_changed", run: "trip-42" })
      const calls = cause.next.map(({ call }) => call)
      assert.deepStrictEqual(calls, [
        `Backstitch.open({ store, tools }), and bs.run("trip-42")`,
        "bs.run(ANOTHER, { goal })"
      ])
      const other = await (await bs.run("trip-43", { goal: "trip" })).tool("book", { flight: "LX1", price: 40 })
      assert.deepInclude(other, { status: "done", before: true })
    }
    await using bs = await Backstitch.open({ store, tools })
    const run = await bs.run("trip-42")
    assert.deepInclude(await run.tool("book", { flight: "LX1", price: 40 }), { status: "done", before: true })
    assert.deepInclude(await run.tool("book", { flight: "LX2", price: 40 }), { status: "done", before: false })
    assert.strictEqual(seats.size, 2)
  })

  it("loads a pack from a file, and names its mistakes with their lines", async () => {
    const folder = freshFolder()
    const file = Path.join(folder, "pack.yaml")
    Fs.writeFileSync(file, "pack: acme.trips\nversion: 1\nviolations:\n  - { id: late, when: wurld.spent > 1 }\n")
    const cause = await Backstitch.open({ pack: file, store: "memory:" }).catch((cause: unknown) => cause)
    assert.isTrue(cause instanceof BackstitchError && cause.code === "pack_invalid")
    assert.match((cause as BackstitchError).message, /pack\.yaml:4:/)
    const strange = await Backstitch.open({ pack, store: "memory:", tools: { fly: () => 1 } }).catch((cause) => cause)
    assert.match(String(strange), /has no tool fly\. It has book/)
  })

  it("refuses a tool that lacks a question which its contract promises, before anything is sent", async () => {
    const tool = {
      class: "high_risk_external",
      input: { seat: "string" },
      identity: { scope: "run", fields: ["seat"] }
    }
    const times = { sendWithin: "1s", settleAfter: "1s", keyRetention: "1h" }
    const readback = { source: "the seat map", expect: ["actual.seat == args.seat"] }
    for (const [needs, more] of [
      ["status", { status: "by_key", times }],
      ["readback", { readback }]
    ] as const) {
      const tools = { reserve: { ...tool, ...more, undo: "X" } }
      const seats = { pack: "acme.seats", version: "1", tools }
      const opening = Backstitch.open({ pack: seats, store: "memory:", tools: { reserve: () => 1 } })
      const cause = await opening.catch((cause: unknown) => cause)
      assert.match(String(cause), new RegExp(`there is no function ${needs} that could answer`))
      await using decides = await Backstitch.open({ pack: seats, store: "memory:" })
      assert.deepStrictEqual(await decides.held(), [])
    }
  })

  it("refuses a name that is none, and a secret that is not the one of the store", async () => {
    const store = Path.join(freshFolder(), "trace.db")
    {
      await using bs = await Backstitch.open({ pack, store, tools: airline().tools })
      const unnamed = await bs.run("a run").catch((cause: unknown) => cause)
      assert.match(String(unnamed), /cannot name a run/)
      const run = await bs.run("trip-42")
      assert.strictEqual((await run.tool("book", { flight: "LX1", price: 1 })).status, "done")
    }
    await using other = await Backstitch.open({ pack, store, secret: "another" })
    const differs = await other.run("trip-43").catch((cause: unknown) => cause)
    assert.isTrue(differs instanceof BackstitchError && differs.code === "secret_differs")
  })

  it("goes on with no run of another secret before a person accepts that for it", async () => {
    const store = Path.join(freshFolder(), "trace.db")
    const { seats, tools } = airline()
    const books = async (secret: string, flight: string) => {
      await using bs = await Backstitch.open({ pack, store, tools, secret })
      const run = await bs.run("trip-42", { goal: "trip" })
      return (await run.tool("book", { flight, price: 1 })).status
    }
    const services = History.layer(Kernel.standard).pipe(
      Layer.provideMerge(PackLibrary.layer),
      Layer.provideMerge(Layer.merge(SqlTraceStore.layerFromAddress(store), SqlNotes.layerFromAddress(store)))
    )
    const { tenant } = TraceRun.make("trip-42", process.env["BACKSTITCH_TENANT"] || "default")
    assert.strictEqual(await books("theirs", "LX1"), "done")
    // As if the run had been imported into a store with a secret of its own.
    await Effect.runPromise(Effect.provide(SecretFingerprint.accept("ours", tenant), services))
    assert.strictEqual(await codeOf(books("ours", "LX2")), "keys_differ")
    await Effect.runPromise(Effect.provide(RunSecret.accept("ours", tenant), services))
    assert.strictEqual(await books("ours", "LX2"), "done")
    assert.strictEqual(seats.size, 2)
  })
})

describe("a run", () => {
  const revisable: PackDefinition = {
    ...pack,
    specification: { max_total: { holds: "world.spent <= clause.max_total", value: { type: "int", initial: 500 } } },
    revisions: {},
    tools: { book: { ...pack.tools?.["book"], assumes: ["max_total"] } }
  }

  it("says where a condition began, forks before it, and compares the two", async () => {
    const { seats, tools } = airline()
    await using bs = await Backstitch.open({ pack, store: "memory:", tools })
    const run = await bs.run("trip-42")
    await run.tool("book", { flight: "LX1", price: 40 })
    await run.tool("book", { flight: "LX2", price: 90 })
    const latched = await run.bisect("overspent")
    assert.isNotNull(latched.onset)
    assert.strictEqual((await run.bisect("world.spent > 100")).onset, latched.onset)
    assert.isNull((await run.bisect()).onset)
    const unknown = await run.bisect("wurld.spent > 1").catch((cause: unknown) => cause)
    assert.match(String(unknown), /wurld/)
    const events = await eventsOf(run)
    const second = events.findLast(({ transition_type: type }) => type === "action.request")
    const fork = await run.fork({ from: (second?.tick ?? 1) - 1, as: "trip-43", reason: "too dear" })
    assert.strictEqual((await fork.tool("book", { flight: "LX1", price: 40 })).status, "done")
    assert.strictEqual((await fork.tool("book", { flight: "LX3", price: 50 })).status, "done")
    const { differences, shared } = await run.diff("trip-43")
    assert.isTrue(shared > 2 && differences.length > 0)
    assert.strictEqual(seats.size, 3)
  })

  it("is forked under another pack, from a file or an object, and goes on under that alone", async () => {
    const { seats, tools } = airline()
    const approvals = { book: { when: "args.price > 50", by: "manager", expires: "4h" } }
    const strict: PackDefinition = { ...pack, version: "1.1.0", approvals }
    const folder = freshFolder()
    Fs.writeFileSync(Path.join(folder, "pack.json"), JSON.stringify(strict))
    await using bs = await Backstitch.open({ pack, store: "memory:", tools })
    const run = await bs.run("trip-42", { goal: "trip" })
    await run.tool("book", { flight: "LX1", price: 40 })
    const { tick: from } = await run.state()
    for (const [at, given] of [strict, Path.join(folder, "pack.json")].entries()) {
      const fork = await run.fork({ from, pack: given, as: `trip-43-${at}` })
      assert.isTrue((await fork.verify()).consistent)
      assert.deepInclude(await fork.tool("book", { flight: "LX1", price: 40 }), { status: "done", before: true })
      assert.strictEqual((await fork.tool("book", { flight: "LX2", price: 90 })).status, "parked")
    }
    assert.strictEqual((await run.tool("book", { flight: "LX3", price: 90 })).status, "done")
    assert.strictEqual(seats.size, 2)
    const unread = run.fork({ from, pack: Path.join(folder, "none.yaml") })
    assert.match(String(await unread.catch((cause: unknown) => cause)), /none\.yaml/)
  })

  it("plans a revision of its goal without recording it, and injects it", async () => {
    await using bs = await Backstitch.open({ pack: revisable, store: "memory:", tools: airline().tools })
    const run = await bs.run("trip-42", { clauses: { max_total: 500 } })
    await run.tool("book", { flight: "LX1", price: 40 })
    const change = { change: "set", clause: "max_total", value: 300 } as const
    const plan = await run.plan({ changes: [change] })
    assert.isTrue(plan?.possible, JSON.stringify(plan))
    const before = (await eventsOf(run)).length
    const revised = await run.inject({ changes: [change], by: "Ada", said: "at most 300" })
    assert.strictEqual(revised.outcome.status, "done", revised.outcome.why)
    assert.strictEqual((await eventsOf(run))[before]?.transition_type, "revision.injected")
    const unknown = await run.inject({ changes: [{ change: "set", clause: "colour", value: "red" }] })
    assert.strictEqual(unknown.outcome.status, "refused")
  })

  it("says what a revision costs, and refuses an answer about an act that nobody asks about", async () => {
    await using bs = await Backstitch.open({ pack: revisable, store: "memory:", tools: airline().tools })
    const run = await bs.run("trip-42", { clauses: { max_total: 500 } })
    await run.tool("book", { flight: "LX1", price: 40 })
    const changes = [{ change: "set", clause: "max_total", value: 30 }] as const
    const plan = await run.plan({ changes })
    assert.deepStrictEqual([plan?.possible, plan?.price], [true, { compensation: 0, waste: 1, total: 1 }])
    assert.deepStrictEqual(
      plan?.lost.map(({ says, tool }) => [tool, says]),
      [["book", "it stays: nothing undoes it"]]
    )
    assert.strictEqual(await codeOf(run.inject({ changes, keeps: ["a99"] })), "answer_unasked")
    assert.strictEqual((await eventsOf(run)).at(-1)?.transition_type, "action.reconciled")
  })

  it("begins the run that follows a finished one whose goal is revised, and revises that one no more", async () => {
    await using bs = await Backstitch.open({ pack: revisable, store: "memory:", tools: airline().tools })
    const run = await bs.run("trip-42", { clauses: { max_total: 500 } })
    await run.tool("book", { flight: "LX1", price: 40 })
    assert.strictEqual((await run.complete()).status, "done")
    const changes = [{ change: "set", clause: "max_total", value: 300 }] as const
    const { next, outcome } = await run.inject({ changes, by: "Ada" })
    assert.deepStrictEqual([outcome.status, next], ["done", "trip-42-2"], outcome.why)
    const following = await bs.run(next ?? "")
    assert.deepStrictEqual((await following.state()).world, { spent: 40 })
    assert.strictEqual((await following.complete()).status, "done")
    assert.strictEqual(await codeOf(run.inject({ changes })), "run_followed")
    assert.strictEqual(await codeOf(run.plan({ changes })), "run_followed")
  })

  it("asks no person about a call that no code of the program carries out", async () => {
    const approvals = { book: { by: ["manager"], expires: "1h" } }
    for (const [tool, settings] of [
      ["invented", { pack, tools: airline().tools }],
      ["book", { pack: { ...pack, approvals } }],
      ["invented", {}]
    ] as const) {
      await using bs = await Backstitch.open({ ...settings, store: "memory:" })
      const run = await bs.run("trip-42")
      const refused = await run.tool(tool, { flight: "LX1", price: 60 })
      assert.deepInclude(refused, { status: "refused", why: `this program has no tool ${tool}` })
      const step = tool === "book" ? /^give this program the code of book: Backstitch\.open\(/ : /^call a tool that/
      assert.match(`${refused.next}`, step)
      assert.deepStrictEqual(await bs.approvals(), [])
    }
  })

  it("says what to do where the code of a tool is gone, and sends the same call once it is back", async () => {
    const store = Path.join(freshFolder(), "trace.db")
    const note = { class: "medium_risk_write", input: { text: "string" }, target: "none", undo: "X" }
    const identity = { scope: "run", fields: ["text"] }
    const notes: Array<string> = []
    const tools = { note: ({ text }: { text: string }) => notes.push(text) }
    for (const round of [1, 2, 3]) {
      const given = round === 2 ? {} : tools
      await using bs = await Backstitch.open({
        pack: { pack: "acme.notes", version: "1", tools: { note: { ...note, identity } } },
        store,
        tools: given
      })
      const run = await bs.run("notes")
      const [first, other] = [
        await run.tool("note", { text: "a" }),
        await run.tool("note", { text: `b${round === 3 ? 2 : round}` })
      ]
      assert.deepInclude(first, { status: "done", before: round > 1 })
      if (round !== 2) {
        assert.strictEqual(other.status, "done")
        continue
      }
      assert.deepInclude(other, { status: "failed", effect: "none" })
      assert.strictEqual(other.why, "this program was not given the code of note, and nothing was sent")
      assert.strictEqual(
        `${other.next}`,
        'give this program the code of note: Backstitch.open({ pack, tools: { "note": { execute } } })'
      )
    }
    assert.deepStrictEqual(notes, ["a", "b1", "b2"])
  })

  it("takes decisions of people about its own calls", async () => {
    const approvals = { book: { when: "args.price > 50", by: ["manager"], expires: "1h" } }
    await using bs = await Backstitch.open({ pack: { ...pack, approvals }, store: "memory:", tools: airline().tools })
    const run = await bs.run("trip-42")
    const [yes, no] = [await run.tool("book", { flight: "LX1", price: 60 }), { flight: "LX2", price: 70 }]
    assert.isTrue(yes.status === "parked" && (await run.approve(yes.review, { by: "Grace", role: "manager" })).ok)
    const denied = await run.tool("book", no)
    assert.isTrue(denied.status === "parked" && (await run.deny(denied.review, { by: "Grace", role: "manager" })).ok)
    assert.strictEqual((await run.tool("book", { flight: "LX1", price: 60 })).status, "done")
    assert.strictEqual((await run.tool("book", no)).status, "refused")
    const third = await run.tool("book", { flight: "LX3", price: 80 })
    const [card] = await bs.approvals()
    assert.isTrue(third.status === "parked" && card?.review === third.review)
    assert.include(card?.permits, "no other, for 1h after it is given")
    const said = { by: "Grace", role: "manager" }
    const unseen = await run.approve(card?.review ?? "", { ...said, digest: "0".repeat(64) }).catch((cause) => cause)
    assert.isTrue(unseen instanceof BackstitchError && unseen.code === "question_changed")
    assert.isTrue((await run.approve(card?.review ?? "", { ...said, digest: card?.digest })).ok)
    const nameless = await run.approve("r0", { by: "Grace", role: "manager" }).catch((cause: unknown) => cause)
    assert.isTrue(nameless instanceof BackstitchError && nameless.code === "review_unknown")
  })
})
