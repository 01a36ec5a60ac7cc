import { assert, describe, it } from "vitest"
import * as Reported from "../src/open/reported.ts"
import { Backstitch, type PackDefinition, type Run } from "../src/Sdk.ts"

const book = {
  class: "high_risk_external",
  input: { flight: "string" },
  target: "'seat/' + args.flight",
  identity: { scope: "goal", fields: ["flight"] },
  times: { sendWithin: "200ms", settleAfter: "100ms", keyRetention: "24h" },
  readback: { source: "airline", within: "100ms", expect: ["actual.flight == args.flight"] },
  undo: "X"
}
const pack: PackDefinition = {
  pack: "acme.trips",
  version: "1",
  tools: { book },
  approvals: { book: { when: "args.flight == 'LX9'", by: ["manager"], expires: "1h" } }
}

/** A clause that no act fulfils. */
const aisle = { holds: "clause.aisle == 'any'", value: "string" }

/** An airline whose system of record shows nothing of some flights. */
const trip = async (unseen: ReadonlyArray<string> = [], given = pack, clauses?: { readonly aisle: string }) => {
  const bs = await Backstitch.open({
    store: "memory:",
    pack: given,
    tools: {
      book: {
        execute: ({ flight }: { readonly flight: string }) => ({ pnr: flight }),
        readback: ({ flight }) => (unseen.includes(flight) ? { flight: "another" } : { flight })
      }
    }
  })
  return { bs, run: await bs.run("trip-42", { goal: "trip", clauses }) }
}

const messagesOf = async (run: Run) => {
  const found: Array<unknown> = []
  for await (const event of run.events({ follow: false })) {
    if (event.transition_type === "message.sent") found.push(event)
  }
  return found.length
}

const draft = "Your seat on LX1 is booked."

describe("a report with a draft", () => {
  it("is the draft where each act is a verified success, and one message if asked for twice (L8)", async () => {
    const { bs, run } = await trip()
    await using _ = bs
    await run.tool("book", { flight: "LX1" })
    const { say } = await run.report()
    for (const _ of [1, 2]) assert.deepInclude(await run.report({ draft }), { say: draft, isDraft: true, why: "" })
    assert.strictEqual(await messagesOf(run), 1)
    assert.strictEqual((await run.report()).say, say)
    await run.tool("book", { flight: "LX2" })
    assert.isTrue((await run.report({ draft })).isDraft)
    assert.strictEqual(await messagesOf(run), 2)
    await run.complete()
    assert.deepInclude(await run.report({ draft: "All is booked." }), { say: "All is booked.", done: true })
  })

  it("is the truth where one act is held, with the reason and the steps in words (L8)", async () => {
    const { bs, run } = await trip(["LX2"])
    await using _ = bs
    await run.tool("book", { flight: "LX1" })
    await run.tool("book", { flight: "LX2" })
    const told = await run.report({ draft })
    const [held] = told.held
    assert.deepInclude(told, { isDraft: false })
    assert.notInclude(told.say, draft)
    assert.match(told.say, /book \(a\d+\): This was completed, and that was verified\./)
    assert.strictEqual(told.say.split("\n").length, 3, told.say)
    assert.include(told.why, `${held?.action} told as`)
    assert.strictEqual(await messagesOf(run), 0)
    assert.match(`${held?.next}`, /^let a person settle a\d+ of run trip-42.*: bs\.resolve\("trip-42", "a\d+"/)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(held)), held)
    const settled = { as: "abandoned", by: "Grace", evidence: "the airline's desk" } as const
    assert.deepInclude(await run.resolve(held?.action ?? "", settled), { ok: true, why: "" })
    const { isDraft, why } = await run.report({ draft })
    assert.isFalse(isDraft)
    assert.include(why, "told as abandoned")
  })

  it("is the truth where an act of a draft that was told is not on record any more (L8)", async () => {
    const seats = new Set<string>()
    const reserve = { ...book, undo: { class: "R", by: "release", with: { flight: "args.flight" } } }
    const release = { ...book, target: "'free/' + args.flight", identity: { scope: "run", fields: ["flight"] } }
    const see = ({ flight }: { readonly flight: string }) => (seats.has(flight) ? { flight } : undefined)
    await using bs = await Backstitch.open({
      store: "memory:",
      pack: { pack: "acme.seats", version: "1", tools: { book: reserve, release } },
      tools: {
        book: {
          execute: ({ flight }: { readonly flight: string }) => {
            seats.add(flight)
            return { pnr: flight }
          },
          readback: see
        },
        release: { execute: () => assert.fail("nothing is left to release"), readback: see }
      }
    })
    const run = await bs.run("trip-42")
    const { action = "" } = await run.tool("book", { flight: "LX1" })
    assert.isTrue((await run.report({ draft })).isDraft)
    seats.clear()
    assert.strictEqual((await run.undo(action, { reason: "Ada stays" })).status, "done")
    const told = await run.report({ draft })
    assert.deepInclude(told, { isDraft: false, standing: "absent" })
    assert.include(told.why, `${action} told as`)
    assert.notInclude(told.say, draft)
    assert.strictEqual(await messagesOf(run), 1)
  })

  it("is the truth while later evidence disputes an act, whose standing stays a success (L8)", () => {
    const say = "This was completed, and that was verified."
    const about = { standing: "success", say, pointer: 5, unchecked: [], word: null, may: [], lost: null } as const
    const why = (disputed: string | null) =>
      Reported.contrary({ actions: [{ ...about, action: "a2", tool: "book", disputed }], unmet: [], waits: [] }, draft)
    assert.include(why("the record of the airline shows another flight"), "contradicts the settlement of book (a2)")
    assert.isUndefined(why(null))
  })

  it("is the truth if an act has begun while the draft was looked at, which it does not claim (L8)", () => {
    const say = "This was completed, and that was verified."
    const about = { standing: "success", say, pointer: 5, unchecked: [], word: null, may: [], lost: null } as const
    const of = (...claims: ReadonlyArray<string>) => {
      const actions = ["a2", "a5"].map((action) => ({ ...about, action, tool: "book", disputed: null }))
      return Reported.unclaimed({ actions }, claims)
    }
    assert.isUndefined(of("a2", "a5"))
    assert.strictEqual(of("a2"), "book (a5) began while the draft was looked at")
  })

  it("is the truth while a call waits for approval, of which no act on record tells", async () => {
    const { bs, run } = await trip()
    await using _ = bs
    await run.tool("book", { flight: "LX9" })
    const told = await run.report({ draft })
    assert.deepInclude(told, { isDraft: false, why: "book needs the approval of manager first" })
    assert.strictEqual(told.say, (await run.report()).say)
    assert.deepStrictEqual([told.waits.length, await messagesOf(run)], [1, 0])
  })

  it("is the truth if the goal was declared reached, and a clause of it does not hold", async () => {
    const { bs, run } = await trip([], { ...pack, specification: { aisle } }, { aisle: "C" })
    await using _ = bs
    await run.tool("book", { flight: "LX1" })
    await run.complete()
    const told = await run.report({ draft })
    assert.deepInclude(told, { isDraft: false, why: told.unmet[0] ?? "" })
    assert.deepStrictEqual([told.unmet.length, await messagesOf(run)], [1, 0])
  })

  it("is the truth for a draft without words, refuses what is no text, and mends a text that was cut off", async () => {
    const { bs, run } = await trip()
    await using _ = bs
    await run.tool("book", { flight: "LX1" })
    assert.deepInclude(await run.report({ draft: " " }), { isDraft: false, why: "the draft is empty" })
    const cause = await run.report({} as { readonly draft: string }).catch((cause: unknown) => cause)
    assert.deepInclude(cause, { code: "draft_missing", run: "trip-42" })
    assert.strictEqual(await messagesOf(run), 0)
    assert.deepInclude(await run.report({ draft: "Booked \ud83d" }), { say: "Booked \ufffd", isDraft: true })
  })

  it("is a draft that stands with a mark where the pack asks for marks", async () => {
    const { bs, run } = await trip(["LX1"], { ...pack, messages: { unreconciled: "mark" } })
    await using _ = bs
    await run.tool("book", { flight: "LX1" })
    assert.isTrue((await run.report({ draft })).isDraft)
    assert.strictEqual(await messagesOf(run), 1)
  })
})
