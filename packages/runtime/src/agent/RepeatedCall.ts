/**
 * Reads, from the tick of its refusal, a call that the user wants to make once more although the act was done before.
 */
import * as Payload from "@backstitch/kernel/Payload"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import type * as Agent from "./Agent.ts"

/** Error for a tick at which no call was refused. `last` is the last tick of the run. */
export class NothingRefused extends Schema.TaggedError<NothingRefused>("@backstitch/runtime/NothingRefused")(
  "NothingRefused",
  { run: Schema.String, tick: Schema.Number, last: Schema.Natural }
) {
  override get message(): string {
    return `Tick ${this.tick} of ${this.run} refuses no call. Name the tick of an intent.refused, 1 to ${this.last}`
  }
}

/** Reads the call that was refused at a tick, as the next occurrence of the same act. */
export const at = Effect.fn("RepeatedCall.at")(function* (run: Run, tick: number) {
  const history = yield* History.History
  const { head } = yield* history.info(run)
  const [refused] = tick < 1 || tick > head.tick ? [] : yield* history.transitions(run, { from: tick, to: tick })
  const { params = {}, tool } = (refused && Payload.of(refused.body, "intent.refused")) ?? {}
  if (refused === undefined || tool === undefined) {
    return yield* new NothingRefused({ run: run.id, tick, last: head.tick })
  }
  const again: Agent.Again = { tool, params, occurrence: (refused.body.intent?.occurrence ?? 1) + 1 }
  return again
})
