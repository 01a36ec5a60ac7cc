/**
 * Differences of two runs: transition by transition, and between the states in which they end.
 *
 * | kind | meaning |
 * | --- | --- |
 * | `structural` | a transition in only one run, or two of different types at one place |
 * | `semantic` | one type, but another intent, action, result, policy or content |
 * | `confidence` | the confidence or the stated uncertainty differs |
 * | `outcome` | fields of `world` and `working` differ at the end of the comparison, or a predicate held in one |
 *
 * The caller leaves out the part that both runs share, and finds its end from digests (`Divergence`). The rest is
 * aligned, so that one inserted transition is one difference and not one per tick. Time and usage are not compared.
 * Names of positions (ticks, ids of actions, plans and reviews) are the same if they name transitions that are aligned.
 * Of `kernel`, only the onsets of predicates are compared: each other section of it is computed from transitions, which
 * are compared themselves.
 *
 * Laws: a run does not differ from itself; the comparison in the other direction gives the mirrored answer.
 *
 * @source Dendrer, section 4.2
 */

import * as Latch from "@backstitch/reducer/Latch"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as JsonText from "@backstitch/trace/JsonText"
import type * as Ontology from "@backstitch/trace/Ontology"
import type { BodyOf } from "@backstitch/trace/Payload"
import type { Transition } from "@backstitch/trace/Transition"
import * as Schema from "effect/Schema"
import type { payloads } from "../payload/Payload.ts"
import * as Alignment from "./alignment.ts"
import * as Changes from "./Changes.ts"
import * as Positions from "./positions.ts"

/** Kinds of difference. */
export const DifferenceKind = Schema.Literals(["structural", "semantic", "confidence", "outcome"])

/** Kinds of difference. */
export type DifferenceKind = typeof DifferenceKind.Type

/** The compared part of a run: its transitions after the shared part, and the state at the end of the comparison. */
export interface Side {
  readonly run: string
  /** The number of ticks of the run. */
  readonly length: number
  readonly transitions: ReadonlyArray<Transition>
  readonly state: State
}

/** A transition with its place. */
export interface PlacedTransition {
  readonly tick: number
  readonly type: Ontology.TypeName
  /** The tool or the intent, for people. */
  readonly about?: string
}

/** A value that differs. On an absent side, there is no value. */
export interface Value {
  readonly path: string
  readonly left?: Canonical.Json
  readonly right?: Canonical.Json
}

/** One difference. */
export type Difference =
  | { readonly kind: "structural"; readonly left?: PlacedTransition; readonly right?: PlacedTransition }
  | {
      readonly kind: "semantic" | "confidence"
      readonly left: PlacedTransition
      readonly right: PlacedTransition
      readonly values: ReadonlyArray<Value>
    }
  | { readonly kind: "outcome"; readonly values: ReadonlyArray<Value> }

/** The differences of two runs, as plain JSON. */
export interface Diff {
  readonly left: { readonly run: string; readonly length: number }
  readonly right: { readonly run: string; readonly length: number }
  /** The number of ticks that both share from the first on, and that were not compared again. */
  readonly shared: number
  /** The number of compared transitions that are the same in both. */
  readonly same: number
  readonly differences: ReadonlyArray<Difference>
  readonly counts: { readonly [K in DifferenceKind]: number }
  /** The number of differences of other kinds or ticks than were asked for. */
  readonly omitted: number
}

/**
 * Compares two runs from where they parted.
 *
 * **Details**
 *
 * `shared` is the number of ticks that both have in common, and each side's transitions begin after it. `from` and
 * `to` keep differences with a tick in that range on either side; the states are those at `to`, or at the ends.
 * `kinds` keeps differences of those kinds.
 */
export const compare = (
  left: Side,
  right: Side,
  options: {
    readonly shared?: number | undefined
    readonly from?: number | undefined
    readonly to?: number | undefined
    readonly kinds?: ReadonlySet<DifferenceKind> | undefined
  } = {}
): Diff => {
  // Alignments may tie, so one of the two orders is computed and the other is its mirror.
  if (isBefore(right, left)) return mirror(compare(right, left, options))
  const { from = 1, kinds, shared = 0, to = Number.POSITIVE_INFINITY } = options
  const inRange = (place: PlacedTransition | undefined) => place !== undefined && from <= place.tick && place.tick <= to
  const pairs = Alignment.align(left.transitions.filter(upTo(to)), right.transitions.filter(upTo(to)))
  const places = placesOf(pairs, shared)
  const compared = pairs.map((pair) => differencesOf(pair, places))
  const outcome = outcomeOf(left.state, right.state)
  const found = [...compared.flat(), ...outcome]
  const differences = found.filter(
    (difference) =>
      (kinds === undefined || kinds.has(difference.kind)) &&
      (difference.kind === "outcome" || inRange(difference.left) || inRange(difference.right))
  )
  const count = (kind: DifferenceKind) => differences.filter((difference) => difference.kind === kind).length
  return {
    left: { run: left.run, length: left.length },
    right: { run: right.run, length: right.length },
    shared,
    same: compared.filter((found) => found.length === 0).length,
    differences,
    counts: {
      structural: count("structural"),
      semantic: count("semantic"),
      confidence: count("confidence"),
      outcome: count("outcome")
    },
    omitted: found.length - differences.length
  }
}

/** The same comparison in the other direction. */
export const mirror = (self: Diff): Diff => ({
  ...self,
  left: self.right,
  right: self.left,
  differences: self.differences.map((difference) => {
    if (difference.kind === "outcome") return { ...difference, values: difference.values.map(swap) }
    if (difference.kind === "structural") return { kind: "structural", ...swapSides(difference) }
    const { left, right, values } = difference
    return { ...difference, left: right, right: left, values: values.map(swap) }
  })
})

/** The body that commits a comparison. The number of differences of each kind follows from the differences. */
export const toBody = ({ counts: _, ...self }: Diff): BodyOf<typeof payloads, "diff.summary"> => ({
  author: "kernel",
  data: JsonText.carried(self) as (typeof payloads)["diff.summary"]["Type"],
  type: "diff.summary"
})

/** The places of the ticks of each side. One place is a tick of both, if these correspond. */
interface Places {
  readonly left: Positions.PlaceOf
  readonly right: Positions.PlaceOf
  /** Finds the tick of a place, on the side that a value is shown of. */
  readonly tickOf: (side: "left" | "right") => (place: string) => number
}

const placesOf = (pairs: ReadonlyArray<Alignment.Pair>, shared: number): Places => {
  const corresponding = pairs.flatMap(({ left, right }) =>
    left !== undefined && right !== undefined && left.body.type === right.body.type
      ? [[left.tick, right.tick] as const]
      : []
  )
  const toRight = new Map(corresponding)
  const toLeft = new Map(corresponding.map(([left, right]) => [right, left]))
  const place = (tick: number, known: number | undefined, alone: string) =>
    tick <= shared ? `=${tick}` : known === undefined ? `${alone}${tick}` : `=${known}`
  return {
    left: (tick) => place(tick, toRight.has(tick) ? tick : undefined, "<"),
    right: (tick) => place(tick, toLeft.get(tick), ">"),
    tickOf: (side) => (text) => {
      const tick = Number(text.slice(1))
      return side === "right" && text.startsWith("=") ? (toRight.get(tick) ?? tick) : tick
    }
  }
}

const differencesOf = ({ left, right }: Alignment.Pair, positions: Places): ReadonlyArray<Difference> => {
  if (left === undefined || right === undefined || left.body.type !== right.body.type) {
    return [
      {
        kind: "structural",
        ...(left === undefined ? {} : { left: placeOf(left) }),
        ...(right === undefined ? {} : { right: placeOf(right) })
      }
    ]
  }
  const values = [
    ...Changes.betweenJson(
      "",
      Positions.placed(left.body, positions.left),
      Positions.placed(right.body, positions.right)
    )
  ].map(({ after, before, path }) => ({
    path: Positions.restored(path, positions.tickOf("left")),
    ...defined({
      left: before === undefined ? undefined : Positions.restoredIn(before, positions.tickOf("left")),
      right: after === undefined ? undefined : Positions.restoredIn(after, positions.tickOf("right"))
    })
  }))
  const places = { left: placeOf(left), right: placeOf(right) }
  const confidence = values.filter(isConfidence)
  const semantic = values.filter((value) => !isConfidence(value))
  return [
    ...(semantic.length === 0 ? [] : [{ kind: "semantic" as const, ...places, values: semantic }]),
    ...(confidence.length === 0 ? [] : [{ kind: "confidence" as const, ...places, values: confidence }])
  ]
}

const outcomeOf = (left: State, right: State): ReadonlyArray<Difference> => {
  const values = [...Changes.between(left, right)].map(toValue)
  const [before, after] = [Latch.of(left), Latch.of(right)]
  for (const id of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const [from, to] = [before[id], after[id]]
    if ((from === undefined) !== (to === undefined)) {
      values.push(
        toValue({ path: `/kernel/${Latch.part}/${id}`, ...(from && { before: from }), ...(to && { after: to }) })
      )
    }
  }
  return values.length === 0 ? [] : [{ kind: "outcome", values }]
}

const isConfidence = ({ path }: Value): boolean => path === "/confidence" || path === "/uncertainty"

const placeOf = ({ body, tick }: Transition): PlacedTransition => {
  const about = body.action?.tool ?? body.intent?.description
  return about === undefined ? { tick, type: body.type } : { tick, type: body.type, about }
}

const toValue = ({ after, before, path }: Changes.Change): Value => ({
  path,
  ...defined({ left: before, right: after })
})

const swap = ({ left, path, right }: Value): Value => ({
  path,
  ...defined({ left: right, right: left })
})

const swapSides = ({ left, right }: { readonly left?: PlacedTransition; readonly right?: PlacedTransition }) => ({
  ...defined({ left: right, right: left })
})

const upTo = (tick: number) => (transition: Transition) => transition.tick <= tick

/**
 * Orders two sides by their contents, so that the same two runs align in the same way whichever is named first. Any
 * total order does. It stops at the first difference.
 */
const isBefore = ({ transitions: left }: Side, { transitions: right }: Side): boolean => {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [a, b] = [left[index]!.body, right[index]!.body].map((body) => Canonical.encode(body as Canonical.JsonObject))
    if (a !== b) return a! < b!
  }
  return left.length < right.length
}
