/**
 * Follows the acts of a run again while its decisions are replayed: each recorded absorption has to be the one that the
 * contract demands for its revisions, given the answers that it rests on.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type { DecisionTerms } from "@backstitch/kernel/DecisionTerms"
import * as Payload from "@backstitch/kernel/Payload"
import * as RunAbsorption from "@backstitch/kernel/RunAbsorption"
import type * as RunActs from "@backstitch/kernel/RunActs"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import type * as Step from "@backstitch/version-control/Step"
import * as ActsRecord from "../history/actsRecord.ts"
import * as RunRecord from "../history/runRecord.ts"
import * as RecordedCommand from "./RecordedCommand.ts"

/** Follows the acts of a run again, transition by transition. */
export class RevisionReplay {
  #acts: RunActs.RunActs | undefined

  /** Takes in the next transition, with the pack in force after it. */
  follow(step: Step.Step, packAfter: () => TaskPack.TaskPack | undefined): void {
    this.#acts = RunRecord.taken(ActsRecord.kind, this.#acts, step, packAfter)
  }

  /** Tells whether an absorption is exactly the one that the pack demands; `true` for any other transition. */
  agrees(transition: Transition, behind: ReadonlyArray<Transition>, state: State, terms: DecisionTerms): boolean {
    const data = Payload.of(transition.body, "revision.absorbed")
    if (data === undefined) return true
    if (this.#acts === undefined) return false
    const judging = { acts: this.#acts, state, terms }
    const { answers, barred, truncated, widened } = data
    const options = {
      answers: new Map(Object.entries(answers ?? {})),
      barred,
      keepsNotes: truncated !== true,
      ...(widened === true ? { widen: true } : {})
    }
    const planned = RunAbsorption.plan(judging, options)
    if (planned === undefined || planned.obstacles.length > 0) return false
    const demanded = RunAbsorption.command(judging, planned, options)
    const recorded = RecordedCommand.absorbOf(data, transition.tick - 1, behind)
    return Canonical.equals(demanded.says, recorded.says) && Canonical.equals(demanded.patch, recorded.patch)
  }
}
