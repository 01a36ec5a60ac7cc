/**
 * The planner of a trial on the runtime, which pauses after a number of acts.
 *
 * The goal can be revised then. A pause ends the loop of the agent, as a planner does that is done, and the next loop
 * continues where it paused. At each turn an agent chooses a call, or declares the outcome and that the goal is
 * reached. The agent is the deterministic planner, unless a trial brings another one, such as a model.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Goal from "@backstitch/kernel/Goal"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Planner from "@backstitch/runtime/Planner"
import type * as Layer from "effect/Layer"
import type * as Setting from "../scenario/Setting.ts"
import * as ContentJudge from "./ContentJudge.ts"
import * as DeterministicPlanner from "./DeterministicPlanner.ts"
import * as Wanted from "./Wanted.ts"

/** All that an agent is told at its turn: the goal in force, the facts of the run, and the things that it lost. */
export interface Turn {
  readonly setting: Setting.Setting
  readonly view: Planner.View
  readonly wanted: Wanted.Wanted
  readonly facts: DeterministicPlanner.Facts
  readonly lost: ReadonlySet<string>
}

/** The choice of an agent: a call, or the outcome that it declares at the end. */
export type Choice = { readonly proposal: Proposal } | { readonly declared: DeterministicPlanner.Declared }

/** An agent: it chooses at each of its turns. */
export type Choosing = (turn: Turn) => Choice | Promise<Choice>

/** Chooses what the deterministic planner does next. No call of it may fail. */
export const deterministic: Choosing = ({ facts, lost, setting, view: { last }, wanted }) => {
  if (last !== undefined && last._tag !== "Done") throw new Error(`a step was ${JSON.stringify(last)}`)
  const due = DeterministicPlanner.next(setting, wanted, facts)
  return due === undefined
    ? { declared: DeterministicPlanner.declare(setting, wanted, facts, lost) }
    : { proposal: DeterministicPlanner.proposalOf(setting, facts, due) }
}

/** The planner of one trial, and what it has done so far. */
export class PacedPlanner {
  /** The number of acts after which the planner pauses next; it never pauses without one. */
  pauseAfter: number | undefined
  /** Steps of the plan that were taken, in order. */
  readonly taken: Array<Setting.PlannedStep> = []
  /** Characters that the planner has read and written. */
  characters = 0
  declared: DeterministicPlanner.Declared | undefined
  /** Things that an absorption gave up as lost. */
  readonly lost = new Set<string>()
  private readonly setting: Setting.Setting
  private readonly pack: TaskPack.TaskPack
  private readonly choose: Choosing

  constructor(setting: Setting.Setting, pack: TaskPack.TaskPack, choose: Choosing = deterministic) {
    this.setting = setting
    this.pack = pack
    this.choose = choose
  }

  /** Layer of the planner. */
  get layer(): Layer.Layer<Planner.Planner> {
    return Planner.layerFrom((view) => this.next(view))
  }

  private async next(view: Planner.View): Promise<Proposal | undefined> {
    if (this.declared !== undefined || this.taken.length >= (this.pauseAfter ?? Number.POSITIVE_INFINITY))
      return undefined
    const { lost, pack, setting } = this
    const wanted = Wanted.of(setting, pack, Goal.of(view.state))
    const facts = DeterministicPlanner.factsOf(setting, view.state)
    const choice = await this.choose({ facts, lost, setting, view, wanted })
    if ("declared" in choice) {
      this.declared = choice.declared
      return this.said({ type: "goal.complete", data: { declared: { ...this.declared } } }, wanted, facts)
    }
    const { proposal } = choice
    const item = "params" in proposal ? ContentJudge.itemOf(proposal.params) : undefined
    const step = setting.steps.find(({ id }) => id === item)
    if (step !== undefined) this.taken.push(step)
    return this.said(proposal, wanted, facts)
  }

  private said(proposal: Proposal, ...read: ReadonlyArray<unknown>): Proposal {
    this.characters += JSON.stringify([read, proposal]).length
    return proposal
  }
}
