/** Finds the step at which recorded travel plans first name a restaurant twice, by bisect over their traces. */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Import from "@backstitch/importers/Import"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as State from "@backstitch/reducer/State"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Bisect from "@backstitch/version-control/Bisect"
import { violates } from "@backstitch/version-control/OnsetQuestion"
import * as Step from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Plans from "./Plans.ts"

/** Plans, and those among them that name a restaurant twice. */
export interface Figures {
  readonly plans: number
  readonly repeatedRestaurant: number
}

/** The slot of each plan, counted from 1, at which a predicate first holds, or none. */
export const onsets = Effect.fn("Figures.onsets")(function* (pack: TaskPack.TaskPack, file: string, id: string) {
  const store = yield* TraceStore.TraceStore
  const library = yield* PackLibrary.PackLibrary
  const fold = library.fold(Kernel.standard)
  const found = Import.stream({ pack, file, format: Plans.format, prefix: "plan" }).pipe(
    Stream.mapEffect(
      Effect.fnUntraced(function* ({ run }) {
        const sealed = yield* store.read(run)
        const steps = yield* library.folding(() => [...Step.walk(fold, State.empty, sealed.map(Transition.open))])
        const onset = Bisect.found(
          Bisect.run(Bisect.start({ length: steps.length }), (tick) =>
            violates({ _tag: "Predicate", id }, steps[tick - 1]!.after, tick)
          )
        )
        const action = onset === undefined ? undefined : steps[onset - 1]!.transition.body.action?.id
        return action === undefined ? undefined : Number(action.replace("slot-", ""))
      })
    )
  )
  return [...(yield* Stream.runCollect(found))]
})

/** Counts the figures. */
export const compute = Effect.fn("Figures.compute")(function* (pack: TaskPack.TaskPack, file: string) {
  const found = yield* onsets(pack, file, "REPEAT_RESTAURANT")
  const repeated = found.filter((slot) => slot !== undefined)
  return { plans: found.length, repeatedRestaurant: repeated.length } satisfies Figures
})
