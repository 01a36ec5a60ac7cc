/** A run with something to find in it: bookings until the limit is passed, and a mood that comes and goes. */

import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Agent from "../src/agent/Agent.ts"
import type * as Planner from "../src/ports/Planner.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

export const pack = Result.getOrThrow(
  TaskPack.make({
    ...(lab.definition as Definition),
    pack: "acme.journeys",
    state: { world: lab.definition.state.world, working: { notes: { list: "string" }, mood: "int" } },
    reducers: {
      on: {
        "observation.add": [
          { append: { list: "working.notes", item: "args.text" } },
          { set: { field: "working.mood", value: "args.mood" } }
        ]
      }
    }
  })
)

const feel = (mood: number): Planner.ScriptStep => ({
  id: `mood-${mood}`,
  propose: { type: "observation.add", data: { text: `mood ${mood}`, mood }, confidence: 0.5 }
})

const book = (flight: string, price = 80): Planner.ScriptStep => ({
  id: `book-${flight}`,
  propose: lab.book(flight, price)
})

/** Over the limit of 200 with the third booking; in a bad mood twice. */
export const steps: ReadonlyArray<Planner.ScriptStep> = [
  feel(1),
  book("LX1"),
  feel(9),
  book("LX2"),
  feel(2),
  book("LX3"),
  feel(8),
  { id: "done", propose: { type: "goal.complete" } }
]

export const opening = { pack, goal: "journey", text: "See the lakes", clauses: { max: 200 } }

/** Makes the run, and gives a test its handles. */
export const travelled = (options: { readonly snapshotEvery?: number; readonly run?: Run.Run } = {}) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    const world = new lab.World()
    const { run = lab.trip, snapshotEvery } = options
    const process = lab.process(store, { world, steps, ...(snapshotEvery === undefined ? {} : { snapshotEvery }) })
    yield* lab.as(process)(
      Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
        Effect.flatMap(coordinator.open(run, opening), (handle) => Agent.run(handle))
      )
    )
    return { store, world, process }
  })

export const other = Run.make("other")
