/**
 * Aligns the transitions of one run with those of another.
 *
 * Equal bodies are matched first, then within each gap those of one type about one tool. The remaining ones stay
 * single, or face each other if a gap has as many on both sides.
 */
import * as Canonical from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as TextDiff from "effect/TextDiff"
import * as Limits from "../Limits.ts"
import * as Positions from "./positions.ts"

/** Two transitions that correspond, or one without a counterpart. */
export interface Pair {
  readonly left?: Transition
  readonly right?: Transition
}

/** Aligns two sequences: equal bodies first, then, between these, transitions about the same. */
export const align = (left: ReadonlyArray<Transition>, right: ReadonlyArray<Transition>): ReadonlyArray<Pair> =>
  matched(left, right, bodyOf, (leftGap, rightGap) => matched(leftGap, rightGap, topicOf, opposite))

/** Pairs transitions with equal keys in order, and passes the gaps between them on. */
const matched = (
  left: ReadonlyArray<Transition>,
  right: ReadonlyArray<Transition>,
  key: (transition: Transition) => string,
  rest: (left: ReadonlyArray<Transition>, right: ReadonlyArray<Transition>) => ReadonlyArray<Pair>
): ReadonlyArray<Pair> => {
  const pairs: Array<Pair> = []
  let [fromLeft, fromRight] = [0, 0]
  const close = (atLeft: number, atRight: number) => {
    if (atLeft > fromLeft || atRight > fromRight) {
      pairs.push(...rest(left.slice(fromLeft, atLeft), right.slice(fromRight, atRight)))
    }
  }
  for (const [atLeft, atRight] of common(left.map(key), right.map(key))) {
    close(atLeft, atRight)
    pairs.push({ left: left[atLeft]!, right: right[atRight]! })
    ;[fromLeft, fromRight] = [atLeft + 1, atRight + 1]
  }
  close(left.length, right.length)
  return pairs
}

/** Positions of equal keys, in order. Keys on only one side are removed first, at no cost. */
const common = (
  left: ReadonlyArray<string>,
  right: ReadonlyArray<string>
): ReadonlyArray<readonly [number, number]> => {
  const [inLeft, inRight] = [new Set(left), new Set(right)]
  const kept = [...left.keys()].filter((index) => inRight.has(left[index]!))
  const others = [...right.keys()].filter((index) => inLeft.has(right[index]!))
  const found: Array<readonly [number, number]> = []
  let [atLeft, atRight] = [0, 0]
  const edits = TextDiff.diff(
    kept.map((index) => left[index]!),
    others.map((index) => right[index]!),
    { maxEdits: Limits.pacing.alignedEditsMax }
  )
  for (const edit of edits) {
    if (edit._tag === "Delete") atLeft += edit.items.length
    else if (edit._tag === "Insert") atRight += edit.items.length
    else for (const _ of edit.items) found.push([kept[atLeft++]!, others[atRight++]!])
  }
  return found
}

const opposite = (left: ReadonlyArray<Transition>, right: ReadonlyArray<Transition>): ReadonlyArray<Pair> =>
  left.length === right.length
    ? left.map((transition, index) => ({ left: transition, right: right[index]! }))
    : [...left.map((transition) => ({ left: transition })), ...right.map((transition) => ({ right: transition }))]

const bodyOf = ({ body }: Transition): string => Canonical.encode(Positions.placed(body, nowhere))

/** Names of all positions are alike here: transitions are aligned before it is known which positions correspond. */
const nowhere = () => "="

const topicOf = ({ body }: Transition): string => `${body.type} ${body.author} ${body.action?.tool ?? ""}`
