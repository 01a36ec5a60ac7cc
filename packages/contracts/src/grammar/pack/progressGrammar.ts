/** The progress of runs as a pack declares it. */
import * as Progress from "../../rules/Progress.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"

const weights = Grammar.object("weights", "Weights of the signals of progress.", {
  completion: Grammar.key("The weight of the share of subgoals that are reached.", Grammar.number()),
  constraints: Grammar.key("The weight of the share of violation predicates that are kept.", Grammar.number()),
  survival: Grammar.key("The weight of the share of recent proposals that were not refused.", Grammar.number())
})

const object = Grammar.object("progress", "The distance of a run to its goal. A heuristic for watching.", {
  subgoals: Grammar.key("Names that `data.subgoal` of an artifact or a completion may give.", Grammar.texts),
  weights: Grammar.key("Weights of the three signals. Default: equal.", weights),
  recent: Grammar.key("The number of latest proposals that count as recent.", Grammar.count())
})

/** The section of a pack that declares subgoals and weights. */
export const progress = Grammar.complete(
  object,
  ({ recent, subgoals = [], weights: given }, node): Progress.Progress | undefined => {
    for (const [index, name] of subgoals.entries()) {
      if (subgoals.indexOf(name) === index) continue
      node
        .at("subgoals")
        .at(index)
        .fail({ found: `${name} again`, expected: "each subgoal once" })
    }
    const at = node.at("weights")
    if (!at.isAbsent && given === undefined) return undefined
    const { standard } = Progress
    const weightOf = (name: keyof Progress.Weights) => readWeight(at.at(name)) ?? standard.weights[name]
    return {
      subgoals,
      weights: {
        completion: weightOf("completion"),
        constraints: weightOf("constraints"),
        survival: weightOf("survival")
      },
      recent: recent ?? standard.recent
    }
  }
)

const readWeight = (node: Node): number | undefined => {
  const { value } = node
  if (node.isAbsent || (typeof value === "number" && Number.isFinite(value) && value >= 0)) {
    return (value as number | null | undefined) ?? undefined
  }
  return node.fail({ found: JSON.stringify(value), expected: "a number from 0 on" })
}
