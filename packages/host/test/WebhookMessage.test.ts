import * as WebhookSignature from "@backstitch/contracts/WebhookSignature"
import { assert, describe, it } from "@effect/vitest"
import * as WebhookMessage from "../src/webhooks/WebhookMessage.ts"

const body = JSON.stringify({ type: "run.ended", data: { run: "trip" } })

describe("WebhookMessage", () => {
  it("is signed as Standard Webhooks has it, so that any receiver of that standard can check it", () => {
    const secret = WebhookMessage.secretOf("the tenant's", "ep_1")
    const headers = new Map(
      Object.entries(WebhookMessage.headers(secret, { id: "msg_1", body, now: 1_700_000_000_500 }))
    )
    const bytes = (text: string) => new TextEncoder().encode(text)
    const check = (text: string, key = secret) =>
      WebhookSignature.check("standard_webhooks", { headers, body: bytes(text) }, [key])
    assert.deepStrictEqual(check(body), { id: "msg_1", sentAt: 1_700_000_000_000 })
    assert.isUndefined(check(`${body} `))
    assert.isUndefined(check(body, WebhookMessage.secretOf("the tenant's", "ep_2")))
    assert.isUndefined(check(body, WebhookMessage.secretOf("another's", "ep_1")))
  })
})
