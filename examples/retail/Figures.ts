/**
 * Finds the step after which each failed run of the shop's agent could not reach its solution any more.
 *
 * Runs are imported and searched through the packages themselves. The step that a bisect names is compared with the
 * step that a person named, or in which a fault was inserted. "none" is the answer if every commit could still be
 * corrected.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as DataFolder from "@backstitch/importers/DataFolder"
import * as Import from "@backstitch/importers/Import"
import * as OpenAiChat from "@backstitch/importers/OpenAiChat"
import * as Solution from "@backstitch/importers/Solution"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as State from "@backstitch/reducer/State"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Bisect from "@backstitch/version-control/Bisect"
import * as Step from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Faults from "./Faults.ts"

/**
 * Figures of recorded runs. `pointOfNoReturn` counts the runs that have one, `sameStepAsHuman` those of them in which
 * a person saw the root cause in the same step.
 */
export interface Runs {
  readonly runs: number
  readonly outputs: number
  readonly outputsReproduced: number
  readonly pointOfNoReturn: number
  readonly sameStepAsHuman: number
}

/**
 * Figures of solutions with one fault. `onsetAgrees` counts those for which bisect answers the step, or "none", of
 * the label.
 */
export interface FaultCounts {
  readonly ok: number
  readonly wrong: number
  readonly omission: number
  readonly onsetAgrees: number
}

/** A contract and the database with which its runs began. */
export interface Shop {
  readonly pack: TaskPack.TaskPack
  readonly data: DataFolder.DataFolder
}

interface Annotation {
  readonly trajectory_id: number
  readonly failures: ReadonlyArray<{ readonly failure_id: number; readonly step_number: number }>
  readonly root_cause: { readonly failure_id: number }
}

/** Searches recorded runs. */
export const runs = Effect.fn("Figures.runs")(function* (
  shop: Shop,
  files: { readonly runs: string; readonly annotations: ReadonlyArray<Annotation> }
) {
  const roots = new Map(
    files.annotations.flatMap(({ failures, root_cause: root, trajectory_id: task }) =>
      failures.flatMap(({ failure_id: id, step_number: step }) =>
        id === root.failure_id ? [[task, step] as const] : []
      )
    )
  )
  const options = { ...shop, file: files.runs, format: OpenAiChat.format, outputs: "values" } as const
  const none: Runs = { runs: 0, outputs: 0, outputsReproduced: 0, pointOfNoReturn: 0, sameStepAsHuman: 0 }
  return yield* Import.stream(options).pipe(
    Stream.mapEffect(
      Effect.fnUntraced(function* (imported) {
        const { info, task_id: task } = JSON.parse(imported.line.text) as {
          readonly task_id: number
          readonly info?: { readonly task?: { readonly actions?: ReadonlyArray<Solution.Action> } }
        }
        const { message } = yield* search(imported, Solution.ofActions(shop.pack, shop.data, info?.task?.actions ?? []))
        // People count steps from 1.
        return { ...imported, message, isSame: message !== undefined && roots.get(task) === message + 1 }
      })
    ),
    Stream.runFold(
      () => none,
      (total, { isSame, message, summary }): Runs => ({
        runs: total.runs + 1,
        outputs: total.outputs + summary.toolCalls,
        outputsReproduced: total.outputsReproduced + summary.outputsReproduced,
        pointOfNoReturn: total.pointOfNoReturn + Number(message !== undefined),
        sameStepAsHuman: total.sameStepAsHuman + Number(isSame)
      })
    )
  )
})

/** Searches solutions with one fault each. */
export const faults = Effect.fn("Figures.faults")(function* (shop: Shop, file: string) {
  const none: FaultCounts = { ok: 0, wrong: 0, omission: 0, onsetAgrees: 0 }
  return yield* Import.stream({ ...shop, file, format: Faults.format, prefix: "fault" }).pipe(
    Stream.mapEffect(
      Effect.fnUntraced(function* (imported) {
        const fault = Faults.read(imported.line.text)
        const found = yield* search(imported, Solution.ofActions(shop.pack, shop.data, fault.expectedMutations))
        const step = found.message === undefined ? null : found.message / 2
        const isSame = fault.label !== undefined && fault.label.pointOfNoReturn === step
        return { isSame, isOk: found.verdict === "match", isWrong: step !== null }
      })
    ),
    Stream.runFold(
      () => none,
      (total, { isOk, isSame, isWrong }): FaultCounts => ({
        ok: total.ok + Number(isOk),
        wrong: total.wrong + Number(!isOk && isWrong),
        omission: total.omission + Number(!isOk && !isWrong),
        onsetAgrees: total.onsetAgrees + Number(isSame)
      })
    )
  )
})

/** The message with the call whose answer put the solution out of reach, found by halving, or none. */
const search = Effect.fnUntraced(function* (
  { run, state }: Import.ImportedRun,
  solution: Solution.Solution<State.Section>
) {
  const store = yield* TraceStore.TraceStore
  const library = yield* PackLibrary.PackLibrary
  const fold = library.fold(Kernel.standard)
  const sealed = yield* store.read(run)
  const steps = yield* library.folding(() => [...Step.walk(fold, State.empty, sealed.map(Transition.open))])
  const isPast = (tick: number): boolean => {
    const { world } = steps[tick - 1]!.after
    // Before the first tick that folds the tables there is no world to compare.
    return Object.keys(world).length > 0 && Solution.isPastReturn(solution, world)
  }
  const onset = Bisect.found(Bisect.run(Bisect.start({ length: steps.length }), isPast))
  const verdict = Solution.verdict(solution, state.world)
  if (onset === undefined) return { verdict, message: undefined }
  const { body } = steps[onset - 1]!.transition
  const call = steps.find(
    ({ transition }) => transition.body.type === "action.request" && transition.body.action?.id === body.action?.id
  )
  return { verdict, message: Number(call?.transition.envelope.source?.replace("message ", "")) }
})
