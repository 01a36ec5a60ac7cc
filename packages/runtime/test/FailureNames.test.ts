import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import * as FailureNames from "../src/telemetry/FailureNames.ts"

class Refused extends Schema.TaggedError<Refused>("Refused")("Refused", { quoted: Schema.String }) {
  override get message(): string {
    return `It says ${this.quoted}\n    at the office (X7654321:1)`
  }
}

const secret = "X7654321"
const defect = new RangeError(`not ${secret}\nand not ${secret} either`, { cause: new Error(secret) })

describe("FailureNames", () => {
  it("keeps the tags of failures and the places of defects, and no word of either", () => {
    const cause = Cause.combine(Cause.fail(new Refused({ quoted: secret })), Cause.die(defect))
    const errors = Cause.prettyErrors(FailureNames.ofCause(FailureNames.ofCause(cause)))
    assert.deepStrictEqual(
      errors.map(({ message, name }) => [name, message]),
      [
        ["Refused", "Refused"],
        ["RangeError", "RangeError"]
      ]
    )
    assert.include(errors[1]!.stack, "FailureNames.test.ts")
    assert.notInclude(errors.map(({ stack }) => stack).join(), secret)
    assert.strictEqual(FailureNames.ofCause(Cause.interrupt(1)).reasons.length, 1)
    const names = Cause.prettyErrors(FailureNames.ofCause(Cause.combine(Cause.fail(secret), Cause.die({ secret }))))
    assert.deepStrictEqual(
      names.map(({ name }) => name),
      ["string", "object"]
    )
  })

  it.effect("is what spans and loggers are given", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const spans: Array<Tracer.NativeSpan> = []
      const given = Layer.mergeAll(
        Layer.succeed(
          Tracer.Tracer,
          Tracer.make({
            span: (options) => {
              const span = new Tracer.NativeSpan(options)
              spans.push(span)
              return span
            }
          })
        ),
        Logger.layer([Logger.make(({ cause, message }) => void seen.push(message, Cause.pretty(cause)))])
      )
      const works = Effect.logError("it failed", Cause.die(defect), defect).pipe(
        Effect.andThen(Effect.fail(new Refused({ quoted: secret }))),
        Effect.withSpan("work"),
        Effect.exit
      )
      yield* Effect.provide(works, Layer.provideMerge(FailureNames.layer, given))
      assert.include(JSON.stringify(seen), "it failed")
      assert.include(JSON.stringify(seen), "RangeError")
      assert.notInclude(JSON.stringify(seen), secret)
      const { exit } = spans[0]!.status as { exit: Exit.Exit<unknown, unknown> }
      assert.isTrue(Exit.isFailure(exit))
      assert.notInclude(String(Exit.isFailure(exit) && Cause.pretty(exit.cause)), secret)
    })
  )
})
