import { assert, describe, it } from "@effect/vitest"
import { type Table, withWorld } from "./WorldClient.ts"

const flight = { flight: "RH101-2026-12-18", traveller: "Anna Keller" }

const posts: ReadonlyArray<readonly [path: string, body: object, other: object, table: Table]> = [
  ["/bookings", flight, { ...flight, traveller: "Ben Frei" }, "bookings"],
  [
    "/stays",
    { hotel: "lago", guest: "Anna", from: "2026-12-18", nights: 2 },
    { hotel: "lago", guest: "Anna", from: "2026-12-18", nights: 3 },
    "stays"
  ],
  [
    "/charges",
    { card: "card-anna", amount: 100, currency: "CHF", reference: "r" },
    { card: "card-anna", amount: 101, currency: "CHF", reference: "r" },
    "charges"
  ],
  ["/messages", { to: "a@example.com", template: "t" }, { to: "b@example.com", template: "t" }, "messages"]
]

describe("IdempotencyKeys", () => {
  for (const [path, body, other, table] of posts) {
    it(
      `answers the same key and body of POST ${path} from memory, refuses another body, and doubles without a key`,
      withWorld(async (world) => {
        const first = await world.post(path, body, { key: "k" })
        assert.deepStrictEqual([first.status, first.replayed], [201, false])
        const again = await world.post(path, body, { key: "k" })
        assert.deepStrictEqual([again.status, again.replayed, again.text], [201, true, first.text])
        const reused = await world.post(path, other, { key: "k" })
        assert.deepStrictEqual([reused.status, reused.body.error.code], [422, "key_reused"])
        assert.strictEqual((await world.audit()).counts[table], 1)

        await world.post(path, body)
        await world.post(path, body)
        assert.strictEqual((await world.audit()).counts[table], 3)
      })
    )
  }

  it(
    "keeps the key of a cancellation and of a refund",
    withWorld(async (world) => {
      const { pnr } = (await world.post("/bookings", flight)).body
      const first = await world.send("DELETE", `/bookings/${pnr}`, undefined, { key: "undo" })
      const again = await world.post(`/bookings/${pnr}/cancel`, undefined, { key: "undo" })
      assert.deepStrictEqual([again.status, again.replayed, again.text], [200, true, first.text])

      const money = { card: "card-anna", amount: 100, currency: "CHF", reference: "r" }
      const { charge } = (await world.post("/charges", money)).body
      await world.post(`/charges/${charge}/refund`, { amount: 10 }, { key: "back" })
      const replayed = await world.post(`/charges/${charge}/refund`, { amount: 10 }, { key: "back" })
      assert.isTrue(replayed.replayed)
      assert.strictEqual((await world.get(`/charges/${charge}`)).body.refunded, 10)
    })
  )

  it(
    "does not mind the order and spacing of the body",
    withWorld(async (world) => {
      await world.post("/bookings", flight, { key: "k" })
      const reply = await world.post("/bookings", ` { "traveller": "Anna Keller",  "flight": "${flight.flight}" }`, {
        key: "k"
      })
      assert.isTrue(reply.replayed)
    })
  )

  it(
    "lets one of many racing requests with one key commit",
    withWorld(async (world) => {
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => world.post("/bookings", flight, { key: "race" }))
      )
      assert.strictEqual(replies.filter((reply) => !reply.replayed).length, 1)
      assert.strictEqual(new Set(replies.map((reply) => reply.text)).size, 1)
      assert.strictEqual((await world.audit()).counts.bookings, 1)
    })
  )

  it(
    "keeps the keys of tenants apart (L15)",
    withWorld(async (world) => {
      await world.post("/bookings", flight, { key: "k", tenant: "acme" })
      assert.strictEqual((await world.get("/status/k", { tenant: "globex" })).status, 404)
      assert.strictEqual((await world.get("/status/k")).status, 404)
      const other = await world.post("/bookings", flight, { key: "k", tenant: "globex" })
      assert.deepStrictEqual([other.status, other.replayed], [201, false])
      assert.strictEqual((await world.audit()).counts.bookings, 2)
    })
  )

  it("forgets a key when its retention is over, and then executes again", async () => {
    let time = 1_000_000
    await withWorld(
      async (world) => {
        await world.post("/bookings", flight, { key: "k" })
        time += 999
        assert.isTrue((await world.post("/bookings", flight, { key: "k" })).replayed)
        time += 1
        assert.deepStrictEqual((await world.get("/status/k")).json, { state: "not_found" })
        assert.isFalse((await world.post("/bookings", flight, { key: "k" })).replayed)
        assert.strictEqual((await world.audit()).counts.bookings, 2)
      },
      { keyRetentionMillis: 1_000, now: () => time }
    )()
  })

  it(
    "stores a final refusal under its key and lets the key of any other error be used again",
    withWorld(async (world) => {
      const full = { ...flight, flight: "RH105-2026-12-18" }
      const first = await world.post("/bookings", full, { key: "full" })
      const again = await world.post("/bookings", full, { key: "full" })
      assert.deepStrictEqual([again.status, again.replayed, again.text], [409, true, first.text])
      assert.deepStrictEqual((await world.get("/status/full")).json, {
        state: "done",
        tool: "book_flight",
        kind: null,
        id: null,
        status: 409,
        response: first.body
      })
      await world.post("/bookings", { ...flight, flight: "XX" }, { key: "typo" })
      assert.strictEqual((await world.get("/status/typo")).status, 404)
      assert.strictEqual((await world.post("/bookings", flight, { key: "typo" })).status, 201)
    })
  )
})

describe("Status", () => {
  it(
    "answers the act of a key, or that the key is unknown",
    withWorld(async (world) => {
      const key = "trip/42 book#1"
      const path = `/status/${encodeURIComponent(key)}`
      const before = await world.get(path)
      assert.deepStrictEqual([before.status, before.json], [404, { state: "not_found" }])
      const booked = await world.post("/bookings", flight, { key })
      assert.deepStrictEqual((await world.get(path)).json, {
        state: "done",
        tool: "book_flight",
        kind: "booking",
        id: booked.body.pnr,
        status: 201,
        response: booked.body
      })
    })
  )

  it(
    "says pending while the commit is under way, and refuses the same key until then",
    withWorld(async (world) => {
      await world.arm({ tool: "book_flight", kind: "slow_commit", delayMillis: 1_000 })
      assert.strictEqual((await world.post("/bookings", flight, { key: "k" })).text, "lost")
      assert.deepStrictEqual((await world.get("/status/k")).json, { state: "pending", tool: "book_flight" })
      const meanwhile = await world.post("/bookings", flight, { key: "k" })
      assert.deepStrictEqual([meanwhile.status, meanwhile.body.error.code], [409, "in_progress"])
      assert.strictEqual((await world.audit()).counts.bookings, 0)

      await world.settled()
      const status = (await world.get("/status/k")).body
      assert.deepStrictEqual([status.state, status.kind], ["done", "booking"])
      assert.strictEqual((await world.post("/bookings", flight, { key: "k" })).body.pnr, status.id)
      assert.strictEqual((await world.audit()).counts.bookings, 1)
    })
  )
})
