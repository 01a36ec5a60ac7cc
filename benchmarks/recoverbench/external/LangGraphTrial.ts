/**
 * A case on LangGraph.js with its own checkpointer, under one of four controllers.
 *
 * | controller | goes back to |
 * | --- | --- |
 * | G0 | the beginning, in a new thread |
 * | G1 | the last checkpoint of the graph, as its runtime resumes by itself |
 * | G2 | the latest reviewed checkpoint of the failed instance, whatever depends on it |
 * | G3 | the same, if the gate admits it |
 *
 * The agent, its world and its keys are those of the other trials. A restore is the graph's own: it takes the whole
 * state of a checkpoint.
 *
 * @source DART, appendix F
 */

import type * as Checkpoint from "@backstitch/admissibility/Checkpoint"
import type { Entry } from "@backstitch/admissibility/Entry"
import * as Instance from "@backstitch/admissibility/Instance"
import type { LiftedStep } from "@backstitch/admissibility/LiftedStep"
import * as Localization from "@backstitch/admissibility/Localization"
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as Registry from "@backstitch/admissibility/Registry"
import * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import * as WholeRestore from "@backstitch/admissibility/WholeRestore"
import type * as Peers from "../../src/Peers.ts"
import type * as TrialAudit from "../audits/TrialAudit.ts"
import * as LiftedPlan from "../harness/LiftedPlan.ts"
import * as ScriptedPlanner from "../harness/ScriptedPlanner.ts"
import * as World from "../harness/World.ts"
import type * as Domain from "../universe/Domain.ts"
import * as Plan from "../universe/Plan.ts"

/** The controllers, in the order in which they are reported. */
export const controllers = ["G0", "G1", "G2", "G3"] as const

/** A controller. */
export type Controller = (typeof controllers)[number]

/** The record of a trial, with the values of other instances that a restore took away. */
export interface Trial extends TrialAudit.Judged {
  readonly controller: Controller
  readonly decided: RollbackAdmission.Admitted | RollbackAdmission.Blocked | undefined
  readonly replayed: ReadonlyArray<Plan.Step> | undefined
  /** Complete instances that lost a value when the checkpoint was restored. */
  readonly invalidated: ReadonlyArray<string>
  readonly millis: number | undefined
}

/** Runs a case under a controller. */
export const run = async (
  langgraph: Peers.Peers["langgraphRecovery"],
  at: { readonly case: Domain.Case; readonly controller: Controller; readonly domain: Domain.Domain }
): Promise<Trial> => {
  const agent = new Agent(at)
  const graph = langgraph.make<ScriptedPlanner.Working>((working) => agent.advance(working))
  const begin = (thread: string) => graph.begin(thread, { state: at.domain.machine.initial, facts: {}, done: {} })
  const hasFailed = await throws(begin("first"))
  const working = await graph.state("first")
  if (!hasFailed) throw new Error(`${at.case.id} never failed`)
  const failed = agent.observe(working)
  const began = performance.now()
  const { checkpoint, decided } = agent.decide(at.controller, failed.entry)
  let thread = "first"
  let restored = Object.keys(working.done).length
  let isStuck = false
  if (at.controller === "G0") {
    thread = "second"
    agent.world.begin()
    isStuck = await throws(begin(thread))
  } else if (at.controller === "G1") {
    isStuck = await throws(graph.resume(thread))
  } else if (checkpoint !== undefined) {
    // Each step adds a row to `done`, so that a tick names one checkpoint of the graph.
    const all = await graph.checkpoints(thread)
    const found = all.find((each) => Object.keys(each.working.done).length === checkpoint.tick)
    if (found === undefined) throw new Error(`${at.case.id} has no checkpoint ${checkpoint.tick}`)
    restored = checkpoint.tick
    isStuck = await throws(graph.resume(thread, found.id))
  }
  const isBlocked = at.controller !== "G0" && at.controller !== "G1" && checkpoint === undefined
  const milestone = agent.milestone
  return {
    case: at.case,
    domain: at.domain,
    steps: agent.steps,
    controller: at.controller,
    decided,
    end: isBlocked ? "blocked" : isStuck ? "stuck" : "finished",
    failed: { complete: failed.complete, records: failed.records, working },
    working: await graph.state(thread),
    records: agent.world.records,
    replayed: milestone && agent.taken.slice(failed.taken, milestone.taken),
    invalidated: agent.lost({ tick: restored, of: failed.entry }),
    millis: milestone && milestone.at - began
  }
}

const throws = (work: Promise<void>): Promise<boolean> =>
  work.then(
    () => false,
    () => true
  )

/** The agent of a trial: it takes the steps of its plan in the world, and lifts each into a registry. */
class Agent {
  readonly steps: ReadonlyArray<Plan.Step>
  readonly world: World.World
  readonly taken: Array<Plan.Step> = []
  milestone: { readonly at: number; readonly taken: number } | undefined
  private readonly case: Domain.Case
  private readonly domain: Domain.Domain
  private readonly failing: Plan.Step
  private readonly planner: ScriptedPlanner.Planner
  private readonly registry: Registry.Registry
  private readonly tools: ReturnType<World.World["tools"]>
  private hasFailed = false

  constructor(at: { readonly case: Domain.Case; readonly domain: Domain.Domain }) {
    this.case = at.case
    this.domain = at.domain
    this.steps = Plan.steps(at.domain, at.case)
    const failing = this.steps[at.case.fails]
    if (failing === undefined) throw new Error(`${at.case.id} has no step that fails`)
    this.failing = failing
    this.world = new World.World(failing, at.case)
    this.tools = this.world.tools(at.domain)
    this.planner = ScriptedPlanner.make(this.steps)
    this.registry = Registry.make(LiftedPlan.shapesOf(at.domain))
    this.world.begin()
  }

  /** Takes the next step. A step that fails throws, and leaves the graph at its last checkpoint. */
  async advance(working: ScriptedPlanner.Working): Promise<ScriptedPlanner.Working | undefined> {
    const step = await this.planner.next(working)
    if (step === undefined) return undefined
    const to = Plan.next(this.domain, working.state, step.tool)
    if (to === undefined) throw new Error(`${working.state} has no edge for ${step.id}`)
    if (this.world.isFailing(step.id)) throw new Error(this.case.signal)
    const { params } = ScriptedPlanner.proposalOf(step, working)
    const answer = await this.tools[step.tool]?.execute(params as never, {
      key: World.short(JSON.stringify([step.tool, params])),
      action: step.id,
      deadlineMillis: 0,
      sendBefore: Number.POSITIVE_INFINITY,
      signal: new AbortController().signal,
      observed: undefined
    })
    const { value, version } = answer as World.Answer
    const next = {
      state: to,
      facts: { ...working.facts, [step.writes]: value },
      done: { ...working.done, [step.id]: version }
    }
    this.note(step, { from: working.state, tick: Object.keys(next.done).length, to })
    return next
  }

  /** The observed failure: the instances that were complete, and the one that failed. */
  observe(working: ScriptedPlanner.Working) {
    this.hasFailed = true
    this.world.cure()
    const { entity, instance: own, tool } = this.failing
    const tick = Object.keys(working.done).length + 1
    const event = { tick, state: working.state, tool, signal: this.case.signal, entity }
    const localized = Localization.localize(this.registry, event)
    return {
      complete: [...this.registry.entries.values()].flatMap(({ instance, phase }) =>
        phase === "open" || Instance.show(instance) === own ? [] : [Instance.show(instance)]
      ),
      entry: localized._tag === "Identified" ? localized.entry : undefined,
      records: new Map([...this.world.records].map(([name, values]) => [name, [...values]])),
      taken: this.taken.length
    }
  }

  /** The reviewed checkpoint that a controller restores. */
  decide(
    controller: Controller,
    entry: Entry | undefined
  ): {
    readonly checkpoint?: Checkpoint.Checkpoint | undefined
    readonly decided?: RollbackAdmission.Admitted | RollbackAdmission.Blocked | undefined
  } {
    if (entry === undefined || controller === "G0" || controller === "G1") return {}
    const { commit } = RecoveryPolicy.policies
    const policy =
      controller === "G3"
        ? commit
        : RecoveryPolicy.without(commit, "in_scope", "no_committed_conflict", "effect_allowed")
    const decided = RollbackAdmission.restore(this.registry, entry, { policy, now: 0 })
    return { checkpoint: decided._tag === "Admitted" ? decided.checkpoint : undefined, decided }
  }

  /** Complete instances that lose work in a restore of the whole state. */
  lost(restore: WholeRestore.WholeRestore): ReadonlyArray<string> {
    return WholeRestore.lost(this.registry, restore).map(({ entry }) => Instance.show(entry.instance))
  }

  private note(step: Plan.Step, at: Pick<LiftedStep, "from" | "tick" | "to">): void {
    this.taken.push(step)
    if (this.hasFailed && this.milestone === undefined && step.id === this.failing.id) {
      this.milestone = { at: performance.now(), taken: this.taken.length }
    }
    if (!this.hasFailed) Registry.lift(this.registry, LiftedPlan.liftedOf(this.domain, step, at))
  }
}
