/**
 * A plan to print the chapters on a shelf. After the first print an author takes the second chapter away and brings a
 * third. The careful one looks at the shelf before each step and plans again; the careless one prints its ghost.
 */

import * as PlanRun from "@backstitch/runtime/PlanRun"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Desk from "./desk.ts"

const careless = async (): Promise<void> => {
  const plan = ["one", "two"]
  for (const step of plan) {
    await Desk.role("printer", step, step)
    Desk.reach()
    Desk.putOnShelf(["one", "three"])
  }
  console.log(JSON.stringify({ printed: plan }))
}

const careful = Effect.gen(function* () {
  const { declared, handle } = yield* Desk.open("plan.yaml")
  const plan = yield* PlanRun.make(handle, {
    declared,
    world: Effect.map(Desk.as("world", "look at the shelf", null), (world) => world as JsonObject),
    plan: ({ done, world }) => {
      const left = Object.entries(world).filter(([chapter]) => done.every(({ step }) => step !== chapter))
      return Desk.as("planner", `plan ${done.length}`, Object.fromEntries(left))
    },
    carryOut: ({ step }) =>
      Effect.tap(Desk.as("executor", `print ${step}`, step), () => Effect.sync(() => Desk.putOnShelf(["one", "three"])))
  })
  return yield* plan.run
})

Desk.stockShelf(["one", "two"])
await (Desk.isCareless ? careless() : Desk.work(careful))
