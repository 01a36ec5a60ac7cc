import { assert, describe, it } from "@effect/vitest"
import * as Channel from "../src/wire/Channel.ts"

describe("Channel", () => {
  it("gives items in their order, each only as fast as they are taken, and ends after the last one", async () => {
    const channel = Channel.make<number>()
    const taken: Array<number> = []
    const first = channel.put(1).then(() => taken.push(-1))
    await Promise.resolve()
    assert.deepStrictEqual(taken, [])
    void channel.put(2)
    const reading = (async () => {
      for await (const item of channel) taken.push(item)
    })()
    await first
    channel.end()
    await channel.put(3)
    await reading
    assert.sameOrderedMembers(
      taken.filter((item) => item > 0),
      [1, 2]
    )
  })
})
