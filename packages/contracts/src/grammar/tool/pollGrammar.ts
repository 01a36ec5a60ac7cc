/**
 * Schedules (`poll`) as they are written: the times at which a question is repeated, by a `first` wait, a `factor` and
 * a longest wait (`max`).
 */

import * as Backoff from "../../time/Backoff.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { duration } from "../language.ts"

const growing = Grammar.complete(
  Grammar.object("poll", "Waits that grow: the first, by how much each is longer, and the longest.", {
    first: Grammar.key("The first wait.", Grammar.needed(duration, "the first wait, such as 250ms")),
    factor: Grammar.key("The factor by which each wait is longer than the one before.", Grammar.number({ minimum: 1 })),
    max: Grammar.key("The longest wait.", duration)
  }),
  ({ factor: given = Backoff.standard.factor, firstMillis, maxMillis: longest }, node): Backoff.Backoff | undefined => {
    if (firstMillis === undefined) return undefined
    const isFactor = typeof given === "number" && given >= 1
    if (!isFactor) node.at("factor").expected("a number of at least 1")
    const first = positive(node.at("first"), firstMillis)
    const maxMillis = longest ?? Math.max(first, Backoff.standard.maxMillis)
    if (maxMillis < first) {
      node.at("max").fail({ found: String(node.at("max").value), expected: "at least the first wait" })
    }
    return { firstMillis: first, factor: isFactor ? given : Backoff.standard.factor, maxMillis }
  }
)

const even = Grammar.complete(duration as Grammar.Grammar<string, number>, (millis, node) =>
  Backoff.every(positive(node, millis))
)

const positive = (node: Node, millis: number): number => {
  if (millis === 0) node.fail({ found: String(node.value), expected: "a wait of at least 1ms" })
  return millis
}

/** A schedule: one span of time, or waits that grow. */
export const poll = Grammar.bareOr(even, growing)
