/** Reads what the user wants done once more, although it was done: the call that a tick refused. */
import * as Payload from "@backstitch/kernel/Payload"
import type * as Agent from "@backstitch/runtime/Agent"
import * as History from "@backstitch/runtime/History"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import { Usage } from "../terminal/Failure.ts"

/** The call that was refused at a tick, as the next occurrence of it; nothing where no tick was typed. */
export const parse = Effect.fnUntraced(function* (run: Run, typed: string | undefined) {
  if (typed === undefined) return undefined
  const history = yield* History.History
  const { head } = yield* history.info(run)
  const tick = /^[1-9][0-9]*$/.test(typed) ? Number(typed) : 0
  const [refused] = tick < 1 || tick > head.tick ? [] : yield* history.transitions(run, { from: tick, to: tick })
  const { params = {}, tool } = (refused && Payload.of(refused.body, "intent.refused")) ?? {}
  if (refused === undefined || tool === undefined) {
    const problem = `Tick "${typed}" of ${run.id} refuses no call. Give --again the tick of an intent.refused, 1 to ${head.tick}`
    return yield* new Usage({ problem })
  }
  const again: Agent.Again = { tool, params, occurrence: (refused.body.intent?.occurrence ?? 1) + 1 }
  return again
})

/** Refuses what was typed of it where nothing acts. */
export const refuse = (typed: string | undefined): Effect.Effect<void, Usage> =>
  typed === undefined
    ? Effect.void
    : Effect.fail(new Usage({ problem: "--again lets the agent act: name it with --agent FILE" }))
