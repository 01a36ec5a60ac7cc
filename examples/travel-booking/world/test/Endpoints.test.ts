import { assert, describe, it } from "@effect/vitest"
import { withWorld } from "./WorldClient.ts"

const flight = { flight: "RH101-2026-12-18", traveller: "Anna Keller" }
const stay = { hotel: "lago", guest: "Anna Keller", from: "2026-12-18", nights: 2 }
const charge = { card: "card-anna", amount: 47_400, currency: "CHF", reference: "trip-42" }

describe("Flights", () => {
  it(
    "finds flights by city or by code, with integer prices and the seats left",
    withWorld(async (world) => {
      const byCity = await world.get("/flights?from=basel&to=Lugano&date=2026-12-18")
      const byCode = await world.get("/flights?from=BSL&to=LUG&date=2026-12-18")
      assert.deepStrictEqual(byCity.json, byCode.json)
      assert.deepStrictEqual(
        byCity.body.flights.map((found) => [found.number, found.price, found.currency, found.seats]),
        [
          ["RH101", 18_400, "CHF", 40],
          ["RH103", 14_900, "CHF", 30],
          ["RH105", 9_900, "CHF", 0]
        ]
      )
      assert.deepStrictEqual((await world.get("/flights?from=Basel&to=Lugano&date=2027-01-01")).json, { flights: [] })
    })
  )

  it(
    "books a seat, shows the booking, and cancels it for the fee of the fare",
    withWorld(async (world) => {
      const booked = await world.post("/bookings", { flight: "RH103-2026-12-18", traveller: "Anna Keller" })
      assert.strictEqual(booked.status, 201)
      assert.match(booked.body.pnr, /^[A-Z]{6}$/)
      assert.strictEqual(booked.body.status, "confirmed")
      const path = `/bookings/${booked.body.pnr}`
      assert.deepStrictEqual((await world.get(path)).json, booked.body)
      const found = await world.get("/flights?from=BSL&to=LUG&date=2026-12-18")
      assert.strictEqual(found.body.flights[1]!.seats, 29)

      const cancelled = await world.post(`${path}/cancel`)
      assert.strictEqual(cancelled.status, 200)
      assert.strictEqual(cancelled.body.status, "cancelled")
      assert.strictEqual(cancelled.body.cancellationFee, 8_940)
      assert.strictEqual(cancelled.body.refunded, 14_900 - 8_940)
      assert.deepStrictEqual((await world.get(path)).json, cancelled.body)
      assert.strictEqual((await world.get("/flights?from=BSL&to=LUG&date=2026-12-18")).body.flights[1]!.seats, 30)

      const again = await world.send("DELETE", path)
      assert.strictEqual(again.status, 409)
      assert.strictEqual(again.body.error.code, "already_cancelled")
    })
  )

  it(
    "refuses a flight that is sold out and one that does not exist",
    withWorld(async (world) => {
      const soldOut = await world.post("/bookings", { ...flight, flight: "RH105-2026-12-18" })
      assert.deepStrictEqual([soldOut.status, soldOut.body.error.code], [409, "sold_out"])
      const unknown = await world.post("/bookings", { ...flight, flight: "XX1" })
      assert.deepStrictEqual([unknown.status, unknown.body.error.code], [404, "flight_not_found"])
      assert.strictEqual((await world.audit()).counts.bookings, 0)
    })
  )

  it(
    "sells exactly the seats that there are",
    withWorld(
      async (world) => {
        const replies = await Promise.all(Array.from({ length: 8 }, () => world.post("/bookings", flight)))
        assert.strictEqual(replies.filter((reply) => reply.status === 201).length, 3)
        assert.strictEqual(replies.filter((reply) => reply.body.error?.code === "sold_out").length, 5)
        assert.strictEqual((await world.audit()).counts.bookings, 3)
      },
      { capacity: 3 }
    )
  )
})

describe("Hotels", () => {
  it(
    "finds rooms that are free on all the nights",
    withWorld(async (world) => {
      await world.post("/stays", { ...stay, from: "2026-12-19", nights: 1 })
      const rooms = async (from: string, nights: number) => {
        const { body } = await world.get(`/hotels?city=Lugano&from=${from}&nights=${nights}`)
        return body.hotels.find((hotel) => hotel.hotel === "lago")?.rooms
      }
      assert.strictEqual(await rooms("2026-12-18", 1), 20)
      assert.strictEqual(await rooms("2026-12-18", 2), 19)
      assert.strictEqual(await rooms("2026-12-20", 2), 20)
    })
  )

  it(
    "books a stay, shows it, and cancels it",
    withWorld(async (world) => {
      const booked = await world.post("/stays", stay)
      assert.strictEqual(booked.status, 201)
      assert.strictEqual(booked.body.price, 29_000)
      const path = `/stays/${booked.body.stay}`
      assert.deepStrictEqual((await world.get(path)).json, booked.body)
      const cancelled = await world.send("DELETE", path)
      assert.deepStrictEqual([cancelled.body.status, cancelled.body.refunded], ["cancelled", 29_000])
      assert.strictEqual((await world.post(`${path}/cancel`)).body.error.code, "already_cancelled")
      const { rows } = await world.audit("?tables=nights")
      assert.deepStrictEqual(
        rows.nights.map((night) => [night.date, night.sold]),
        [
          ["2026-12-18", 0],
          ["2026-12-19", 0]
        ]
      )
    })
  )

  it(
    "refuses a full hotel and one that does not exist",
    withWorld(async (world) => {
      assert.strictEqual((await world.post("/stays", { ...stay, hotel: "stella" })).body.error.code, "no_rooms")
      assert.strictEqual((await world.post("/stays", { ...stay, hotel: "ritz" })).status, 404)
    })
  )
})

describe("Payments", () => {
  it(
    "charges a card and gives back the charge in parts, and no more",
    withWorld(async (world) => {
      const charged = await world.post("/charges", charge)
      assert.deepStrictEqual([charged.status, charged.body.status], [201, "captured"])
      const path = `/charges/${charged.body.charge}`
      const part = await world.post(`${path}/refund`, { amount: 400 })
      assert.deepStrictEqual([part.status, part.body.amount, part.body.refunded], [201, 400, 400])
      assert.strictEqual((await world.get(path)).body.status, "partially_refunded")
      assert.strictEqual(
        (await world.post(`${path}/refund`, { amount: 47_400 })).body.error.code,
        "refund_exceeds_charge"
      )
      assert.strictEqual((await world.post(`${path}/refund`)).body.amount, 47_000)
      assert.deepStrictEqual((await world.get(path)).json, {
        charge: charged.body.charge,
        ...charge,
        status: "refunded",
        refunded: 47_400,
        version: 3
      })
      assert.strictEqual((await world.post(`${path}/refund`)).body.error.code, "already_refunded")
    })
  )

  it(
    "declines a blocked card, a limit that is passed, and another currency",
    withWorld(async (world) => {
      const code = async (change: object) => {
        const reply = await world.post("/charges", { ...charge, ...change })
        return reply.status === 201 ? [201] : [reply.status, reply.body.error.code]
      }
      assert.deepStrictEqual(await code({ card: "card-declined" }), [402, "card_declined"])
      assert.deepStrictEqual(await code({ card: "card-ben", amount: 60_001 }), [402, "limit_exceeded"])
      assert.deepStrictEqual(await code({ card: "card-ben", amount: 60_000 }), [201])
      assert.deepStrictEqual(await code({ card: "card-ben", amount: 1 }), [402, "limit_exceeded"])
      assert.deepStrictEqual(await code({ card: "card-euro" }), [402, "currency_not_accepted"])
      assert.deepStrictEqual(await code({ card: "card-nobody" }), [404, "card_not_found"])
      assert.strictEqual((await world.audit()).counts.charges, 1)
    })
  )
})

describe("Messages", () => {
  it(
    "sends a message and shows it",
    withWorld(async (world) => {
      const sent = await world.post("/messages", { to: "anna@example.com", template: "confirmation", body: "See you" })
      assert.deepStrictEqual([sent.status, sent.body.status], [201, "delivered"])
      assert.deepStrictEqual((await world.get(`/messages/${sent.body.message}`)).json, sent.body)
    })
  )
})

describe("Input", () => {
  it(
    "answers malformed input with 400 and a message, never a stack trace",
    withWorld(async (world) => {
      const bad = await Promise.all([
        world.post("/bookings", "{"),
        world.post("/bookings", "[]"),
        world.post("/bookings"),
        world.post("/bookings", { flight: 1, traveller: "A" }),
        world.post("/bookings", { ...flight, seat: "1A" }),
        world.post("/bookings/ABCDEF/cancel", { why: "x" }),
        world.post("/stays", { ...stay, from: "2026-02-30" }),
        world.post("/stays", { ...stay, nights: 0 }),
        world.post("/charges", { ...charge, amount: 1.5 }),
        world.post("/charges", { ...charge, amount: -1 }),
        world.post("/charges", { ...charge, currency: "francs" }),
        world.get("/flights?from=BSL&to=LUG&date=tomorrow"),
        world.get("/flights?to=LUG&date=2026-12-18"),
        world.get("/hotels?city=Lugano&from=2026-12-18&nights=two"),
        world.get("/bookings/%E0%A4%A"),
        world.get("/bookings/ABCDEF?consistency=sometimes"),
        world.get("/audit?tables=secrets"),
        world.post("/bookings", flight, { key: "k".repeat(256) }),
        world.post("/bookings", flight, { tenant: "a tenant" })
      ])
      for (const reply of bad) {
        assert.strictEqual(reply.status, 400, reply.text)
        assert.strictEqual(reply.body.error.code, "malformed")
        assert.notMatch(reply.text, /\n|\.ts|node:/)
      }
      assert.strictEqual((await world.post("/messages", "x".repeat(70_000))).status, 413)
      assert.strictEqual((await world.audit()).counts.bookings, 0)
    })
  )

  it(
    "answers unknown ids and unknown addresses with 404",
    withWorld(async (world) => {
      for (const path of ["/bookings/NOBODY", "/stays/ST-9", "/charges/CH-9", "/messages/MS-9", "/nowhere", "/"]) {
        const reply = await world.get(path)
        assert.strictEqual(reply.status, 404, path)
        assert.isString(reply.body.error.message)
      }
      assert.strictEqual((await world.post("/charges/CH-9/refund")).status, 404)
      assert.strictEqual((await world.send("PUT", "/bookings")).status, 404)
    })
  )

  it(
    "hides the records of one tenant from another (L15)",
    withWorld(async (world) => {
      const booked = await world.post("/bookings", flight, { tenant: "acme" })
      const path = `/bookings/${booked.body.pnr}`
      assert.strictEqual((await world.get(path, { tenant: "acme" })).status, 200)
      assert.strictEqual((await world.get(path, { tenant: "globex" })).status, 404)
      assert.strictEqual((await world.post(`${path}/cancel`, undefined, { tenant: "globex" })).status, 404)
      const audit = await world.audit("?tenant=globex&tables=bookings,requests")
      assert.strictEqual(audit.counts.bookings, 0)
      assert.strictEqual(audit.rows.requests.length, 2)
    })
  )
})

describe("Audit", () => {
  it(
    "logs every request of a tool with its key, outcome and whether it committed",
    withWorld(async (world) => {
      const booked = await world.post("/bookings", flight, { key: "k1" })
      await world.post("/bookings", flight, { key: "k1" })
      await world.post("/bookings", { ...flight, flight: "RH105-2026-12-18" })
      await world.post("/bookings", {})
      await world.get("/status/k1")
      await world.get("/health")
      const { counts, rows } = await world.audit("?tables=requests,bookings")
      assert.deepStrictEqual(
        rows.requests.map((entry) => [entry.tool, entry.key, entry.outcome, entry.code, entry.committed]),
        [
          ["book_flight", "k1", "done", null, 1],
          ["book_flight", "k1", "replayed", null, 0],
          ["book_flight", null, "refused", "sold_out", 0],
          ["book_flight", null, "refused", "malformed", 0],
          ["status", "k1", "done", null, 0]
        ]
      )
      assert.deepStrictEqual([counts.bookings, counts.requests, counts.flights, counts.cards], [1, 5, 56, 4])
      assert.strictEqual(rows.bookings[0]!.pnr, booked.body.pnr)
      assert.deepStrictEqual(Object.keys(rows), ["requests", "bookings"])
    })
  )
})
