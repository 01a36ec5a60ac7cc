/** The crash part of the demo, as a test: real processes, SQLite, SIGKILL. */
import { assert, describe, it } from "@effect/vitest"
import * as Stage from "../demo/Stage.ts"
import * as Story from "../demo/Story.ts"

const onStage = async <A>(use: (stage: Stage.Stage) => Promise<A>): Promise<A> => {
  const stage = await Stage.open()
  try {
    return await use(stage)
  } finally {
    await stage.close()
  }
}

describe("an agent that is killed after the airline booked and before it knew", () => {
  it("finishes with the same key, and exactly one booking exists (L5, L14)", { timeout: 240_000 }, () =>
    onStage(async (stage) => {
      const crash = await Story.crash(stage)
      assert.strictEqual(crash.killedAfterTick, 8)
      assert.deepStrictEqual(crash.world, { bookings: 1, stays: 1, charges: 1, messages: 1 })
      assert.strictEqual(crash.sent, 1)
      const { tampered, verified } = await Story.verify(stage, crash)
      assert.strictEqual(verified.verdict, "consistent, anchored")
      assert.strictEqual(tampered.tick, 10)
    })
  )

  it("fails a claim of the demo when the world holds something else", { timeout: 240_000 }, () =>
    onStage(async (stage) => {
      await stage.arm({ tool: "book_hotel", kind: "wrong_target" })
      const found = await Story.crash(stage).then(
        () => undefined,
        (error: unknown) => error
      )
      assert.instanceOf(found, Story.ClaimBroken)
      assert.include((found as Error).message, "resume finishes the run")
    })
  )
})
