/**
 * A draft, a critique, a revision, and again. The debate does not converge, or it gives in and undoes its own fixes.
 *
 * A round counts once it is complete, and only then: a resume goes on from the last complete round, never inside one.
 *
 * @source Crash Recovery, debate crash profile
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Crack from "../event/Crack.ts"
import type * as Memo from "../event/Memo.ts"
import * as Nearness from "../event/Nearness.ts"
import type { Noted, TopologyEvent } from "../event/TopologyEvent.ts"
import * as Limits from "../Limits.ts"
import * as Shape from "./Shape.ts"

/** A complete round. `delta` is the share of the draft that it changed. */
export interface Round extends JsonObject {
  readonly round: number
  readonly tick: number
  readonly draft: string
  readonly words: ReadonlyArray<string>
  readonly delta: number
  readonly score?: number | undefined
}

/** The latest rounds, the best one by score, and the rounds that took back what the one before had added. */
export interface Debate extends JsonObject {
  readonly rounds: number
  readonly latest: ReadonlyArray<Round>
  readonly best?: Round | undefined
  readonly undoing: ReadonlyArray<number>
}

/** A round as its memo tells it. */
interface ToldRound {
  readonly memo: Memo.Memo & { readonly memo: "round" }
  readonly declared: Topology.Topology
  readonly reading: Nearness.Reading | undefined
}

const complete = (self: Debate, event: Noted, { declared, memo, reading }: ToldRound): Shape.Stepped<Debate> => {
  const { agent, tick } = event
  const words = Nearness.words(memo.draft, reading)
  const last = self.latest.at(-1)
  const round: Round = {
    round: memo.round,
    tick,
    draft: Digest.ofBytes(memo.draft),
    words,
    delta: memo.delta ?? (last === undefined ? 1 : 1 - Nearness.similarity(last.words, words)),
    ...(memo.score === undefined ? {} : { score: memo.score })
  }
  const before = self.latest.at(-2)
  const isUndoing = last !== undefined && before !== undefined && undoes(before, last, round)
  const state: Debate = {
    rounds: self.rounds + 1,
    latest: [...self.latest, round].slice(-Limits.pacing.debateRoundsKeptMax),
    best: isBetter(round, self.best) ? round : self.best,
    undoing: isUndoing ? [...self.undoing, tick] : self.undoing
  }
  const capitulation = givesIn(state, { tick, agent })
  const deadlock = isStuck(state, declared, { tick, agent })
  return { state, cracks: [...capitulation, ...deadlock] }
}

/** Without scores the latest draft is the best; with scores, the first one of the highest. */
const isBetter = (round: Round, best: Round | undefined): boolean =>
  best === undefined || (round.score === undefined ? best.score === undefined : round.score > (best.score ?? -1))

/**
 * Tells whether a round takes back most of the words that the round before has added. Texts that are no versions of
 * one draft undo nothing of each other.
 */
const undoes = (before: Round, last: Round, round: Round): boolean => {
  if (Nearness.similarity(before.words, last.words) < Limits.pacing.draftVersionShareMin) return false
  const old = new Set(before.words)
  const now = new Set(round.words)
  const added = last.words.filter((word) => !old.has(word))
  const lost = added.filter((word) => !now.has(word)).length
  return added.length > 0 && lost / added.length >= Limits.pacing.debateUndoneShareMin
}

type Here = Pick<TopologyEvent, "agent" | "tick">

/** Tells whether one round is clearly better than another, by their scores. */
const isAhead = (one: Round | undefined, other: Round | undefined): boolean => {
  if (one?.score === undefined || other?.score === undefined) return false
  // As decimals: 0.9 is ahead of 0.8 as 0.8 is of 0.7.
  return Number((one.score - other.score).toFixed(9)) >= Limits.pacing.debateScoreLeadMin
}

/**
 * One round below the best may be on its way to a better one, so only two in a row are a crack. {@link resume} does not
 * wait for that, and ends a debate with the first. So this crack is one of recordings: a debate that is carried out has
 * no second round below its best.
 */
const givesIn = ({ best, latest, undoing }: Debate, { agent, tick }: Here): ReadonlyArray<Crack.Crack> => {
  const last = latest.at(-1)
  const before = latest.at(-2)
  if (best !== undefined && before !== undefined && isAhead(best, last) && isAhead(best, before)) {
    const evidence = [best.tick, before.tick]
    return [Crack.make("capitulation", "score_below_best", { tick, evidence, agent })]
  }
  // Scores decide if there are any. Drafts that merely take turns are a deadlock.
  if (last?.score !== undefined || undoing.length < 2 || doAlternate(latest)) return []
  return [Crack.make("capitulation", "fixes_undone", { tick, evidence: undoing, agent })]
}

const isStuck = (
  { latest, rounds }: Debate,
  { roundsMax = Limits.pacing.debateRoundsMax }: Topology.Topology,
  { agent, tick }: Here
): ReadonlyArray<Crack.Crack> => {
  const evidence = latest.map((round) => round.tick)
  if (doAlternate(latest)) return [Crack.make("deadlock", "drafts_alternate", { tick, evidence, agent })]
  if (rounds < roundsMax || isConverging(latest)) return []
  return [Crack.make("deadlock", "rounds_at_cap", { tick, evidence, agent })]
}

/**
 * Tells whether a debate comes to an end: its last round changes little, or half of what the one before changed at
 * most, or it is clearly better by its score.
 */
const isConverging = (latest: ReadonlyArray<Round>): boolean => {
  const [before, last] = [latest.at(-2), latest.at(-1)]
  if (last === undefined || last.delta < Limits.pacing.debateDeltaMin) return true
  if (before === undefined) return false
  // The first round of all has nothing to differ from.
  const isHalved = latest.length >= 3 && last.delta <= before.delta / 2
  return isHalved || isAhead(last, before)
}

/** Tells whether the last four drafts are two that take turns. */
const doAlternate = (latest: ReadonlyArray<Round>): boolean => {
  const [one, two, three, four] = latest
  if (one === undefined || two === undefined || three === undefined || four === undefined) return false
  return areSame(one, three) && areSame(two, four) && !areSame(one, two)
}

const areSame = (one: Round, other: Round): boolean =>
  one.draft === other.draft || Nearness.similarity(one.words, other.words) > 1 - Limits.pacing.debateDeltaMin / 2

/** The debate as a decider. */
export const shape: Shape.Shape<Debate> = {
  kind: "debate",
  needs: "roundsMax",
  init: { rounds: 0, latest: [], undoing: [] },
  step: (self, event, declared, reading) =>
    event._tag === "Noted" && event.memo.memo === "round"
      ? complete(self, event, { memo: event.memo, declared, reading })
      : Shape.quiet(self)
}

/** The way on: another round, or the end with a draft. A tie is given to the judge, if the topology names one. */
export type DebateResumption =
  | { readonly _tag: "Round"; readonly round: number }
  | { readonly _tag: "Ship"; readonly round: number; readonly tick: number }
  | { readonly _tag: "Judge"; readonly judge: string; readonly rounds: ReadonlyArray<number> }

/**
 * Decides how a debate goes on after its last complete round. It ends at the cap, once it has converged, or with
 * the first round that is clearly worse than the best one, and then the best draft is shipped.
 */
export const resume = (
  { best, latest, rounds }: Debate,
  { agents, roundsMax = Limits.pacing.debateRoundsMax }: Topology.Topology
): DebateResumption => {
  const last = latest.at(-1)
  if (last === undefined || best === undefined) return { _tag: "Round", round: 1 }
  const isTied = doAlternate(latest)
  const isOver = rounds >= roundsMax || isTied || last.delta < Limits.pacing.debateDeltaMin || isAhead(best, last)
  if (!isOver) return { _tag: "Round", round: last.round + 1 }
  const judge = agents["judge"]
  const isOpen = last.score === undefined && last.delta >= Limits.pacing.debateDeltaMin
  if (judge !== undefined && isOpen && latest.length >= 2) {
    return { _tag: "Judge", judge, rounds: latest.slice(-2).map(({ round }) => round) }
  }
  return { _tag: "Ship", round: best.round, tick: best.tick }
}
