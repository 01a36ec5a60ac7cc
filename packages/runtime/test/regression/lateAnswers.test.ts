import type { Evidence } from "@backstitch/kernel/Evidence"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ToolExecutor from "../../src/ports/ToolExecutor.ts"
import * as lab from "../lab.ts"

const booked: Evidence = { _tag: "Ok", output: { id: "B1", price: 80 } }
const notFound: Evidence = { _tag: "NotFound" }

const executor = (answers: Pick<ToolExecutor.ToolExecutor["Service"], "call" | "status" | "readback">) =>
  ToolExecutor.ToolExecutor.of({ mode: "live", ...answers })

describe("late answers", () => {
  it.effect("do not count as new: a not found before its times had passed is asked again (decision 0036)", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const slow = executor({
        call: () =>
          Effect.suspend(() => {
            seen.push("send")
            return Effect.delay(Effect.succeed<Evidence>({ _tag: "Unknown", reason: "cut" }), "2 seconds")
          }),
        // Asked 2 s after the start, answered 2.5 s later: 4 s have passed by then, and had not when it was asked.
        status: () =>
          Effect.suspend(() => {
            seen.push("ask")
            const isFirst = seen.length === 2
            return Effect.delay(Effect.succeed(isFirst ? notFound : booked), isFirst ? "2500 millis" : "0 millis")
          }),
        readback: () => Effect.succeed(booked)
      })
      const store = yield* lab.shared
      const outcome = yield* lab.as(lab.process(store, { executor: slow }))(
        Effect.flatMap(lab.open(), (handle) => lab.elapsing(handle.propose(lab.book("LX1"))))
      )
      assert.strictEqual(outcome._tag, "Done")
      assert.deepStrictEqual(seen, ["send", "ask", "ask"])
    })
  )

  it.effect("leave a process that waits for its readback with the settlement of another one (L1)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const prompt = executor({
        call: () => Effect.succeed(booked),
        status: () => Effect.succeed(booked),
        readback: () => Effect.succeed(booked)
      })
      const other = lab.as(lab.process(store, { executor: prompt }))(
        Effect.flatMap(lab.open(), (handle) => handle.resume)
      )
      const overtaken = executor({
        ...prompt,
        readback: () => Effect.as(Effect.orDie(other), notFound)
      })
      const outcome = yield* lab.as(lab.process(store, { executor: overtaken }))(
        Effect.flatMap(lab.open(), (handle) => lab.elapsing(handle.propose(lab.book("LX1"))))
      )
      assert.strictEqual(outcome._tag, "Done")
    })
  )
})
