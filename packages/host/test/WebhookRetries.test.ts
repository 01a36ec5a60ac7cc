import { assert, describe, it } from "@effect/vitest"
import * as WebhookRetries from "../src/webhooks/WebhookRetries.ts"

describe("WebhookRetries", () => {
  it("sends a message again after longer and longer waits, and gives it up after the last one", () => {
    const times: Array<number> = []
    for (let attempts = 1; ; attempts++) {
      const at = WebhookRetries.next(attempts, 0)
      if (at === undefined) break
      times.push(at)
    }
    assert.deepStrictEqual(
      times,
      [...times].sort((one, other) => one - other)
    )
    assert.isAbove(
      times.reduce((sum, wait) => sum + wait, 0),
      72 * 3_600_000
    )
  })
})
