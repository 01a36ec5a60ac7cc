/**
 * Figures of recorded runs of the airline's agent, counted through the packages themselves.
 *
 * The runs are imported into a store, and everything is read back from it: the traces are folded, bisected and
 * compared with the solution of their task. Labels are not read.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as DataFolder from "@backstitch/importers/DataFolder"
import * as Import from "@backstitch/importers/Import"
import * as OpenAiChat from "@backstitch/importers/OpenAiChat"
import * as Solution from "@backstitch/importers/Solution"
import * as Kernel from "@backstitch/kernel/Kernel"
import type * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import type * as Rules from "@backstitch/reducer/Rules"
import * as State from "@backstitch/reducer/State"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Bisect from "@backstitch/version-control/Bisect"
import type * as OnsetQuestion from "@backstitch/version-control/OnsetQuestion"
import { violates } from "@backstitch/version-control/OnsetQuestion"
import * as Scan from "@backstitch/version-control/Scan"
import * as Step from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { World } from "./World.ts"

/**
 * The figures.
 *
 * **Details**
 *
 * `bisectRuns` counts the runs in which a reservation was cancelled that may not be cancelled. `bisectAgrees` counts
 * those of them in which bisect finds the same onset as a linear scan, within the bound. `maxEvaluations` is the
 * largest number of evaluations that one run took.
 */
export interface Figures {
  readonly runs: number
  readonly messages: number
  readonly toolCalls: number
  readonly runsWithRepeatedToolCallIds: number
  readonly outputsReproduced: number
  readonly mutatingCalls: number
  readonly stateChanges: number
  readonly errors: number
  readonly finalEqualsGold: number
  readonly recordedHashes: number
  readonly recordedHashesReproduced: number
  readonly wrongCommit: number
  readonly missingCommit: number
  readonly match: number
  readonly bisectRuns: number
  readonly bisectAgrees: number
  readonly maxEvaluations: number
}

/** Imports a file of runs and counts the figures. */
export const compute = Effect.fn("Figures.compute")(function* (options: {
  readonly file: string
  readonly pack: TaskPack.TaskPack
  readonly data: DataFolder.DataFolder
}) {
  const store = yield* TraceStore.TraceStore
  const library = yield* PackLibrary.PackLibrary
  const fold = library.fold(Kernel.standard)
  const predicate = PackRules.of(options.pack).predicates.find(({ id }) => id === cancelled)
  if (predicate === undefined) return yield* Effect.die(new Error(`The pack has no predicate ${cancelled}`))
  return yield* Import.stream({ ...options, format: OpenAiChat.format }).pipe(
    Stream.mapEffect(
      Effect.fnUntraced(function* ({ line, run, state, summary }) {
        const sealed = yield* store.read(run)
        const bisected = yield* library.folding(() => bisect(fold, predicate, sealed.map(Transition.open)))
        return { summary, ...compare(options, JSON.parse(line.text), state), bisected }
      })
    ),
    Stream.runFold(() => none, add)
  )
})

const cancelled = "CANCEL_INELIGIBLE"

interface Counted {
  readonly summary: Import.ImportedRun["summary"]
  readonly verdict: Solution.SolutionVerdict | undefined
  readonly recordedHash: "none" | "reproduced" | "differs"
  readonly bisected: { readonly found: boolean; readonly agrees: boolean; readonly evaluations: number }
}

const add = (total: Figures, { bisected, recordedHash, summary, verdict }: Counted): Figures => ({
  runs: total.runs + 1,
  messages: total.messages + summary.messages,
  toolCalls: total.toolCalls + summary.toolCalls,
  runsWithRepeatedToolCallIds: total.runsWithRepeatedToolCallIds + Number(summary.repeatedToolCallIds),
  outputsReproduced: total.outputsReproduced + summary.outputsReproduced,
  mutatingCalls: total.mutatingCalls + summary.mutatingCalls,
  stateChanges: total.stateChanges + summary.stateChanges,
  errors: total.errors + summary.errors,
  finalEqualsGold: total.finalEqualsGold + Number(verdict === "match"),
  recordedHashes: total.recordedHashes + Number(recordedHash !== "none"),
  recordedHashesReproduced: total.recordedHashesReproduced + Number(recordedHash === "reproduced"),
  wrongCommit: total.wrongCommit + Number(verdict === "wrong_commit"),
  missingCommit: total.missingCommit + Number(verdict === "missing_commit"),
  match: total.match + Number(verdict === "match"),
  bisectRuns: total.bisectRuns + Number(bisected.found),
  bisectAgrees: total.bisectAgrees + Number(bisected.found && bisected.agrees),
  maxEvaluations: bisected.found ? Math.max(total.maxEvaluations, bisected.evaluations) : total.maxEvaluations
})

const none: Figures = {
  runs: 0,
  messages: 0,
  toolCalls: 0,
  runsWithRepeatedToolCallIds: 0,
  outputsReproduced: 0,
  mutatingCalls: 0,
  stateChanges: 0,
  errors: 0,
  finalEqualsGold: 0,
  recordedHashes: 0,
  recordedHashesReproduced: 0,
  wrongCommit: 0,
  missingCommit: 0,
  match: 0,
  bisectRuns: 0,
  bisectAgrees: 0,
  maxEvaluations: 0
}

/** Searches by halves over latched states, and scans the same run from its first tick with the predicate itself. */
const bisect = (
  fold: Fold.Fold,
  predicate: Rules.Predicate,
  transitions: ReadonlyArray<Transition.Transition>
): Counted["bisected"] => {
  const question: OnsetQuestion.OnsetQuestion = { _tag: "Predicate", id: predicate.id }
  const steps = [...Step.walk(fold, State.empty, transitions)]
  const search = Bisect.run(Bisect.start({ length: steps.length }), (tick) =>
    violates(question, steps[tick - 1]!.after, tick)
  )
  const { onset } = Scan.run(predicate, steps)
  const evaluations = search.probes.length
  return {
    found: onset !== undefined || Bisect.found(search) !== undefined,
    agrees: onset === Bisect.found(search) && evaluations <= Bisect.bound(steps.length),
    evaluations
  }
}

/** The part of a recorded run that states the goal of its task. */
interface Recorded {
  readonly info?: {
    readonly task?: { readonly actions?: ReadonlyArray<Solution.Action> }
    readonly reward_info?: { readonly info?: { readonly gt_data_hash?: string } } | null
  }
}

const compare = (
  { data, pack }: { readonly data: DataFolder.DataFolder; readonly pack: TaskPack.TaskPack },
  { info }: Recorded,
  final: State.State
): Pick<Counted, "verdict" | "recordedHash"> => {
  const actions = info?.task?.actions
  if (actions === undefined) return { verdict: undefined, recordedHash: "none" }
  const solution = Solution.ofActions(pack, data, actions)
  const hash = info?.reward_info?.info?.gt_data_hash
  const { flights, reservations, users } = solution.solved as World
  return {
    verdict: Solution.verdict(solution, final.world),
    recordedHash:
      hash === undefined
        ? "none"
        : DataFolder.hash({ flights, reservations, users }) === hash
          ? "reproduced"
          : "differs"
  }
}
