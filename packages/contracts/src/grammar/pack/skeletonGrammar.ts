/**
 * Subtask skeletons as they are written: `entity`, `entry`, `commit` and `exit`, `inputs` and `outputs`, the pivot with
 * the steps behind it (`forward`), what `aborts` an instance, and the subtasks that come before it (`after`). A step
 * behind a pivot that could not be sent again, or that only reads, is refused.
 */

import type * as Machine from "../../subtask/Machine.ts"
import * as Skeleton from "../../subtask/Skeleton.ts"
import * as ToolContract from "../../tool/ToolContract.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { condition, duration, expression, template } from "../language.ts"
import { stateNames } from "../scope.ts"
import { dataKeys, readKeys } from "../tool/dataKeyGrammar.ts"
import { poll } from "../tool/pollGrammar.ts"
import { checkArguments, type KnownTools } from "../tool/toolGrammar.ts"

const { key } = Grammar

const step = Grammar.object("forward", "A step that is completed behind the pivot of a subtask.", {
  tool: key("The tool of the step.", Grammar.needed(Grammar.text)),
  with: key(
    "Its arguments, from the state and from `steps`, the calls since the pivot. Without them the planner proposes it.",
    Grammar.record(template)
  ),
  within: key("The time since its first failure after which a person is asked.", duration),
  poll: key("When it is tried again.", poll)
})

/** The reviewed shape of a subtask. */
export const skeleton = Grammar.object("skeleton", "The reviewed shape of a subtask.", {
  entity: key("The thing that an instance is about, over `args` and the state.", expression),
  states: key("States of the machine that belong to the subtask.", Grammar.texts),
  entry: key("States by which an instance begins.", Grammar.texts),
  commit: key("The condition from which its output counts for others.", condition),
  exit: key("The condition from which the instance is over.", condition),
  inputs: key("Data that it takes: fields, agreed names, or `name[expression]` for a part.", dataKeys),
  outputs: key("Data that it hands over, written as `inputs`.", dataKeys),
  tools: key("The tools of the subtask.", Grammar.texts),
  effects: key(
    "The effects that a rollback may undo: those with an exact inverse, others as well (default), or none.",
    Grammar.oneOf(Skeleton.effects)
  ),
  pivot: key("Tools behind whose success the rest is completed and no longer undone.", Grammar.texts),
  aborts: key("Tools whose final failure aborts the instance.", Grammar.texts),
  forward: key(
    "Steps that are completed behind the pivot, in this order.",
    Grammar.list(Grammar.bareOr(Grammar.text, step))
  ),
  undo_behind_pivot: key("Tools that may be called behind the pivot although they undo earlier steps.", Grammar.texts),
  after: key("Subtasks that have to be committed before this one begins.", Grammar.texts),
  description: key("A text for people.", Grammar.text)
})

type Contracts = Readonly<Record<string, ToolContract.ToolContract>>

/**
 * Reads the skeletons of a pack. If the pack has a machine, the states of skeletons are states of the machine, and
 * their ends may name its moves.
 */
export const readSkeletons = (
  node: Node,
  tools: KnownTools & { readonly contracts: Contracts },
  machine?: Machine.Machine
): Readonly<Record<string, Skeleton.Skeleton>> => {
  const { declared } = tools
  const skeletons: Record<string, Skeleton.Skeleton> = {}
  const names = { ...stateNames(declared), args: "any" } as const
  const moved = machine === undefined ? {} : ({ from: "any", to: "any" } as const)
  const atEnd = { ...stateNames(declared), entity: "any", tool: "any", ...moved } as const
  const keyed = { ...names, entity: "any" } as const
  const ids = node.entries().map(([id]) => id)
  for (const [id, child] of node.entries()) {
    if (!child.hasKeysOf(skeleton.keys)) continue
    const { entity } = Grammar.pick(skeleton, child, names, "entity")
    const ends = Grammar.pick(skeleton, child, atEnd, "commit", "exit")
    const { effects = "compensate" } = Grammar.pick(skeleton, child, {}, "effects")
    const states =
      machine === undefined ? child.at("states").texts() : child.at("states").references(machine.states, "state")
    const own = child.at("tools").references(tools.names, "tool")
    skeletons[id] = {
      id,
      ...(entity === undefined ? {} : { entity }),
      states,
      entry: states.length === 0 ? child.at("entry").texts() : child.at("entry").references(states, "state"),
      ...ends,
      inputs: readKeys(child.at("inputs"), declared, keyed),
      outputs: readKeys(child.at("outputs"), declared, keyed),
      tools: own,
      effects,
      pivot: child.at("pivot").references(own, "tool of the subtask"),
      aborts: child.at("aborts").references(own, "tool of the subtask"),
      forward: readForward(child, own, tools),
      undoBehindPivot: child.at("undo_behind_pivot").references(tools.names, "tool"),
      after: child.at("after").references(ids, "skeleton")
    }
  }
  for (const cycle of Skeleton.cycles(
    Object.fromEntries(Object.values(skeletons).map(({ after, id }) => [id, after]))
  )) {
    const found = `a cycle: ${[...cycle, cycle[0]].join(" → ")}`
    node
      .at(cycle[0] as string)
      .at("after")
      .fail({ found, expected: "an order in which each subtask can begin" })
  }
  return skeletons
}

/** The steps behind the pivot, in their order. */
const readForward = (
  node: Node,
  own: ReadonlyArray<string>,
  tools: KnownTools & { readonly contracts: Contracts }
): ReadonlyArray<Skeleton.Forward> => {
  const at = node.at("forward")
  const steps = at.items().flatMap((child) => readStep(child, own, tools) ?? [])
  const twice = steps.find(({ tool }, index) => steps.findIndex((each) => each.tool === tool) !== index)
  if (twice !== undefined) at.fail({ found: `${twice.tool} twice`, expected: "each step once" })
  const isPivot = (tool: string) => tools.contracts[tool]?.undo.class === "X"
  if (steps.length > 0 && node.at("pivot").isAbsent && !own.some(isPivot)) {
    at.fail({ found: "steps behind no pivot", expected: "a pivot, or a tool that cannot be undone", key: true })
  }
  return steps
}

const readStep = (
  node: Node,
  own: ReadonlyArray<string>,
  tools: KnownTools & { readonly contracts: Contracts }
): Skeleton.Forward | undefined => {
  const isWhole = node.isRecord()
  if (isWhole && !node.hasKeysOf(step.keys)) return undefined
  const at = isWhole ? node.at("tool") : node
  const tool = at.isAbsent
    ? at.fail({ found: "nothing", expected: "the tool of the step" })
    : at.reference(own, "tool of the subtask")
  if (tool === undefined) return undefined
  const contract = tools.contracts[tool]
  if (contract !== undefined && !ToolContract.isMutating(contract)) {
    at.fail({
      found: `${tool}, which changes nothing`,
      expected: "a step that is done once its effect is there",
      hint: "A read is never owed: the planner reads, or the step that needs the answer does"
    })
  }
  if (contract?.idempotency === "effectful" && contract.status !== "by_key") {
    at.fail({
      found: `${tool}, which can be neither sent again nor asked about`,
      expected: "a step that is completed however often it fails",
      hint: "Declare idempotency: idempotent_write, or status: by_key"
    })
  }
  const given = isWhole ? node.at("with") : undefined
  const filled = given === undefined || given.isAbsent ? undefined : readArguments(given, tool, tools)
  const times = isWhole ? Grammar.pick(step, node, {}, "within", "poll") : {}
  return { tool, ...(filled === undefined ? {} : { with: filled }), ...Skeleton.patience, ...times }
}

const readArguments = (node: Node, tool: string, tools: KnownTools): Skeleton.Forward["with"] => {
  const names = { ...stateNames(tools.declared), entity: "any", steps: "any" } as const
  const filled = step.properties.with.read(node, names) ?? {}
  checkArguments(node, tool, filled, tools)
  return filled
}
