/**
 * A loop of one agent that thinks, acts and observes. It runs away, oscillates, or stops too early.
 *
 * Steps are the calls on record, so they count across crashes, resumes and forks. A call brings nothing new if it is
 * near one of the latest calls of its tool, and is refused or answered as before. Such calls are counted twice:
 *
 * - in a row, until any tool brings something new. A call that goes further than any before, such as to the next page,
 *   does not count here;
 * - by tool, until that tool brings something new, so that notes in between hide no circle. Each such call counts here.
 *
 * A job that is still under way may be asked about more often before that is a runaway.
 *
 * A loop oscillates if a few calls go round in a circle, each with its own answer, while the answers differ, or while
 * one call takes back what another did: the same values, the other way round. A wait for a job is no circle. A round of
 * reads is one only if two of its answers contradict each other about one thing: a monitor reads several in turn.
 *
 * @source Crash Recovery, ReAct crash profile
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as AnswerText from "../event/AnswerText.ts"
import * as Crack from "../event/Crack.ts"
import * as Nearness from "../event/Nearness.ts"
import { entriesByTick, entryOf } from "../event/recordEntry.ts"
import type { Answered, Called, TopologyEvent } from "../event/TopologyEvent.ts"
import * as Limits from "../Limits.ts"
import * as Shape from "./Shape.ts"

/** A call without an answer so far. */
interface Open extends JsonObject {
  readonly tool: string
  readonly tick: number
  readonly isNear: boolean
  /** Goes further by its numbers than any call before that is otherwise the same. */
  readonly doesGoOn: boolean
  readonly call: string
  readonly values: string
  /** Hours that it asks for. */
  readonly hours?: ReadonlyArray<string>
  readonly subject?: string | undefined
  readonly agent?: string | undefined
}

/** An answered call, as the search for circles sees it. */
interface Turn extends JsonObject {
  readonly call: string
  /** The same for calls that differ only in which argument has which value. */
  readonly values: string
  readonly answer: string
  readonly tick: number
  /** Digest of the values that a call gives to a tool that only reads, and undefined for any other. */
  readonly subject?: string | undefined
}

/** The state of a loop. */
export interface ReActLoop extends JsonObject {
  readonly steps: number
  readonly open: { readonly [action: string]: Open }
  /** Words of the arguments of the latest calls by tool. */
  readonly latest: { readonly [tool: string]: ReadonlyArray<ReadonlyArray<string>> }
  /** Digests of answers by tool. */
  readonly seen: { readonly [tool: string]: ReadonlyArray<string> }
  /** The largest numbers of the arguments so far by tool, for the latest calls that differ in anything else. */
  readonly numbers: { readonly [tool: string]: ReadonlyArray<Nearness.Numbers> }
  /** Ticks of calls that brought nothing new, by tool: those in a row, and those since the tool brought something. */
  readonly idle: { readonly [tool: string]: ReadonlyArray<number> }
  readonly stale: { readonly [tool: string]: ReadonlyArray<number> }
  readonly turns: ReadonlyArray<Turn>
  /** Tools that have answered well. */
  readonly done: ReadonlyArray<string>
}

const called = (
  self: ReActLoop,
  event: Called,
  { declared, reading }: { readonly declared: Topology.Topology; readonly reading: Nearness.Reading | undefined }
): Shape.Stepped<ReActLoop> => {
  const { stepsMax } = declared
  const { action, agent, isRead, params, tick, tool } = event
  const before = entryOf(self.latest, tool) ?? []
  const words = Nearness.wordsOf(params, reading)
  const numbers = Nearness.numbersOf(params)
  const seen = entryOf(self.numbers, tool) ?? []
  const furthest = seen.find(({ rest }) => rest === numbers.rest)
  const doesGoOn = furthest !== undefined && Nearness.goesOn(furthest, numbers)
  const others = seen.filter((each) => each !== furthest)
  const hours = Nearness.hoursOf(params)
  const reached = furthest === undefined || doesGoOn ? numbers : furthest
  const open: Open = {
    tool,
    tick,
    isNear: before.some((each) => Nearness.areNear(each, words)),
    doesGoOn,
    call: Nearness.callDigest(tool, params),
    values: Nearness.callDigest(tool, Nearness.valuesOf(params).toSorted()),
    ...(hours.length === 0 ? {} : { hours }),
    ...(isRead === undefined ? {} : { subject: subjectOf(params, tool) }),
    ...(agent === undefined ? {} : { agent })
  }
  const steps = self.steps + 1
  const state = {
    ...self,
    steps,
    open: { ...self.open, [action]: open },
    numbers: { ...self.numbers, [tool]: [...others, reached].slice(-Limits.pacing.comparedCallsMax) },
    latest: { ...self.latest, [tool]: [...before, words].slice(-Limits.pacing.comparedCallsMax) }
  }
  if (stepsMax === undefined || steps <= Limits.pacing.loopShareNearMin * stepsMax) return Shape.quiet(state)
  return { state, cracks: [Crack.make("runaway", "steps_near_cap", { tick, evidence: [], agent })] }
}

/** The thing that a read is about: its values, whatever the tool, or the tool itself if it has none. */
const subjectOf = (params: Json, tool: string): string => {
  const values = Nearness.valuesOf(params).toSorted()
  return Nearness.callDigest(values.length === 0 ? tool : "", values)
}

const answered = (
  self: ReActLoop,
  event: Answered,
  reading: Nearness.Reading | undefined
): Shape.Stepped<ReActLoop> => {
  const call = entryOf(self.open, event.action)
  if (call === undefined) return Shape.quiet(self)
  const { [event.action]: _, ...open } = self.open
  const { tool } = call
  const answer = Nearness.answerDigest(event.output, reading, call.hours)
  const known = entryOf(self.seen, tool) ?? []
  const isNew = event.ok && !known.includes(answer)
  const idle = isNew ? {} : call.isNear && !call.doesGoOn ? counted(self.idle, call) : self.idle
  const stale = isNew ? { ...self.stale, [tool]: [] } : call.isNear ? counted(self.stale, call) : self.stale
  const isPending = AnswerText.saysPending(event.output)
  const about = call.subject === undefined ? {} : { subject: call.subject }
  const turn: Turn = { call: call.call, values: call.values, answer, tick: call.tick, ...about }
  const turns = isPending ? [] : [...self.turns, turn].slice(-turnsKept)
  const state: ReActLoop = {
    ...self,
    open,
    seen: isNew ? { ...self.seen, [tool]: [...known, answer].slice(-Limits.pacing.answersKeptMax) } : self.seen,
    idle,
    stale,
    turns,
    done: event.ok && !self.done.includes(tool) ? [...self.done, tool] : self.done
  }
  const stuck = stuckOf(state, tool, isPending)
  const { agent } = call
  const cracks: Array<Crack.Crack> = []
  if (stuck !== undefined && !isNew) {
    cracks.push(
      Crack.make("runaway", "no_progress", { tick: event.tick, evidence: [stuck[0]!, call.tick], agent, subject: tool })
    )
  }
  const oscillates = (circle: ReadonlyArray<Turn> | undefined): ReadonlyArray<Crack.Crack> => {
    if (circle === undefined) return []
    const evidence = circle.map(({ tick }) => tick)
    return [Crack.make("oscillation", "answers_alternate", { tick: event.tick, evidence, agent })]
  }
  const thrashing = oscillates(circleIn(turns, doesContradict))
  const retired = thrashing.length > 0 ? [] : oscillates(circleIn(turns, doesDiffer))
  return { state, cracks: [...cracks, ...thrashing], retired }
}

const counted = (known: ReActLoop["idle"], { tick, tool }: Open): ReActLoop["idle"] => ({
  ...known,
  [tool]: [...(entryOf(known, tool) ?? []), tick]
})

/** The calls of a tool that go in circles; `undefined` while they are too few to say so. */
const stuckOf = ({ idle, stale }: ReActLoop, tool: string, isPending: boolean): ReadonlyArray<number> | undefined => {
  const { idleCallsMax, pendingCallsMax, staleCallsMax } = Limits.pacing
  const [inRow, ofTool] = [entryOf(idle, tool) ?? [], entryOf(stale, tool) ?? []]
  if (isPending) return ofTool.length >= pendingCallsMax ? ofTool : undefined
  if (inRow.length >= idleCallsMax) return inRow
  return ofTool.length >= staleCallsMax ? ofTool : undefined
}

/** Numbers of calls that may make a circle, each with the times that it has to be gone round. */
const circles: ReadonlyArray<readonly [calls: number, times: number]> = [
  [2, Limits.pacing.alternationsMax],
  [3, Limits.pacing.circlesMax],
  [4, Limits.pacing.circlesMax]
]

const turnsKept = Math.max(...circles.map(([calls, times]) => calls * times))

/** The latest turns, if they go round one circle that does what is asked of it; `undefined` if not. */
const circleIn = (
  turns: ReadonlyArray<Turn>,
  does: (circle: ReadonlyArray<Turn>) => boolean
): ReadonlyArray<Turn> | undefined =>
  circles
    .filter(([calls, times]) => turns.length >= calls * times)
    .map(([calls, times]) => ({ calls, latest: turns.slice(-calls * times) }))
    .find(({ calls, latest }) => does(latest.slice(0, calls)) && doesRepeat(latest, calls))?.latest

/** Tells whether a circle thrashes. Of reads alone, two have to answer differently about one thing. */
const doesContradict = (circle: ReadonlyArray<Turn>): boolean =>
  doesDiffer(circle) &&
  circle.some(
    ({ answer, subject }) =>
      subject === undefined || circle.some((turn) => turn.subject === subject && turn.answer !== answer)
  )

/** Tells whether calls of a circle have answers that differ, or take back what another one did. */
const doesDiffer = (circle: ReadonlyArray<Turn>): boolean => {
  const count = (key: "answer" | "call" | "values"): number => new Set(circle.map((turn) => turn[key])).size
  return count("call") > 1 && (count("answer") > 1 || count("values") < count("call"))
}

const doesRepeat = (turns: ReadonlyArray<Turn>, calls: number): boolean =>
  turns.every((turn, index) => {
    const first = turns[index % calls]!
    return turn.call === first.call && turn.answer === first.answer
  })

/** Items that have to be done before the goal may be called reached: tools that have not answered well yet. */
export const openItems = ({ done }: ReActLoop, { checklist = [] }: Topology.Topology): ReadonlyArray<string> =>
  checklist.filter((item) => !done.includes(item))

const finished = (
  self: ReActLoop,
  { agent, tick }: TopologyEvent,
  declared: Topology.Topology
): ReadonlyArray<Crack.Crack> => {
  const [item] = openItems(self, declared)
  if (item !== undefined) {
    return [Crack.make("premature_stop", "items_open", { tick, evidence: [], agent, subject: item })]
  }
  const unanswered = entriesByTick(self.open).map(([, call]) => call)
  const evidence = unanswered.map((each) => each.tick)
  const [first] = unanswered
  return first === undefined
    ? []
    : [Crack.make("premature_stop", "call_unanswered", { tick, evidence, agent, subject: first.tool })]
}

/** The loop as a decider. */
export const shape: Shape.Shape<ReActLoop> = {
  kind: "react",
  needs: "stepsMax",
  init: { steps: 0, open: {}, latest: {}, numbers: {}, seen: {}, idle: {}, stale: {}, turns: [], done: [] },
  step: (self, event, declared, reading) => {
    switch (event._tag) {
      case "Called":
        return called(self, event, { declared, reading })
      case "Answered":
        return answered(self, event, reading)
      case "Finished":
        return { state: self, cracks: finished(self, event, declared) }
      default:
        return Shape.quiet(self)
    }
  }
}

/** The steps that a resume carries over: those that are used, and those that are left of the cap, if there is one. */
export const carried = (
  { steps }: ReActLoop,
  { stepsMax }: Topology.Topology
): { readonly used: number; readonly left: number | undefined } => ({
  used: steps,
  left: stepsMax === undefined ? undefined : Math.max(0, stepsMax - steps)
})
