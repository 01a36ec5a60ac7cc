import { assert, describe, it } from "@effect/vitest"
import { type WorldClient, withWorld } from "./WorldClient.ts"

const flight = { flight: "RH101-2026-12-18", traveller: "Anna Keller" }
const stay = { hotel: "lago", guest: "Anna", from: "2026-12-18", nights: 2 }
const charge = { card: "card-anna", amount: 101, currency: "CHF", reference: "r" }
const message = { to: "anna@example.com", template: "confirmation", body: "See you" }

const bookings = async (world: WorldClient) => (await world.audit("?tables=")).counts.bookings
const lastRequest = async (world: WorldClient) => (await world.audit("?tables=requests")).rows.requests.at(-1)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

describe("Arming", () => {
  it(
    "uses up a fault as often as it was armed, in order, and lists the rest",
    withWorld(async (world) => {
      await world.arm({ tool: "book_flight", kind: "lost_response", times: 2 })
      await world.arm({ tool: "book_flight", kind: "refuse" })
      await world.arm({ tool: "charge_card", kind: "garbage" })
      assert.strictEqual((await world.post("/bookings", flight)).text, "lost")
      assert.deepStrictEqual(
        (await world.get("/faults")).body.armed.map((fault) => [fault.tool, fault.kind, fault.times]),
        [
          ["book_flight", "lost_response", 1],
          ["book_flight", "refuse", 1],
          ["charge_card", "garbage", 1]
        ]
      )
      assert.strictEqual((await world.post("/bookings", flight)).text, "lost")
      assert.strictEqual((await world.post("/bookings", flight)).status, 409)
      assert.strictEqual((await world.post("/bookings", flight)).status, 201)
      assert.deepStrictEqual((await world.send("DELETE", "/faults")).json, { cleared: 1 })
      assert.strictEqual((await world.post("/charges", charge)).status, 201)
    })
  )

  it(
    "lets the first requests pass, and strikes one tenant only, if it is told to",
    withWorld(async (world) => {
      await world.arm({ tool: "book_flight", kind: "refuse", after: 2, tenant: "acme" })
      const statuses: Array<number> = []
      for (const tenant of ["acme", "globex", "acme", "globex", "acme", "acme"]) {
        statuses.push((await world.post("/bookings", flight, { tenant })).status)
      }
      assert.deepStrictEqual(statuses, [201, 201, 201, 201, 409, 201])
    })
  )

  it(
    "strikes the request that asks for it",
    withWorld(async (world) => {
      assert.strictEqual((await world.post("/bookings", flight, { fault: "lost_response" })).text, "lost")
      const slow = await world.post("/bookings", flight, { fault: "slow; delayMillis=20" })
      assert.strictEqual(slow.status, 201)
      assert.strictEqual((await lastRequest(world))?.fault, "slow")
      assert.strictEqual((await world.post("/bookings", flight, { fault: "explode" })).status, 400)
      assert.strictEqual((await world.post("/bookings", flight, { fault: "slow; speed=1" })).status, 400)
    })
  )

  it(
    "refuses a fault that makes no sense for its tool",
    withWorld(async (world) => {
      const arm = (fault: object) => world.post("/faults", fault)
      for (const fault of [
        { tool: "book_flight", kind: "stale_read" },
        { tool: "get_booking", kind: "lie" },
        { tool: "book_train", kind: "slow" },
        { tool: "book_flight", kind: "explode" },
        { tool: "book_flight", kind: "slow", times: 0 },
        { tool: "book_flight", kind: "slow", delayMillis: -1 },
        {}
      ]) {
        assert.strictEqual((await arm(fault)).status, 400, JSON.stringify(fault))
      }
      assert.deepStrictEqual((await world.get("/faults")).json, { armed: [] })
    })
  )

  it(
    "is not spent by a request that can't be understood",
    withWorld(async (world) => {
      await world.arm({ tool: "book_flight", kind: "lost_response" })
      assert.strictEqual((await world.post("/bookings", {})).status, 400)
      assert.strictEqual((await world.post("/bookings", flight)).text, "lost")
    })
  )
})

describe("Faults of the way", () => {
  it(
    "slow: commits at once and answers late",
    withWorld(async (world) => {
      await world.arm({ tool: "book_flight", kind: "slow", delayMillis: 1_000 })
      const late = world.post("/bookings", flight)
      while ((await bookings(world)) === 0) await pause(5)
      const first = await Promise.race([late, world.get("/health")])
      assert.deepStrictEqual(first.json, { status: "ok" })
      assert.strictEqual((await late).status, 201)
      assert.strictEqual(await bookings(world), 1)
    })
  )

  it(
    "timeout_before_commit: holds the connection, cuts it, and never commits",
    withWorld(async (world) => {
      await world.arm({ tool: "book_flight", kind: "timeout_before_commit", delayMillis: 30 })
      assert.strictEqual((await world.post("/bookings", flight, { key: "k" })).text, "lost")
      await world.arm({ tool: "book_flight", kind: "timeout_before_commit" })
      assert.strictEqual((await world.post("/bookings", flight, { key: "k", timeoutMillis: 60 })).text, "timeout")
      assert.strictEqual(await bookings(world), 0)
      assert.strictEqual((await world.get("/status/k")).status, 404)
      assert.strictEqual((await world.post("/bookings", flight, { key: "k" })).replayed, false)
    })
  )

  it(
    "timeout_after_commit: commits, and leaves the client waiting",
    withWorld(async (world) => {
      await world.arm({ tool: "book_flight", kind: "timeout_after_commit" })
      assert.strictEqual((await world.post("/bookings", flight, { key: "k", timeoutMillis: 60 })).text, "timeout")
      assert.strictEqual(await bookings(world), 1)
      assert.strictEqual((await world.get("/status/k")).body.state, "done")
      assert.isTrue((await world.post("/bookings", flight, { key: "k" })).replayed)
      assert.strictEqual(await bookings(world), 1)
    })
  )

  it(
    "lost_response: commits and cuts the connection",
    withWorld(async (world) => {
      await world.arm({ tool: "charge_card", kind: "lost_response" })
      assert.strictEqual((await world.post("/charges", charge, { key: "k" })).text, "lost")
      assert.strictEqual((await world.audit()).counts.charges, 1)
      assert.strictEqual((await world.get("/status/k")).body.kind, "charge")
    })
  )

  it(
    "garbage: commits and answers with unreadable text",
    withWorld(async (world) => {
      await world.arm({ tool: "book_flight", kind: "garbage" })
      const reply = await world.post("/bookings", flight)
      assert.strictEqual(reply.status, 200)
      assert.throws(() => JSON.parse(reply.text))
      assert.strictEqual(await bookings(world), 1)
    })
  )

  it(
    "refuse: commits nothing and stores the refusal",
    withWorld(async (world) => {
      const { pnr } = (await world.post("/bookings", flight)).body
      const { stay: room } = (await world.post("/stays", stay)).body
      const { charge: paid } = (await world.post("/charges", charge)).body
      const before = (await world.audit()).counts
      const cases: ReadonlyArray<readonly [string, string, unknown, number, string]> = [
        ["book_flight", "/bookings", flight, 409, "sold_out"],
        ["cancel_flight", `/bookings/${pnr}/cancel`, undefined, 409, "not_cancellable"],
        ["book_hotel", "/stays", stay, 409, "no_rooms"],
        ["cancel_hotel", `/stays/${room}/cancel`, undefined, 409, "not_cancellable"],
        ["charge_card", "/charges", charge, 402, "card_declined"],
        ["refund_charge", `/charges/${paid}/refund`, undefined, 409, "refund_refused"],
        ["send_confirmation", "/messages", message, 409, "recipient_refused"]
      ]
      for (const [tool, path, body, status, code] of cases) {
        await world.arm({ tool, kind: "refuse" })
        const reply = await world.post(path, body, { key: tool })
        assert.deepStrictEqual([reply.status, reply.body.error.code], [status, code])
        assert.isTrue((await world.post(path, body, { key: tool })).replayed)
      }
      const { counts, rows } = await world.audit()
      assert.deepStrictEqual({ ...counts, keys: 0, requests: 0 }, { ...before, keys: 0, requests: 0 })
      assert.strictEqual(rows.bookings[0]!.status, "confirmed")
    })
  )

  it(
    "unavailable: commits nothing and leaves the key free",
    withWorld(async (world) => {
      await world.arm({ tool: "book_flight", kind: "unavailable" })
      assert.strictEqual((await world.post("/bookings", flight, { key: "k" })).status, 503)
      assert.strictEqual(await bookings(world), 0)
      assert.strictEqual((await world.post("/bookings", flight, { key: "k" })).status, 201)
    })
  )
})

describe("Faults of the commit", () => {
  it(
    "slow_commit: cuts the connection and commits later, also without a key",
    withWorld(async (world) => {
      await world.arm({ tool: "book_flight", kind: "slow_commit", delayMillis: 1_000 })
      assert.strictEqual((await world.post("/bookings", flight)).text, "lost")
      assert.strictEqual(await bookings(world), 0)
      assert.deepInclude(await lastRequest(world), { outcome: "deferred", committed: 0 })
      await world.settled()
      assert.strictEqual(await bookings(world), 1)
      assert.deepInclude(await lastRequest(world), { outcome: "done", committed: 1, fault: "slow_commit" })
    })
  )

  it(
    "slow_commit: may end in a refusal, which the key then tells",
    withWorld(async (world) => {
      const full = { ...flight, flight: "RH105-2026-12-18" }
      await world.post("/bookings", full, { key: "k", fault: "slow_commit; delayMillis=1" })
      await world.settled()
      const { body } = await world.get("/status/k")
      assert.deepStrictEqual([body.status, body.response.error.code], [409, "sold_out"])
    })
  )

  it(
    "slow_commit: replays nothing to a key that is done, and commits nothing more",
    withWorld(async (world) => {
      await world.post("/bookings", flight, { key: "k" })
      assert.strictEqual((await world.post("/bookings", flight, { key: "k", fault: "slow_commit" })).text, "lost")
      assert.strictEqual((await lastRequest(world))?.outcome, "replayed")
      assert.strictEqual((await world.get("/status/k")).body.state, "done")
      assert.strictEqual(await bookings(world), 1)
    })
  )

  it(
    "queued: is accepted, and done later under its key",
    withWorld(async (world) => {
      const fault = "queued; delayMillis=1000"
      const answer = await world.post("/bookings", flight, { key: "k", fault })
      assert.deepStrictEqual([answer.status, answer.body.state], [202, "pending"])
      assert.deepStrictEqual([await bookings(world), (await world.get("/status/k")).body.state], [0, "pending"])
      await world.settled()
      assert.deepStrictEqual([await bookings(world), (await world.get("/status/k")).body.state], [1, "done"])
    })
  )

  it(
    "queued_refused: is accepted, and refused later, which the key then tells",
    withWorld(async (world) => {
      const fault = "queued_refused; delayMillis=1000"
      assert.strictEqual((await world.post("/bookings", flight, { key: "k", fault })).status, 202)
      await world.settled()
      const { body } = await world.get("/status/k")
      assert.deepStrictEqual([body.status, body.response.error.code], [409, "sold_out"])
      assert.strictEqual(await bookings(world), 0)
    })
  )

  it(
    "late_commit: is not found until it commits, and is dropped if the key was used meanwhile",
    withWorld(async (world) => {
      await world.post("/bookings", flight, { key: "late", fault: "late_commit; delayMillis=1000" })
      assert.strictEqual((await world.get("/status/late")).status, 404)
      await world.settled()
      assert.strictEqual((await world.get("/status/late")).body.state, "done")
      assert.strictEqual(await bookings(world), 1)

      await world.post("/bookings", flight, { key: "twice", fault: "late_commit; delayMillis=1000" })
      assert.isFalse((await world.post("/bookings", flight, { key: "twice" })).replayed)
      await world.settled()
      assert.strictEqual(await bookings(world), 2)
      const { rows } = await world.audit("?tables=requests")
      assert.deepStrictEqual(
        rows.requests.filter((entry) => entry.fault === "late_commit").map((entry) => entry.outcome),
        ["done", "dropped"]
      )
    })
  )

  it(
    "duplicate_on_missing_key: makes two rows without a key and one with it",
    withWorld(async (world) => {
      for (const [tool, path, body, table] of [
        ["book_flight", "/bookings", flight, "bookings"],
        ["book_hotel", "/stays", stay, "stays"],
        ["charge_card", "/charges", charge, "charges"],
        ["send_confirmation", "/messages", message, "messages"]
      ] as const) {
        await world.arm({ tool, kind: "duplicate_on_missing_key", times: 2 })
        assert.strictEqual((await world.post(path, body, { key: tool })).status, 201)
        assert.strictEqual((await world.audit()).counts[table], 1)
        assert.strictEqual((await world.post(path, body)).status, 201)
        assert.strictEqual((await world.audit()).counts[table], 3)
      }
    })
  )

  it(
    "duplicate_on_missing_key: pays back twice if the charge allows it",
    withWorld(async (world) => {
      const { charge: paid } = (await world.post("/charges", charge)).body
      const fault = "duplicate_on_missing_key"
      await world.post(`/charges/${paid}/refund`, { amount: 50 }, { fault })
      assert.strictEqual((await world.get(`/charges/${paid}`)).body.refunded, 100)
      assert.strictEqual((await world.post(`/charges/${paid}/refund`, { amount: 1 }, { fault })).status, 201)
      assert.strictEqual((await world.audit()).counts.refunds, 3)
    })
  )

  it(
    "lie: claims success for every tool and commits nothing",
    withWorld(async (world) => {
      const { pnr } = (await world.post("/bookings", flight)).body
      const { stay: room } = (await world.post("/stays", stay)).body
      const { charge: paid } = (await world.post("/charges", charge)).body
      const before = await world.audit("?tables=bookings,stays,charges,refunds,messages,flights,nights,cards,keys")
      const cases: ReadonlyArray<readonly [string, string, unknown]> = [
        ["book_flight", "/bookings", flight],
        ["cancel_flight", `/bookings/${pnr}/cancel`, undefined],
        ["book_hotel", "/stays", stay],
        ["cancel_hotel", `/stays/${room}/cancel`, undefined],
        ["charge_card", "/charges", charge],
        ["refund_charge", `/charges/${paid}/refund`, undefined],
        ["send_confirmation", "/messages", message]
      ]
      for (const [tool, path, body] of cases) {
        await world.arm({ tool, kind: "lie" })
        const reply = await world.post(path, body, { key: tool })
        assert.include([200, 201], reply.status)
        assert.strictEqual((await world.get(`/status/${tool}`)).status, 404)
      }
      const after = await world.audit("?tables=bookings,stays,charges,refunds,messages,flights,nights,cards,keys")
      assert.deepStrictEqual(after.rows, before.rows)
      const claimed = await world.post("/bookings", flight, { fault: "lie" })
      assert.strictEqual((await world.get(`/bookings/${claimed.body.pnr}`)).status, 404)
      assert.deepInclude(await lastRequest(world), { tool: "get_booking", code: "booking_not_found" })
    })
  )

  it(
    "wrong_target: answers as asked and changes something else",
    withWorld(async (world) => {
      const fault = "wrong_target"
      const booked = (await world.post("/bookings", flight, { fault })).body
      assert.strictEqual(booked.flight, flight.flight)
      assert.strictEqual((await world.get(`/bookings/${booked.pnr}`)).body.flight, "RH103-2026-12-18")
      const slept = (await world.post("/stays", stay, { fault })).body
      assert.strictEqual(slept.hotel, "lago")
      assert.strictEqual((await world.get(`/stays/${slept.stay}`)).body.hotel, "parco")
      const paid = (await world.post("/charges", charge, { fault })).body
      assert.strictEqual(paid.card, "card-anna")
      assert.strictEqual((await world.get(`/charges/${paid.charge}`)).body.card, "card-ben")
      const sent = (await world.post("/messages", message, { fault })).body
      assert.strictEqual(sent.to, message.to)
      assert.strictEqual((await world.get(`/messages/${sent.message}`)).body.to, "someone-else@example.com")
    })
  )

  it(
    "wrong_target: cancels and refunds something else, and reports if there is nothing else",
    withWorld(async (world) => {
      const fault = "wrong_target"
      const { pnr } = (await world.post("/bookings", flight)).body
      assert.strictEqual(
        (await world.post(`/bookings/${pnr}/cancel`, undefined, { fault })).body.error.code,
        "no_other_target"
      )
      const other = (await world.post("/bookings", flight)).body
      const cancelled = (await world.post(`/bookings/${pnr}/cancel`, undefined, { fault })).body
      assert.deepStrictEqual([cancelled.pnr, cancelled.status], [pnr, "cancelled"])
      assert.strictEqual((await world.get(`/bookings/${pnr}`)).body.status, "confirmed")
      assert.strictEqual((await world.get(`/bookings/${other.pnr}`)).body.status, "cancelled")

      const first = (await world.post("/stays", stay)).body
      const second = (await world.post("/stays", stay)).body
      await world.post(`/stays/${first.stay}/cancel`, undefined, { fault })
      assert.strictEqual((await world.get(`/stays/${first.stay}`)).body.status, "confirmed")
      assert.strictEqual((await world.get(`/stays/${second.stay}`)).body.status, "cancelled")

      const mine = (await world.post("/charges", charge)).body
      const theirs = (await world.post("/charges", { ...charge, amount: 60 })).body
      const refund = (await world.post(`/charges/${mine.charge}/refund`, undefined, { fault })).body
      assert.deepStrictEqual([refund.charge, refund.amount], [mine.charge, 101])
      assert.strictEqual((await world.get(`/charges/${mine.charge}`)).body.refunded, 0)
      assert.strictEqual((await world.get(`/charges/${theirs.charge}`)).body.refunded, 60)
    })
  )

  it(
    "partial: answers as asked and does a part of it",
    withWorld(async (world) => {
      const fault = "partial"
      const booked = (await world.post("/bookings", flight, { fault })).body
      assert.strictEqual(booked.status, "confirmed")
      const path = `/bookings/${booked.pnr}`
      assert.strictEqual((await world.get(path)).body.status, "on_hold")
      const cancelled = (await world.post(`${path}/cancel`, undefined, { fault })).body
      assert.strictEqual(cancelled.refunded, 18_400)
      assert.deepInclude((await world.get(path)).json, { status: "cancelled", refunded: 0 })
      assert.strictEqual((await world.get(path, { fault: "stale_read" })).body.status, "on_hold")

      const slept = (await world.post("/stays", stay, { fault })).body
      assert.strictEqual(slept.nights, 2)
      assert.strictEqual((await world.get(`/stays/${slept.stay}`)).body.nights, 1)
      const night = (await world.post("/stays", { ...stay, nights: 1 }, { fault })).body
      assert.strictEqual((await world.get(`/stays/${night.stay}`)).body.status, "on_hold")
      await world.post(`/stays/${slept.stay}/cancel`, undefined, { fault })
      assert.strictEqual((await world.get(`/stays/${slept.stay}`)).body.refunded, 0)

      const paid = (await world.post("/charges", charge, { fault })).body
      assert.strictEqual(paid.amount, 101)
      assert.strictEqual((await world.get(`/charges/${paid.charge}`)).body.amount, 50)
      const back = (await world.post(`/charges/${paid.charge}/refund`, undefined, { fault })).body
      assert.strictEqual(back.amount, 50)
      assert.strictEqual((await world.get(`/charges/${paid.charge}`)).body.refunded, 25)

      const sent = (await world.post("/messages", message, { fault })).body
      assert.strictEqual(sent.status, "delivered")
      assert.strictEqual((await world.get(`/messages/${sent.message}`)).body.status, "queued")
    })
  )
})

describe("Faults of a read", () => {
  it(
    "stale_read: shows the version before, or none if there was none",
    withWorld(async (world) => {
      const fault = "stale_read"
      const { pnr } = (await world.post("/bookings", flight, { key: "k" })).body
      const path = `/bookings/${pnr}`
      assert.strictEqual((await world.get(path, { fault })).status, 404)
      assert.strictEqual((await world.get(path)).status, 200)
      await world.post(`${path}/cancel`)
      assert.deepInclude((await world.get(path, { fault })).json, { status: "confirmed", refunded: 0, version: 1 })
      assert.deepInclude((await world.get(path)).json, { status: "cancelled", version: 2 })
      assert.deepStrictEqual((await world.get("/status/k", { fault })).json, { state: "not_found" })

      const { charge: paid } = (await world.post("/charges", charge)).body
      await world.post(`/charges/${paid}/refund`, { amount: 1 })
      await world.post(`/charges/${paid}/refund`, { amount: 2 })
      assert.strictEqual((await world.get(`/charges/${paid}`, { fault })).body.refunded, 1)
      const { stay: room } = (await world.post("/stays", stay)).body
      assert.strictEqual((await world.get(`/stays/${room}`, { fault })).status, 404)
      const { message: sent } = (await world.post("/messages", message)).body
      assert.strictEqual((await world.get(`/messages/${sent}`, { fault })).status, 404)
    })
  )

  it(
    "stale_read: searches show the seats and rooms before the last sale",
    withWorld(async (world) => {
      await world.post("/bookings", flight)
      await world.post("/bookings", flight)
      await world.post("/stays", stay)
      const seats = async (fault?: string) =>
        (await world.get("/flights?from=BSL&to=LUG&date=2026-12-18", fault === undefined ? {} : { fault })).body
          .flights[0]!.seats
      const rooms = async (fault?: string) =>
        (await world.get("/hotels?city=Lugano&from=2026-12-18&nights=1", fault === undefined ? {} : { fault })).body
          .hotels[0]!.rooms
      assert.deepStrictEqual([await seats(), await seats("stale_read")], [38, 39])
      assert.deepStrictEqual([await rooms(), await rooms("stale_read")], [19, 20])
    })
  )

  it("shows a write on the replica only after it has settled", async () => {
    let time = 5_000_000
    await withWorld(
      async (world) => {
        const { pnr } = (await world.post("/bookings", flight, { key: "k" })).body
        const path = `/bookings/${pnr}`
        const status = async () => (await world.get(`${path}?consistency=replica`)).body.status
        const seats = async () =>
          (await world.get("/flights?from=BSL&to=LUG&date=2026-12-18&consistency=replica")).body.flights[0]!.seats
        assert.deepStrictEqual([await status(), await seats()], [undefined, 40])
        assert.strictEqual((await world.get("/status/k?consistency=replica")).status, 404)
        assert.strictEqual((await world.get(`${path}?consistency=strong`)).body.status, "confirmed")
        time += 200
        assert.deepStrictEqual([await status(), await seats()], ["confirmed", 39])
        assert.strictEqual((await world.get("/status/k?consistency=replica")).status, 200)
        await world.post(`${path}/cancel`)
        assert.deepStrictEqual([await status(), await seats()], ["confirmed", 39])
        time += 200
        assert.deepStrictEqual([await status(), await seats()], ["cancelled", 40])
      },
      { settleAfterMillis: 200, now: () => time }
    )()
  })

  it(
    "answers late, nonsense, a refusal or nothing, as it is told",
    withWorld(async (world) => {
      await world.post("/bookings", flight, { key: "k" })
      const status = (fault: string, timeoutMillis = 10_000) => world.get("/status/k", { fault, timeoutMillis })
      assert.strictEqual((await status("slow; delayMillis=10")).body.state, "done")
      assert.strictEqual((await status("lost_response")).text, "lost")
      assert.strictEqual((await status("timeout_before_commit; delayMillis=10")).text, "lost")
      assert.strictEqual((await status("timeout_after_commit", 60)).text, "timeout")
      assert.strictEqual((await status("unavailable")).status, 503)
      assert.deepStrictEqual((await status("refuse")).body.error.code, "forbidden")
      const garbage = await status("garbage")
      assert.strictEqual(garbage.status, 200)
      assert.throws(() => JSON.parse(garbage.text))
    })
  )
})
