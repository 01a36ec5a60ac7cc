import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
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
})
