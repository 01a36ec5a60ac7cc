import { assert, describe, it } from "@effect/vitest"
import * as DeliveryHeaders from "../src/deliveries/DeliveryHeaders.ts"

describe("DeliveryHeaders", () => {
  it("reads headers as lines or as JSON, whatever their case, and skips lines that are none", () => {
    const lines = DeliveryHeaders.parse("POST / HTTP/1.1\r\nHost: shop\r\nX-SIGNATURE:  sha256=ab \r\n\r\nnot a header")
    assert.deepStrictEqual(
      [...lines],
      [
        ["host", "shop"],
        ["x-signature", "sha256=ab"]
      ]
    )
    const webhook = { form: "hmac" } as const
    assert.isTrue(DeliveryHeaders.isSigned(lines, webhook))
    const json = DeliveryHeaders.parse('{"Shop-Signed":"cd","x":7}')
    assert.isFalse(DeliveryHeaders.isSigned(json, webhook))
    assert.strictEqual(DeliveryHeaders.renamed(json, webhook, "shop-signed").get("x-signature"), "cd")
    const named = { ...webhook, header: "shop-signed" }
    assert.isTrue(DeliveryHeaders.isSigned(json, named))
    assert.isFalse(
      DeliveryHeaders.isSigned(DeliveryHeaders.renamed(lines, webhook, "another"), webhook),
      "no other is taken for it"
    )
  })
})
