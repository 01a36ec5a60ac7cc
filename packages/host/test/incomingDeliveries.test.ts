import * as DeliveryResponse from "@backstitch/runtime/DeliveryResponse"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as lab from "../../runtime/test/lab.ts"
import * as RunHost from "../src/work/RunHost.ts"
import * as Airline from "./airline.ts"
import * as hall from "./hall.ts"

describe("an incoming delivery", () => {
  it.live("lets the run go on that waits for it, whichever process takes it in, and is found by its key", () =>
    Effect.gen(function* () {
      const airline = Airline.make()
      const stored = yield* hall.store
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(hall.trip, { agent: "travel" })
        const { waits } = yield* hall.until("waiting")
        assert.deepStrictEqual(waits.map((wait) => wait.for).sort(), ["answer", "delivery"])
        const { body, signature } = Airline.signed(airline.delivery())
        const request = { method: "POST", path: "/book", headers: [["x-signature", signature]] as const, body }
        const receiver = { pack: Airline.pack, tenant: hall.trip.tenant, secrets: [Airline.secret] }
        const process = lab.process(Layer.orDie(stored), { executor: ToolExecutor.fromTools(airline.tools) })
        const { status } = yield* lab.as(process)(DeliveryResponse.answer(request, receiver))
        assert.strictEqual(status, 200)
        yield* hall.until("ended")
        assert.deepStrictEqual(airline.effects(), [
          ["book LX1", 1],
          ["tell ada", 1]
        ])
      }).pipe(hall.within(hall.host(stored, airline.agents)))
    })
  )
})
