import { createHmac } from "node:crypto"
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as DeliveryResponse from "@backstitch/runtime/DeliveryResponse"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as lab from "../../runtime/test/lab.ts"
import * as RunHost from "../src/work/RunHost.ts"
import * as hall from "./hall.ts"

const secret = "a secret of the airline"
const pack = Result.getOrThrow(
  TaskPack.make({
    ...(lab.definition as Definition),
    tools: {
      ...lab.definition.tools,
      book: {
        ...lab.definition.tools.book,
        webhook: {
          secret: "AIRLINE_SECRET",
          tolerance: "none",
          key: "body.key",
          done: "body.status == 'booked'",
          output: "body.booking"
        }
      }
    }
  } as Definition)
)

describe("an incoming delivery", () => {
  it.live("lets the run go on that waits for it, whichever process takes it in, and is found by its key", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const { book } = world.tools
      let key = ""
      const tools: ToolExecutor.Tools = {
        ...world.tools,
        book: {
          ...book!,
          execute: (params: never, context) => {
            key = context.key ?? ""
            world.faults.push("lost")
            return book!.execute(params, context)
          },
          status: async () => {
            throw new Error("busy")
          }
        }
      }
      const agent = hall.agent(world, hall.script(lab.book("LX1"), lab.tell("ada")))
      const stored = yield* hall.store
      const agents = { travel: { ...agent, pack, executor: ToolExecutor.layerFrom(tools) } }
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(hall.trip, { agent: "travel" })
        const { waits } = yield* hall.until("waiting")
        assert.deepStrictEqual(waits.map((wait) => wait.for).sort(), ["answer", "delivery"])
        const body = Buffer.from(JSON.stringify({ key, status: "booked", booking: world.answers.get(key) }))
        const signature = createHmac("sha256", secret).update(body).digest("hex")
        const request = { method: "POST", path: "/book", headers: [["x-signature", signature]] as const, body }
        const receiver = { pack, tenant: hall.trip.tenant, secrets: [secret] }
        const process = lab.process(Layer.orDie(stored), { executor: ToolExecutor.fromTools(tools) })
        const { status } = yield* lab.as(process)(DeliveryResponse.answer(request, receiver))
        assert.strictEqual(status, 200)
        yield* hall.until("ended")
        assert.deepStrictEqual(
          [...world.effects],
          [
            ["book LX1", 1],
            ["tell ada", 1]
          ]
        )
      }).pipe(hall.within(hall.host(stored, agents)))
    })
  )
})
