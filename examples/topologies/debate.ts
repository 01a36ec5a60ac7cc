/**
 * A chapter that its critic finds too short and too long by turns. The careful debate ends at its cap, and a reader who
 * took no part decides. The careless one goes on until its money is used up, and begins again after a kill.
 */
import * as DebateRun from "@backstitch/runtime/DebateRun"
import * as Effect from "effect/Effect"
import * as Desk from "./desk.ts"

/** The rounds that the careless one can pay for. */
const affordable = 6

const careless = async (): Promise<void> => {
  for (let round = 1; round <= affordable; round++) {
    if (round > 1) await Desk.role("critic", `criticise ${round - 1}`, round - 1)
    await Desk.role("drafter", `draft ${round}`, round)
    Desk.reach()
  }
  console.log(JSON.stringify({ rounds: affordable, shipped: null }))
}

const careful = Effect.gen(function* () {
  const { declared, handle } = yield* Desk.open("debate.yaml")
  const debate = yield* DebateRun.make(handle, {
    declared,
    draft: ({ round }) => Desk.as("drafter", `draft ${round}`, round),
    critique: ({ round }) => Desk.as("critic", `criticise ${round}`, round),
    decide: (tied) =>
      Desk.as(
        "judge",
        "decide",
        tied.map(({ round }) => round)
      )
  })
  return yield* debate.run
})

await (Desk.isCareless ? careless() : Desk.work(careful))
