/** Two runs of one goal: what each proposes, and what anybody can find out about it. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as State from "@backstitch/reducer/State"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

export const [first, second] = [Run.make("first"), Run.make("second")]

export const packOf = (changes: object = {}) => Result.getOrThrow(TaskPack.make({ ...lab.definition, ...changes }))

export const open = (run: Run.Run, pack = lab.pack) =>
  Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.open(run, { pack, goal: "goal" }))

export const proposing = (run: Run.Run, pack: TaskPack.TaskPack, ...proposals: ReadonlyArray<Proposal>) =>
  Effect.flatMap(open(run, pack), (handle) => Effect.forEach(proposals, handle.propose))

export const worldOf = (run: Run.Run) =>
  Effect.flatMap(History.History, (history) =>
    Effect.flatMap(history.info(run), ({ head }) =>
      Effect.map(history.at(run, head.tick), ({ state }) => State.sectionToJson(state.world))
    )
  )

/** Collects everything that can be read of a run. */
export const looks = (run: Run.Run) =>
  Effect.all({
    all: lab.transitions(run),
    redecided: DecisionReplay.redecide(run, { secret: "secret" }),
    report: Report.of(run),
    verified: RunVerification.verify(run),
    world: worldOf(run)
  })
