/**
 * The deterministic planner as the planner of a runtime, which pauses after a number of acts.
 *
 * The goal can be revised then. A pause ends the loop of the agent, as a planner does that is done, and the next loop
 * continues where it paused. Once no step is left, the planner declares the outcome, and that the goal is reached.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Goal from "@backstitch/kernel/Goal"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Planner from "@backstitch/runtime/Planner"
import type * as Layer from "effect/Layer"
import type * as Setting from "../scenario/Setting.ts"
import * as DeterministicPlanner from "./DeterministicPlanner.ts"
import * as Wanted from "./Wanted.ts"

/** The planner of one trial, and what it has done so far. */
export class PacedPlanner {
  /** The number of acts after which the planner pauses next; it never pauses without one. */
  pauseAfter: number | undefined
  /** Steps that were taken, in order. */
  readonly taken: Array<Setting.PlannedStep> = []
  /** Characters that the planner has read and written. */
  characters = 0
  declared: DeterministicPlanner.Declared | undefined
  /** Things that an absorption gave up as lost. */
  readonly lost = new Set<string>()
  private readonly setting: Setting.Setting
  private readonly pack: TaskPack.TaskPack

  constructor(setting: Setting.Setting, pack: TaskPack.TaskPack) {
    this.setting = setting
    this.pack = pack
  }

  /** Layer of the planner. */
  get layer(): Layer.Layer<Planner.Planner> {
    return Planner.layerFrom(async (view) => this.next(view))
  }

  private next({ last, state }: Planner.View): Proposal | undefined {
    if (last !== undefined && last._tag !== "Done") throw new Error(`a step was ${JSON.stringify(last)}`)
    if (this.declared !== undefined || this.taken.length >= (this.pauseAfter ?? Number.POSITIVE_INFINITY))
      return undefined
    const { pack, setting } = this
    const wanted = Wanted.of(setting, pack, Goal.of(state))
    const facts = DeterministicPlanner.factsOf(setting, state)
    const due = DeterministicPlanner.next(setting, wanted, facts)
    if (due === undefined) {
      this.declared = DeterministicPlanner.declare(setting, wanted, facts, this.lost)
      return this.said({ type: "goal.complete", data: { declared: { ...this.declared } } }, wanted, facts)
    }
    this.taken.push(due.step)
    return this.said(DeterministicPlanner.proposalOf(setting, facts, due), wanted, facts)
  }

  private said(proposal: Proposal, ...read: ReadonlyArray<unknown>): Proposal {
    this.characters += JSON.stringify([read, proposal]).length
    return proposal
  }
}
