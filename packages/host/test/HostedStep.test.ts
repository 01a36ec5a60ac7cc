import * as Run from "@backstitch/trace/Run"
import type { Next } from "@backstitch/wording/Next"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as lab from "../../runtime/test/lab.ts"
import * as HostedStep from "../src/work/HostedStep.ts"
import * as RunHost from "../src/work/RunHost.ts"
import * as hall from "./hall.ts"

const { trip } = hall

const resume: Next = { run: "trip", verb: "resume" }

describe("the step after a decision about a hosted run", () => {
  it.live("is to follow it, or to resume it if its agent is lacking; a run that no host has is resumed", () =>
    Effect.gen(function* () {
      const stored = yield* hall.store
      const agents = { travel: hall.agent(new lab.World(), hall.script(hall.launch)) }
      const review: Next = { run: "trip", verb: "review" }
      const steps = HostedStep.of(trip, [resume, review])
      yield* Effect.gen(function* () {
        yield* (yield* RunHost.RunHost).start(trip, { agent: "travel" })
        yield* hall.until("waiting")
        const words = "its agent travel goes on by itself"
        assert.deepStrictEqual(yield* steps, [{ run: "trip", verb: "watch", words }, review])
        const none = Run.make("none")
        assert.deepStrictEqual(yield* HostedStep.of(none, [{ run: "none", verb: "resume" }]), [
          { run: "none", verb: "resume" }
        ])
      }).pipe(hall.within(hall.host(stored, agents)))
      yield* Effect.gen(function* () {
        const [own, ...others] = yield* steps
        assert.deepInclude(own, { run: "trip", verb: "resume" })
        assert.include(own?.words, "waits for its agent travel, which this server does not have")
        assert.deepStrictEqual(others, [review])
        yield* (yield* RunHost.RunHost).cancel(trip, { by: "Ada", reason: "off" })
        assert.deepStrictEqual(yield* steps, [resume, review])
      }).pipe(hall.within(hall.host(stored, {})))
    })
  )
})
