import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Limits from "../src/Limits.ts"
import * as HeldBodies from "../src/questions/HeldBodies.ts"

const [acme, beta] = ["acme", "beta"].map((name) => Run.make("any", name).tenant) as [Run.Tenant, Run.Tenant]
const share = Limits.pacing.heldBodiesMax - 1
const { waitingQuestionsMax } = Limits.refusing

describe("HeldBodies", () => {
  it.effect("holds never all bodies of one tenant, refuses more than may wait, and takes later ones", () =>
    Effect.gen(function* () {
      const held = yield* HeldBodies.make
      const done = yield* Latch.make()
      const read: Array<string> = []
      const question = (name: string) =>
        Effect.andThen(
          Effect.sync(() => void read.push(name)),
          done.await
        )
      const asking = (tenant: Run.Tenant, name: string) =>
        Effect.forkChild(held(tenant)(question(name)), { startImmediately: true })

      const mine = yield* Effect.forEach(Array.from({ length: share + waitingQuestionsMax }), (_, index) =>
        asking(acme, `a${index}`)
      )
      assert.lengthOf(read, share)
      const refused = yield* Effect.flip(held(acme)(question("more")))
      assert.deepInclude(refused, { tag: "QuestionsTooMany", status: 429 })
      const theirs = yield* asking(beta, "b")
      assert.strictEqual(read.at(-1), "b", "there is room for another tenant")
      // One that gives up makes room for another.
      yield* Fiber.interrupt(mine.at(-1)!)
      const later = yield* asking(acme, "later")

      yield* done.open
      yield* Fiber.joinAll([...mine.slice(0, -1), theirs, later])
      assert.lengthOf(read, share + waitingQuestionsMax + 1)
      assert.include(read, "later")
      assert.notInclude(read, "more")
    })
  )
})
