import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Notes from "@backstitch/trace/Notes"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as lab from "../../runtime/test/lab.ts"
import * as HostAgents from "../src/work/HostAgents.ts"
import * as hall from "./hall.ts"

const inStore = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(hall.store, (stored) => hall.within(hall.process(stored))(effect))

const secretOf = () => Effect.succeed("secret")

describe("HostAgents", () => {
  it.effect("are loaded when the host starts, so that a wrong one is found before any run is begun", () =>
    Effect.gen(function* () {
      const agents = { travel: hall.agent(new lab.World(), lab.script), broken: "no-such-agent.ts" }
      const failed = yield* Effect.flip(Effect.scoped(HostAgents.make({ agents, secretOf })))
      assert.include(failed.message, "no-such-agent.ts")
    }).pipe(inStore)
  )

  it.effect("are given by name, and list the names where one is unknown", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const agents = { travel: hall.agent(world, lab.script), short: hall.agent(world, []) }
      const made = yield* HostAgents.make({ agents, secretOf })
      assert.deepStrictEqual(made.names, ["travel", "short"])
      const unknown = yield* Effect.flip(made.find("../agent.ts"))
      assert.include(unknown.message, "It has travel, short")
    }).pipe(Effect.scoped, inStore)
  )

  it.effect("are built without the services of the host, which their tools could keep (L15)", () =>
    Effect.gen(function* () {
      let around = yield* Effect.context<never>()
      assert.isTrue(Option.isSome(Context.getOption(around, Notes.Notes)))
      const executor = Layer.effect(
        ToolExecutor.ToolExecutor,
        Effect.map(Effect.context<never>(), (found) => {
          around = found
          return ToolExecutor.fromTools({})
        })
      )
      const agents = { keeper: { ...hall.agent(new lab.World(), []), executor } }
      yield* HostAgents.make({ agents, secretOf })
      assert.isTrue(Option.isNone(Context.getOption(around, Notes.Notes)))
      assert.isTrue(Option.isNone(Context.getOption(around, TraceStore.TraceStore)))
    }).pipe(Effect.scoped, inStore)
  )

  it.effect("have one coordinator over a store, whoever asks for the first at the same time", () =>
    Effect.gen(function* () {
      const agents = { travel: hall.agent(new lab.World(), []) }
      const { coordinatorOf } = yield* HostAgents.make({ agents, secretOf: () => Effect.as(Effect.yieldNow, "secret") })
      const asked = coordinatorOf("travel", hall.trip.tenant)
      const [one, other] = yield* Effect.all([asked, asked], { concurrency: 2 })
      assert.strictEqual(one, other)
      assert.strictEqual(yield* asked, one)
    }).pipe(Effect.scoped, inStore)
  )
})
