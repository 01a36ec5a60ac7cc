/** Puts one instance back in its run: the fields that it wrote after a checkpoint, and the state of the machine. */
import type * as Checkpoint from "@backstitch/admissibility/Checkpoint"
import type { Entry } from "@backstitch/admissibility/Entry"
import * as History from "@backstitch/runtime/History"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import type * as Lift from "./Lift.ts"
import * as ScriptedPlanner from "./ScriptedPlanner.ts"

/** Restores a checkpoint of an instance, with its given steps. */
export const restore = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  {
    checkpoint,
    entry,
    taken
  }: {
    readonly checkpoint: Checkpoint.Checkpoint
    readonly entry: Entry
    readonly taken: ReadonlyArray<Lift.Taken>
  }
) {
  yield* handle.flush
  const history = yield* History.History
  const before = ScriptedPlanner.workingOf((yield* history.at(handle.run, checkpoint.tick)).state)
  const written = [...entry.writes].flatMap(([key, ticks]) => (ticks.some((at) => at > checkpoint.tick) ? [key] : []))
  const own = new Set(entry.steps)
  const undone = taken.filter(({ tick }) => own.has(tick) && tick > checkpoint.tick)
  const places: ReadonlyArray<JsonObject> = [
    { place: "state", state: checkpoint.state },
    ...written.map((key) => {
      const value = before.facts[key]
      return { place: "fact", key, ...(value === undefined ? {} : { value }) }
    }),
    ...undone.map(({ step }) => ({ place: "step", key: step.id }))
  ]
  for (const data of places) {
    const outcome = yield* handle.propose({ type: "plan.update", data })
    if (outcome._tag !== "Done") return yield* Effect.die(new Error(`not restored: ${JSON.stringify(outcome)}`))
  }
  return undefined
})
