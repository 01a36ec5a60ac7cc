/**
 * A loop that looks for a chapter which nobody has: it runs away. The kernel counts its steps over the trace, so a
 * process that is killed and started again has those that are left, and no fresh budget. The careless one counts in
 * memory.
 */
import * as Effect from "effect/Effect"
import * as Desk from "./desk.ts"

const stepsMax = 6

const careless = async (): Promise<void> => {
  for (let step = 0; step < stepsMax; step++) {
    await Desk.role("archive", "", "the lost chapter")
    Desk.reach()
  }
  console.log(JSON.stringify({ stopped: stepsMax }))
}

const careful = Effect.gen(function* () {
  const { handle } = yield* Desk.open("loop.yaml")
  while (true) {
    const outcome = yield* handle.propose({ tool: "search_archive", params: { for: "the lost chapter" } })
    yield* handle.flush
    if (outcome._tag !== "Refused") continue
    const calls = (yield* handle.transitions(1)).filter(({ body }) => body.type === "action.request")
    return { stopped: calls.length }
  }
})

await (Desk.isCareless ? careless() : Desk.work(careful))
