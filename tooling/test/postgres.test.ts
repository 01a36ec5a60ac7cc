import { assert, describe, it } from "vitest"

const listeners = () => ["exit", "beforeExit", "SIGINT", "SIGTERM"].map((event) => process.listenerCount(event))

describe("postgres", () => {
  it("starts a server and stops it, and leaves it to this process how to end", async () => {
    const before = listeners()
    const { start } = await import("../src/postgres.ts")
    const { stop, url } = await start()
    assert.match(url, /^postgres:\/\/backstitch:[0-9a-f]+@127\.0\.0\.1:\d+\/postgres$/)
    await stop()
    assert.deepStrictEqual(listeners(), before)
  })
})
