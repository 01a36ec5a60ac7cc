import { createHmac } from "node:crypto"
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as DeliveryResponse from "../src/deliveries/DeliveryResponse.ts"
import * as lab from "./lab.ts"

const secret = "a secret of the airline"
const hook = { secret: "AIRLINE_SECRET", tolerance: "none", key: "body.key", done: "body.status == 'booked'" }

const pack = Result.getOrThrow(
  TaskPack.make({
    ...(lab.definition as Definition),
    tools: { ...lab.definition.tools, book: { ...lab.definition.tools.book, webhook: hook } }
  } as Definition)
)

const receiver: DeliveryResponse.Receiver = { pack, tenant: lab.trip.tenant, secrets: [secret] }

const request = (
  body: object,
  more: Partial<DeliveryResponse.DeliveryRequest> = {},
  by = secret
): DeliveryResponse.DeliveryRequest => {
  const text = JSON.stringify(body)
  const headers = [["x-signature", `sha256=${createHmac("sha256", by).update(text).digest("hex")}`]] as const
  return { method: "POST", path: "/book", headers, body: Buffer.from(text), ...more }
}

describe("DeliveryResponse", () => {
  it.effect("answers a request that is no delivery, names no tool, is unsigned, or has a key of no action", () =>
    Effect.gen(function* () {
      const within = lab.as(lab.process(yield* lab.shared))
      const body = { key: "nobody's", status: "booked" }
      const cases: ReadonlyArray<readonly [DeliveryResponse.DeliveryRequest, number]> = [
        [request(body, { method: "GET" }), 405],
        [request(body, { body: undefined }), 413],
        [request(body, { path: "/look" }), 404],
        [request(body, { path: "/%E0%A4%A" }), 404],
        [request(body, { headers: [] }), 401],
        [request(body), 404],
        [request(body, { path: "/" }), 404]
      ]
      for (const [given, status] of cases) {
        const response = yield* within(DeliveryResponse.answer(given, receiver))
        assert.deepStrictEqual([given.path, response.status], [given.path, status])
        assert.deepInclude(response.body, { ok: false })
      }
    })
  )

  it.effect("has the provider deliver again while the store cannot be read, and tells those who operate it why", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore.makeMemory
      const failure = new TraceStore.TraceStoreError({
        operation: "claims",
        reason: "lost",
        store: "far",
        cause: "cut"
      })
      const failing = Layer.succeed(TraceStore.TraceStore, { ...store, claims: () => Effect.fail(failure) })
      const within = lab.as(lab.process(failing))
      const response = yield* within(DeliveryResponse.answer(request({ key: "k" }), receiver))
      assert.strictEqual(response.status, 503)
      assert.include(response.note, "Could not list the names held in far")
    })
  )
})
