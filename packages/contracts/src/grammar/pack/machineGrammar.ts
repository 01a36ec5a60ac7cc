/**
 * The state machine of an agent as a pack declares it: its states, and the calls that lead from one to another
 * (`edges`).
 */

import type * as Machine from "../../subtask/Machine.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import type { DeclaredNames } from "../scope.ts"

const edge = Grammar.object("edge", "A successful call that leads from one state to another.", {
  from: Grammar.key("The state before the call.", Grammar.needed(Grammar.text)),
  tool: Grammar.key("The tool that is called.", Grammar.needed(Grammar.text)),
  to: Grammar.key("The state after a success.", Grammar.needed(Grammar.text))
})

/** The section of a pack that declares the states of an agent. */
export const machine = Grammar.object(
  "machine",
  "The agent's state machine, by which recovery finds boundaries. It refuses no call: guards do.",
  {
    field: Grammar.key("The field of `working` that holds the state, in place of `initial`.", Grammar.text),
    initial: Grammar.key("The state in which the agent begins; later ones follow from successful calls.", Grammar.text),
    states: Grammar.key("The names of all states.", Grammar.needed(Grammar.texts)),
    edges: Grammar.key("The calls that lead from one state to another.", Grammar.list(edge))
  }
)

/**
 * Reads the machine of a pack; `undefined` if the pack declares none, or if the state of its agent could not be
 * derived.
 */
export const readMachine = (
  node: Node,
  { declared, tools }: { readonly declared: DeclaredNames; readonly tools: ReadonlyArray<string> }
): Machine.Machine | undefined => {
  if (node.isAbsent || !node.hasKeysOf(machine.keys)) return undefined
  const states = node.at("states").texts()
  const twice = states.find((name, index) => states.indexOf(name) !== index)
  if (twice !== undefined) node.at("states").fail({ found: `${twice} again`, expected: "each state once" })
  if (states.length === 0) node.at("states").fail({ found: "no states", expected: "the states of the agent" })
  const edges = node
    .at("edges")
    .items()
    .flatMap((each) => readEdge(each, states, tools) ?? [])
  const field = readField(node.at("field"), declared)
  const initial = node.at("initial").isAbsent ? undefined : node.at("initial").reference(states, "state")
  if (!node.at("field").isAbsent) {
    if (!node.at("initial").isAbsent) {
      const expected = "field alone: the state begins as that field does"
      node.at("initial").fail({ found: "both field and initial", expected, key: true })
    }
    return field === undefined ? undefined : { field, states, edges }
  }
  refuseForks(node.at("edges"), edges)
  return initial === undefined
    ? node.at("initial").fail({ found: "nothing", expected: "the state in which the agent begins, or field" })
    : { initial, states, edges }
}

const readEdge = (
  node: Node,
  states: ReadonlyArray<string>,
  tools: ReadonlyArray<string>
): Machine.Edge | undefined => {
  if (!node.hasKeysOf(edge.keys)) return undefined
  const name = (key: keyof typeof edge.properties, known: ReadonlyArray<string>, what: string) =>
    node.at(key).isAbsent
      ? node.at(key).fail({ found: "nothing", expected: `a ${what}` })
      : node.at(key).reference(known, what)
  const [from, tool, to] = [name("from", states, "state"), name("tool", tools, "tool"), name("to", states, "state")]
  return from === undefined || tool === undefined || to === undefined ? undefined : { from, tool, to }
}

const readField = (node: Node, { working }: DeclaredNames): string | undefined => {
  const known = Object.keys(working).map((name) => `working.${name}`)
  return node.isAbsent ? undefined : node.reference(known, "field")?.slice("working.".length)
}

/**
 * Refuses two edges from one state by the same tool: without a field of the state, nothing tells which of them was
 * taken.
 */
const refuseForks = (node: Node, edges: ReadonlyArray<Machine.Edge>): void => {
  for (const [index, { from, tool }] of edges.entries()) {
    if (edges.findIndex((each) => each.from === from && each.tool === tool) === index) continue
    const expected = "one edge for each state and tool, or the field of working that holds the state"
    node.at(index).fail({ found: `another way from ${from} by ${tool}`, expected })
  }
}
