/**
 * The search for the first tick at which a condition holds, as plain data.
 *
 * States of a long trace come from a store, so the search never loads one itself: it names the next tick to evaluate,
 * and is told the result. Every driver, in a loop or across a network, makes the same probes.
 *
 * A trace of N ticks has N + 1 possible answers, including "none". So the search evaluates at most ⌈log2(N + 1)⌉
 * times, or ⌈log2 N⌉ times if the head is known to violate. If it is given the ticks with snapshots, it probes at
 * those as long as the bound allows, and then in one segment whose states are folded once.
 *
 * Laws: for a prefix-monotone condition the answer is that of a linear scan, for every N and every choice of
 * snapshots; the bound holds for all of them.
 *
 * @source Dendrer, sections 4.3, 4.7 and 4.8
 */

/** The answer at a tick. */
export interface Probe {
  readonly tick: number
  readonly verdict: "ok" | "violation"
}

/** A search under way. The remaining answers are the ticks from `low` to `high`; `length + 1` stands for "none". */
export interface Search {
  readonly length: number
  readonly low: number
  readonly high: number
  /** The number of evaluations that the bound still allows. */
  readonly budget: number
  /** Ticks with a snapshot, ascending. */
  readonly snapshots: ReadonlyArray<number>
  readonly probes: ReadonlyArray<Probe>
}

/**
 * The next step: evaluate at tick `probe`, or stop with an onset, `undefined` for "none".
 *
 * **Details**
 *
 * To get the state at `probe`, load the state at tick `from`, which has a snapshot or is 0, and fold on. `to` is the
 * last tick that later probes in the same segment can need: a driver that folds from `from` to `to` once, and keeps
 * the states, folds nothing twice. States share their structure, so keeping them is cheap.
 */
export type NextProbe =
  | { readonly probe: number; readonly from: number; readonly to: number }
  | { readonly onset: number | undefined }

/**
 * Begins a search.
 *
 * **Details**
 *
 * `headViolates` is the result at the last tick, if it is known without an evaluation: `true` excludes "none", and
 * `false` makes it the answer.
 *
 * **Example** (Six probes for sixty-four ticks)
 *
 * ```ts import.meta.vitest
 * import { Bisect } from "@backstitch/version-control"
 *
 * let search = Bisect.start({ length: 64, headViolates: true })
 * let next = Bisect.next(search)
 * while ("probe" in next) {
 *   search = Bisect.answer(search, next.probe >= 14)
 *   next = Bisect.next(search)
 * }
 *
 * search.probes.map((probe) => probe.tick) // => [32, 16, 8, 12, 14, 13]
 * next.onset // => 14
 * ```
 */
export const start = (options: {
  readonly length: number
  readonly headViolates?: boolean | undefined
  readonly snapshots?: Iterable<number> | undefined
}): Search => {
  const { headViolates, length } = options
  const high = headViolates === true && length > 0 ? length : length + 1
  const low = headViolates === false ? high : 1
  const snapshots = [...new Set(options.snapshots)]
    .filter((tick) => tick >= 1 && tick <= length)
    .sort((left, right) => left - right)
  return { length, low, high, budget: bits(high - low + 1), snapshots, probes: [] }
}

/** The next tick to evaluate, or the answer. */
export const next = (self: Search): NextProbe => {
  if (self.low === self.high) return { onset: found(self) }
  const known = plans.get(self)
  if (known !== undefined) return known
  const made = plan(self)
  plans.set(self, made)
  return made
}

/** Records the result at the tick that `next` named. A finished search stays unchanged. */
export const answer = (self: Search, violated: boolean): Search => {
  const asked = next(self)
  if (!("probe" in asked)) return self
  const probe: Probe = { tick: asked.probe, verdict: violated ? "violation" : "ok" }
  return {
    ...self,
    low: violated ? self.low : asked.probe + 1,
    high: violated ? asked.probe : self.high,
    budget: self.budget - 1,
    probes: [...self.probes, probe]
  }
}

/** Drives a search to its end with a synchronous function. */
export const run = (self: Search, violated: (tick: number) => boolean): Search => {
  let search = self
  for (let asked = next(search); "probe" in asked; asked = next(search)) search = answer(search, violated(asked.probe))
  return search
}

/**
 * The first tick whose state violates, for available states; `undefined` for "none".
 *
 * @see {@link start} for states that have to be loaded
 */
export const onset = <S>(options: {
  readonly length: number
  readonly stateAt: (tick: number) => S
  readonly violates: (state: S, tick: number) => boolean
  readonly headViolates?: boolean | undefined
}): number | undefined => {
  return found(run(start(options), (tick) => options.violates(options.stateAt(tick), tick)))
}

/** The answer of a finished search; `undefined` for "none", and for an unfinished search. */
export const found = (self: Search): number | undefined =>
  self.low < self.high || self.low > self.length ? undefined : self.low

/** The maximum number of evaluations in a search over n ticks: ⌈log2(N + 1)⌉. */
export const bound = (length: number): number => bits(length + 1)

const plans = new WeakMap<Search, NextProbe>()

/**
 * Chooses a probe.
 *
 * Probing at `tick` leaves `tick - low + 1` answers to its left and the others to its right; both must fit the
 * remaining budget. Without snapshots the middle always fits. A snapshot is preferred if all later probes can be at
 * snapshots too, and otherwise if it merely fits; else the middle is probed.
 */
const plan = ({ budget, high, low, snapshots }: Search): NextProbe => {
  const middle = low + Math.floor((high - low + 1) / 2) - 1
  const inside = snapshots.slice(indexAfter(snapshots, low - 1), indexAfter(snapshots, high - 1))
  const below = (tick: number): number => snapshots[indexAfter(snapshots, tick) - 1] ?? 0
  if (inside.length === 0) return { probe: middle, from: below(low - 1), to: high - 1 }
  const half = 2 ** (budget - 1)
  const whole = nearest(between(inside, { high, low }, half), middle)
  if (whole !== undefined) return { probe: whole, from: whole, to: whole }
  const fitting = nearest(
    inside.filter((tick) => tick - low + 1 <= half && high - tick <= half),
    middle
  )
  if (fitting !== undefined) return { probe: fitting, from: fitting, to: fitting }
  return { probe: middle, from: below(middle), to: middle }
}

/**
 * Snapshots at which to split, so that both sides can be searched at snapshots alone, down to one segment, within
 * `half` answers each.
 *
 * A segment of s answers needs ⌈log2 s⌉ evaluations, so it takes an aligned block of that power of two. Blocks in
 * order fit into `half` exactly if a search tree of that depth exists. Packing from both ends gives the splits.
 */
const between = (
  inside: ReadonlyArray<number>,
  range: { readonly low: number; readonly high: number },
  half: number
): ReadonlyArray<number> => {
  const ends = [...inside, range.high]
  const blocks = ends.map((end, index) => 2 ** bits(end - (index === 0 ? range.low - 1 : ends[index - 1]!)))
  const left = packed(blocks, half)
  const right = packed(blocks.toReversed(), half)
  return inside.slice(Math.max(0, blocks.length - right - 1), left)
}

/** Counts the blocks, from the first one on, that fit into a space if each is aligned to its own size. */
const packed = (blocks: ReadonlyArray<number>, space: number): number => {
  let used = 0
  for (const [index, block] of blocks.entries()) {
    used = Math.ceil(used / block) * block + block
    if (used > space) return index
  }
  return blocks.length
}

const nearest = (ticks: ReadonlyArray<number>, middle: number): number | undefined => {
  let best: number | undefined
  for (const tick of ticks) if (best === undefined || Math.abs(tick - middle) < Math.abs(best - middle)) best = tick
  return best
}

/** Index of the first greater element. */
const indexAfter = (ascending: ReadonlyArray<number>, value: number): number => {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ascending[middle]! > value) high = middle
    else low = middle + 1
  }
  return low
}

/** ⌈log2 n⌉ without rounding errors. */
const bits = (count: number): number => {
  let result = 0
  for (let power = 1; power < count; power *= 2) result++
  return result
}
