/**
 * The log that the processes of a run share: all possible logs, as a tree of commits.
 *
 * Two histories with the same bytes share a node, because a node is identified by the link of its last transition. A
 * node keeps the index of names as a store would, append by append.
 */

import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Command } from "@backstitch/kernel/Command"
import * as Commit from "@backstitch/kernel/Commit"
import type { Decided } from "@backstitch/kernel/Decision"
import type { DecisionTerms } from "@backstitch/kernel/DecisionTerms"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as LiftedRun from "@backstitch/kernel/LiftedRun"
import * as RunLift from "@backstitch/kernel/RunLift"
import type * as StoreQuery from "@backstitch/kernel/StoreQuery"
import * as SubtaskConsumers from "@backstitch/kernel/SubtaskConsumers"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import type { State } from "@backstitch/reducer/State"
import * as Claims from "@backstitch/trace/Claims"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Run from "@backstitch/trace/Run"
import type { Draft, Transition } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as Scenario from "./Scenario.ts"

/** A log at one of its commits. */
export interface Node {
  readonly id: number
  readonly run: Run.Run
  readonly parent: Node | undefined
  readonly position: Commit.Position
  readonly transitions: ReadonlyArray<Transition>
  readonly claims: ReadonlyMap<string, Claims.HeldClaim>
}

/** All logs of one exploration. Everything is remembered, so that each question is computed once. */
export interface ExploredLog {
  readonly scenario: Scenario.Scenario
  readonly run: Run.Run
  readonly fold: Fold.Fold
  readonly pack: TaskPack.TaskPack
  /** The log in which the run has begun. */
  readonly begun: Node
  readonly node: (id: number) => Node
  /**
   * Decides a command at a node, on top of decisions that are not yet durable. Store queries of the kernel are
   * answered.
   */
  readonly decide: (node: Node, asked: TimedCommand) => Decided
  /** Answers the log as a process sees it: a node, and later decisions that are not durable. */
  readonly standing: (node: Node, staged: ReadonlyArray<Draft>) => LogView
  /** Answers the next node, or the holder of a refused name. Logs of other runs hold names in the same tenant. */
  readonly append: (
    node: Node,
    drafts: ReadonlyArray<Draft>,
    others?: ReadonlyArray<Node>
  ) => Result.Result<Node, Claims.HeldClaim>
}

/** A log as a process sees it: the durable part, followed by the staged part. */
export interface LogView {
  readonly state: State
  readonly transitions: ReadonlyArray<Transition>
}

/** A command at a time of the clock. */
export interface TimedCommand {
  readonly command: Command
  readonly clock: number
  readonly staged?: ReadonlyArray<Draft> | undefined
  /** The heads of other runs, which the kernel may query. */
  readonly others?: ReadonlyArray<Node> | undefined
}

/** Converts a time of the model's clock for the kernel. */
export const millisOf = (clock: number): number => (clock + 1) * Scenario.unitMillis

/** Begins a run under the pack of a scenario. */
export const make = (
  scenario: Scenario.Scenario,
  {
    kernel = Kernel.standard,
    name = "explored"
  }: { readonly kernel?: Kernel.Kernel | undefined; readonly name?: string }
): ExploredLog => {
  const run = Run.make(name, "conformance")
  const pack = Scenario.packOf(scenario)
  const fold = Fold.make({ parts: kernel.parts, sources: { rules: () => PackRules.of(pack) } })
  const nodes: Array<Node> = []
  const byLink = new Map<string, Node>()
  const decisions = new Map<string, Decided>()
  const appends = new Map<string, Result.Result<Node, Claims.HeldClaim>>()

  const nodeOf = (commit: Omit<Node, "id">): Node => {
    const { link } = commit.position.head
    const known = byLink.get(link)
    if (known !== undefined) return known
    const node = { ...commit, id: nodes.length }
    nodes.push(node)
    byLink.set(link, node)
    return node
  }

  const termsAt = ({ asOf, head }: Commit.Position, clock: number): DecisionTerms => {
    const now = Math.max(millisOf(clock), asOf)
    return { run, lineage: run.id, now, tick: head.tick + 1, secret: "explored", pack }
  }

  const recall = (key: string, make: () => Decided): Decided => {
    const decided = decisions.get(key) ?? make()
    decisions.set(key, decided)
    return decided
  }

  const decide: ExploredLog["decide"] = (node, { clock, command, others = [], staged = [] }) => {
    const waiting = staged.length === 0 ? "" : JSON.stringify(staged)
    const key = `${node.id} ${clock} ${JSON.stringify(command)} ${waiting}`
    const ask = (asked: Command): Decided => {
      const at = staged.length === 0 ? node.position : assemble(node, staged).position
      return kernel.decide(termsAt(at, clock), at.state, asked)
    }
    const first = recall(key, () => ask(command))
    if (first.next._tag !== "Look") return first
    return recall(`${key} ${others.map(({ id }) => id).join(" ")}`, () => {
      let decided = first
      while (decided.next._tag === "Look") {
        const answer = look(node, decided.next.look, { others, staged })
        decided = ask(Interpreter.next(decided, { _tag: "Seen", answer }))
      }
      return decided
    })
  }

  /** Answers a store query for logs with these heads. No explored run is seeded from another. */
  const look = (
    node: Node,
    looking: StoreQuery.StoreQuery,
    { others, staged }: { readonly others: ReadonlyArray<Node>; readonly staged: ReadonlyArray<Draft> }
  ): StoreQuery.QueryAnswer => {
    switch (looking._tag) {
      case "Trace": {
        const { from, run: of, to } = looking
        const own = () => [...node.transitions, ...(staged.length === 0 ? [] : assemble(node, staged).transitions)]
        const transitions = of === run.id ? own() : (others.find((other) => other.run.id === of)?.transitions ?? [])
        return transitions.slice(from - 1, to)
      }
      case "Shared":
        return []
      case "State":
        return Fold.run(fold, empty.position.state, node.transitions.slice(0, looking.tick))
      case "Taken":
        return [node, ...others].some(({ claims }) => claims.has(`${looking.namespace} ${looking.name}`))
      case "Seeded":
        return false
      case "Consumers":
        return consumers(standing(node, staged).transitions, looking.scopes)
    }
  }

  /** The consumers of subtasks by a log. */
  const consumers = (transitions: ReadonlyArray<Transition>, scopes: ReadonlyArray<string>) => {
    const lift = LiftedRun.make(pack)
    if (lift === undefined) return []
    transitions.reduce((before, transition) => {
      const after = fold.evolve(before, transition)
      RunLift.follow(lift, { before, transition, after })
      return after
    }, empty.position.state)
    return SubtaskConsumers.of(lift, scopes)
  }

  const standing: ExploredLog["standing"] = (node, staged) => {
    if (staged.length === 0) return { state: node.position.state, transitions: node.transitions }
    const { position, transitions } = assemble(node, staged)
    return { state: position.state, transitions: [...node.transitions, ...transitions] }
  }

  const assemble = ({ position }: Node, drafts: ReadonlyArray<Draft>) =>
    Commit.assemble(fold, { run, at: position, drafts })

  const alone = (node: Node, drafts: ReadonlyArray<Draft>): Result.Result<Node, Claims.HeldClaim> => {
    const key = `${node.id} ${JSON.stringify(drafts)}`
    const known = appends.get(key)
    if (known !== undefined) return known
    const commit = assemble(node, drafts)
    const transitions = [...node.transitions, ...commit.transitions]
    const next = Result.map(claimed(run, node.claims, commit.claims), (claims) =>
      nodeOf({ run, parent: node, position: commit.position, transitions, claims })
    )
    appends.set(key, next)
    return next
  }

  const append: ExploredLog["append"] = (node, drafts, others = []) => {
    const next = alone(node, drafts)
    if (Result.isFailure(next)) return next
    for (const name of next.success.claims.keys()) {
      const held = node.claims.has(name) ? undefined : others.find(({ claims }) => claims.has(name))?.claims.get(name)
      if (held !== undefined) return Result.fail(held)
    }
    return next
  }

  const empty = nodeOf({
    run,
    parent: undefined,
    position: { head: HashChain.genesis(run), state: { world: {}, working: {}, kernel: {} }, asOf: 0 },
    transitions: [],
    claims: new Map()
  })
  const initial = Fold.initialDigest(PackRules.of(pack).initial)
  const command: Command = {
    _tag: "Start",
    goal: "goal",
    text: "a payment",
    clauses: {},
    pack: pack.digest,
    initial,
    fold: fold.version,
    rules: kernel.rules.version,
    ...(scenario.restores === undefined ? {} : { ontology: Ontology.version })
  }
  const begun = Result.getOrThrow(append(empty, decide(empty, { command, clock: 0 }).drafts))
  return { scenario, run, fold, pack, begun, node: (id) => nodes[id]!, decide, standing, append }
}

/** The index of names after an append, or the holder of one of its names. */
const claimed = (
  run: Run.Run,
  before: ReadonlyMap<string, Claims.HeldClaim>,
  changes: Commit.Commit["claims"]
): Result.Result<ReadonlyMap<string, Claims.HeldClaim>, Claims.HeldClaim> => {
  const claims = new Map(before)
  for (const { release, take, tick } of changes) {
    for (const claim of take) {
      const name = `${claim.namespace} ${claim.name}`
      const held = claims.get(name)
      if (held !== undefined && !Claims.mayTake(run, claim, held)) return Result.fail(held)
      if (held === undefined) claims.set(name, { ...claim, run, tick })
    }
    for (const claim of release) {
      const name = `${claim.namespace} ${claim.name}`
      const held = claims.get(name)
      if (held !== undefined && Claims.mayTake(run, claim, held)) claims.delete(name)
    }
  }
  return Result.succeed(claims)
}
