/** Reads what a pack declares of progress. */

import type { Node } from "../grammar/reader.ts"
import * as Progress from "../rules/Progress.ts"

/** Reads the section; `undefined` where there is none or it cannot be read. */
export const readProgress = (node: Node): Progress.Progress | undefined => {
  if (node.isAbsent || !node.shape("progress")) return undefined
  const subgoals = node.at("subgoals").texts()
  for (const [index, name] of subgoals.entries()) {
    if (subgoals.indexOf(name) < index) {
      node
        .at("subgoals")
        .at(index)
        .fail({ found: `${name} again`, expected: "each subgoal once" })
    }
  }
  const weights = node.at("weights")
  if (!weights.isAbsent && !weights.shape("weights")) return undefined
  const { standard } = Progress
  return {
    subgoals,
    weights: {
      completion: weightOf(weights.at("completion"), standard.weights.completion),
      constraints: weightOf(weights.at("constraints"), standard.weights.constraints),
      survival: weightOf(weights.at("survival"), standard.weights.survival)
    },
    recent: node.at("recent").count() ?? standard.recent
  }
}

const weightOf = (node: Node, otherwise: number): number => {
  if (node.isAbsent) return otherwise
  const { value } = node
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value
  node.fail({ found: JSON.stringify(value), expected: "a number from 0 on" })
  return otherwise
}
