/** Restores one instance in its run: the places that it wrote after a checkpoint, and the state of the machine. */
import type * as Checkpoint from "@backstitch/admissibility/Checkpoint"
import type { Entry } from "@backstitch/admissibility/Entry"
import * as RollbackPoint from "@backstitch/kernel/RollbackPoint"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as Effect from "effect/Effect"
import type * as Lift from "./Lift.ts"

/** Restores a checkpoint of an instance, one place at a time. */
export const restore = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  {
    checkpoint,
    entry,
    lift
  }: {
    readonly checkpoint: Checkpoint.Checkpoint
    readonly entry: Entry
    readonly lift: Lift.Lift
  }
) {
  const { state } = yield* handle.standing
  for (const { op, path, value } of RollbackPoint.patch(lift.lifted, entry, checkpoint, state)) {
    const [, , place = "", row = ""] = path.split("/").map((each) => each.replaceAll("~1", "/").replaceAll("~0", "~"))
    const data = { place, row, ...(op === "remove" ? {} : { value: value ?? null }) }
    const outcome = yield* handle.propose({ type: "plan.update", data })
    if (outcome._tag !== "Done") return yield* Effect.die(new Error(`not restored: ${JSON.stringify(outcome)}`))
  }
  return undefined
})
