import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as HostDeliveries from "../src/deliveries/HostDeliveries.ts"
import * as RunHost from "../src/work/RunHost.ts"
import * as Airline from "./airline.ts"
import * as hall from "./hall.ts"

const { tenant } = hall.trip

const delivery = (told: object | string | Buffer, signedBy?: string): HostDeliveries.AddressedDelivery => {
  const { body, signature } = Airline.signed(told, signedBy)
  return { tenant, tool: "book", headers: new Map([["x-signature", signature]]), body }
}

/** Takes a delivery in as a server does: by its signature first, and only then by its run. */
const received = (arrived: HostDeliveries.AddressedDelivery) =>
  HostDeliveries.authenticate([Airline.pack], arrived).pipe(
    Effect.flatMap((webhook) => HostDeliveries.take(webhook, arrived)),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ env: { AIRLINE_SECRET: Airline.secret } })
    )
  )

describe("HostDeliveries", () => {
  it.live("lets a run that is held go on, counts a delivery once, and tells strangers nothing (L15)", () =>
    Effect.gen(function* () {
      const airline = Airline.make()
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(hall.trip, { agent: "travel" })
        yield* hall.until("waiting")
        const told = airline.delivery()
        const before = (yield* host.status(hall.trip)).tick

        // Without a signature every tenant looks the same: the one that has the key, and one that nobody has.
        const nobody = Run.make("any", "nobody").tenant
        for (const arrived of [delivery(told, "another secret"), { ...delivery(told), headers: new Map() }]) {
          const [here, elsewhere] = [arrived, { ...arrived, tenant: nobody }]
          const refused = yield* Effect.flip(received(here))
          assert.deepInclude(refused, { _tag: "DeliveryUnsigned", fault: "signature" })
          assert.deepStrictEqual(yield* Effect.flip(received(elsewhere)), refused)
        }
        // A provider that signs is told of no key but those of the tenant that it names.
        const foreign = yield* Effect.flip(received({ ...delivery(told), tenant: nobody }))
        const unknown = yield* Effect.flip(received(delivery({ ...told, key: "bs_unknown" })))
        assert.deepStrictEqual([foreign._tag, unknown._tag], ["DeliveryRefused", "DeliveryRefused"])
        assert.strictEqual(foreign.message, unknown.message)
        // It is signed, so its provider is told that it is unreadable, and not that it is a stranger.
        for (const body of ["<html>", Buffer.from([0x7b, 0xff, 0x7d])]) {
          const unreadable = yield* Effect.flip(received(delivery(body)))
          assert.deepStrictEqual([unreadable._tag, unreadable.message.includes("no JSON")], ["DeliveryRefused", true])
        }
        assert.strictEqual((yield* host.status(hall.trip)).tick, before)

        const taken = yield* received(delivery(told))
        assert.deepInclude(taken, { run: "trip", tool: "book", verdict: "settled" })
        yield* hall.until("ended")
        assert.strictEqual((yield* received(delivery(told))).verdict, "replayed")
        assert.deepStrictEqual(airline.effects(), [
          ["book LX1", 1],
          ["tell ada", 1]
        ])
      }).pipe(hall.within(hall.host(yield* hall.store, airline.agents)))
    })
  )

  it.effect("refuse a tool that takes none, and what cannot be checked, by their own names", () =>
    Effect.gen(function* () {
      const arrived = delivery({ key: "bs_1" })
      const unwanted = yield* Effect.flip(HostDeliveries.authenticate([Airline.pack], { ...arrived, tool: "fax" }))
      assert.strictEqual(unwanted._tag, "DeliveryUnwanted")
      const none = ConfigProvider.fromEnv({ env: {} })
      const unchecked = HostDeliveries.authenticate([Airline.pack], arrived).pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, none)
      )
      const refused = yield* Effect.flip(unchecked)
      assert.strictEqual(refused._tag, "DeliveryUncheckable")
      // The name of the variable is for the operator, and not for whoever asks.
      assert.notInclude(refused.message, "AIRLINE_SECRET")
    })
  )
})
