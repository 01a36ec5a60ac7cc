/**
 * A loop that looks for a chapter which nobody has: it runs away. Its steps are counted over the trace, so a process
 * that is killed and started again has those that are left, and no fresh budget. The careless one counts in memory.
 */
import * as Event from "@backstitch/topology/Event"
import * as ReActLoop from "@backstitch/topology/ReActLoop"
import * as Effect from "effect/Effect"
import * as Desk from "./desk.ts"

const stepsMax = 6

const careless = async (): Promise<void> => {
  for (let step = 0; step < stepsMax; step++) {
    await Desk.print("the lost chapter", "")
    Desk.reach()
  }
  console.log(JSON.stringify({ stopped: stepsMax }))
}

const careful = Effect.gen(function* () {
  const { declared, handle } = yield* Desk.open("loop.yaml")
  while (true) {
    let state = ReActLoop.shape.init
    for (const event of (yield* handle.transitions(1)).flatMap(Event.of)) {
      state = ReActLoop.shape.step(state, event, declared).state
    }
    const { left = 0, used } = ReActLoop.carried(state, declared)
    if (left === 0) return { stopped: used }
    yield* handle.propose({ tool: "search_archive", params: { for: "the lost chapter" } })
    yield* handle.flush
  }
})

await (Desk.isCareless ? careless() : Desk.work(careful))
