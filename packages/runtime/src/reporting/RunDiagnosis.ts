/**
 * The diagnosis of a run: the topology that it looks like, and its cracks, each with its evidence and the first
 * response. It also lists the acts that were repeated before the outcome of the first call was known, those that
 * succeeded twice, the predicates that the run has violated, the actions and calls that wait for a person, and the
 * agents that have been waited for and give no sign.
 *
 * A healthy run has none of these. A wrong value that no predicate judges does not show.
 *
 * A run that was recorded elsewhere is read as it is. Its tasks that are open at the end stay open.
 */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Topology from "@backstitch/contracts/Topology"
import * as Payload from "@backstitch/kernel/Payload"
import * as Resolution from "@backstitch/kernel/Resolution"
import * as Reviews from "@backstitch/kernel/Reviews"
import type * as Doubles from "@backstitch/ledger/Doubles"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as Latch from "@backstitch/reducer/Latch"
import * as CrackNames from "@backstitch/topology/Crack"
import * as Diagnosis from "@backstitch/topology/Diagnosis"
import type { Run } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import type { Next } from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as OpenActionStatus from "../pending/OpenActionStatus.ts"
import * as CrackQuestion from "../topology/CrackQuestion.ts"
import * as WaitNotes from "../topology/waitNotes.ts"
import * as Receipt from "./Receipt.ts"
import * as RepeatedActs from "./RepeatedActs.ts"
import * as Report from "./Report.ts"

/** A crack with its words. `cured` says how it was treated, if it was. */
export interface CrackShown extends Diagnosis.Found {
  readonly name: string
  readonly cured?: string
  readonly topology: Topology.TopologyKind
  /** The id under which `bisect` finds since when it is there. */
  readonly predicate: string
  readonly say: string
  readonly response: string
}

/** A repeated act with the first response. */
export interface RepeatShown extends RepeatedActs.RepeatedAct {
  readonly response: string
}

/** An act that succeeded twice, with its words. */
export interface DoubleShown extends Doubles.Double {
  readonly say: string
  readonly response: string
}

/** A predicate that the run has violated, or that could not be evaluated, with its words. */
export interface ViolationShown {
  readonly predicate: string
  /** False if it could not be evaluated: then there is no onset to find. */
  readonly isAnswered: boolean
  /** The tick after which it first held, or could not be evaluated. */
  readonly tick: number
  readonly say: string
  readonly response: string
  readonly next: Next
}

/**
 * An action that waits for a person, since the tick at which it was begun, or a call that waits for an approval, since
 * the tick at which that was asked for. `action` is null if nothing of the call has begun.
 */
export interface HeldShown extends Pick<Report.HeldEntry, "next" | "tool" | "why"> {
  readonly action: string | null
  readonly tick: number
  readonly response: string
}

/** An agent that has been waited for, and has given no sign since that was noted, with its words. */
export interface WaitShown extends WaitNotes.OpenWait {
  readonly say: string
  readonly response: string
}

/** A question to a person about a crack that its own medicine could not treat, with its words. */
export interface QuestionShown {
  readonly crack: string
  readonly tick: number
  readonly name: string
  readonly say: string
}

/**
 * The first suspect in a line: its name, the tick since which it is there, and the first response. `treated` is
 * there if all cracks were treated.
 */
export interface Suspect {
  readonly name: string
  readonly since: number
  readonly response: string
  readonly treated?: true
}

/**
 * A diagnosis as plain JSON. `looksLike` is null if it is none of the six, `question` if no person is asked, and
 * `suspect` if nothing was found. The first crack is the first suspect.
 */
export interface RunDiagnosis {
  readonly run: string
  readonly tick: number
  readonly looksLike: Topology.TopologyKind | null
  readonly by: Diagnosis.Diagnosis["by"]
  readonly say: string
  readonly agents: ReadonlyArray<string>
  readonly isHealthy: boolean
  readonly suspect: Suspect | null
  readonly question: QuestionShown | null
  readonly cracks: ReadonlyArray<CrackShown>
  readonly repeats: ReadonlyArray<RepeatShown>
  readonly doubles: ReadonlyArray<DoubleShown>
  readonly violations: ReadonlyArray<ViolationShown>
  readonly held: ReadonlyArray<HeldShown>
  readonly waits: ReadonlyArray<WaitShown>
}

/** Knowledge of a reader that no trace has: that the result was wrong. */
export interface ReaderVerdict {
  readonly isWrong?: boolean | undefined
}

/** Diagnoses a run at its head. */
export const of = Effect.fn("RunDiagnosis.of")(function* (run: Run, { isWrong }: ReaderVerdict = {}) {
  const history = yield* History.History
  const at = yield* OpenActionStatus.head(run)
  const transitions = yield* history.transitions(run, { to: at.tick })
  const [first] = transitions
  const isRecorded = first !== undefined && Payload.of(first.body, "run.started")?.source !== undefined
  const { agents, by, cracks, doubles, looksLike } = Diagnosis.of(transitions, {
    contractOf: (tool) => TaskPack.tool(at.pack, tool),
    declared: at.pack?.topology,
    isOver: isRecorded,
    isWrong
  })
  const { topologies } = at.words
  const repeats = RepeatedActs.within(at, transitions)
  const found = {
    question: questionOf(transitions, at.words),
    cracks: cracks.map((crack) => ({
      ...crack,
      name: topologies.cracks[crack.crack],
      topology: CrackNames.topologies[crack.crack],
      predicate: CrackNames.predicateOf(crack.crack),
      say: topologies.signals[crack.signal](crack),
      response: topologies.responses[crack.crack],
      ...(crack.treated === undefined ? {} : { cured: topologies.treated[crack.treated.way] })
    })),
    repeats: repeats.map((repeat) => ({ ...repeat, response: topologies.responses.repeat })),
    doubles: doubles.map((double) => ({
      ...double,
      say: topologies.doubled({ ...double, first: double.of.tick, again: double.tick }),
      response: topologies.responses.double
    })),
    violations: violationsOf(at),
    held: yield* heldIn(at, transitions),
    waits: WaitNotes.openIn(transitions).map((wait) => ({
      ...wait,
      say: topologies.waited(wait),
      response: topologies.responses.silence
    }))
  }
  const suspect = suspectOf(found, at.words)
  const shown: RunDiagnosis = {
    run: run.id,
    tick: at.tick,
    looksLike: looksLike ?? null,
    by,
    say: looksLike === undefined ? topologies.none : topologies.kinds[looksLike],
    agents,
    isHealthy: isWrong !== true && suspect === null,
    suspect,
    ...found
  }
  return shown
})

/** Diagnoses runs one after another, in their order. */
export const ofAll = Effect.fn("RunDiagnosis.ofAll")(function* (runs: ReadonlyArray<Run>, asked: ReaderVerdict = {}) {
  return yield* Effect.forEach(runs, (run) => of(run, asked))
})

const violationsOf = ({ run, state, words: { topologies } }: OpenActionStatus.Standpoint) =>
  Receipt.violationsOf(state).map(({ predicate: latch, tick }): ViolationShown => {
    const { isAnswered, predicate } = Latch.read(latch)
    const say = topologies.violated({ isAnswered, predicate, tick })
    const about = isAnswered
      ? { response: topologies.responses.violation, next: { run: run.id, verb: "bisect", predicate } as const }
      : { response: topologies.responses.unanswered, next: { run: run.id, verb: "explain", tick } as const }
    return { predicate, isAnswered, tick, say, ...about }
  })

/** The actions and calls that wait for a person. Most runs have none, and no report is made of them. */
const heldIn = Effect.fnUntraced(function* (at: OpenActionStatus.Standpoint, transitions: ReadonlyArray<Transition>) {
  const { state, words } = at
  const asked = [...Reviews.pending(state), ...Reviews.ofVerification(state)]
  if (Resolution.pending(state).length + asked.length === 0) return []
  const library = yield* PackLibrary.PackLibrary
  const { held, reviews, waits } = yield* library.folding(() => Report.make(at, transitions))
  const { responses } = words.topologies
  const settled = [...held, ...reviews]
    .filter(({ next }) => next.verb !== "resume")
    .map(({ action, next, tool, why }): HeldShown => {
      const tick = SettledActions.known(state, action)?.requested ?? at.tick
      return { action, tick, tool, why, response: responses.held, next }
    })
  const permitted = waits.map(({ after, needs, next, tick, tool }): HeldShown => {
    const why = words.receipts.waits({ more: 0, needs, tick, tool })
    return { action: after, tick, tool, why, response: responses.waits, next }
  })
  return [...settled, ...permitted]
})

const questionOf = (transitions: ReadonlyArray<Transition>, words: Words): QuestionShown | null => {
  const { tick, why } = CrackQuestion.openIn(transitions) ?? {}
  if (tick === undefined || why === undefined) return null
  const { crack } = why.args
  const name = CrackNames.names.find((each) => each === crack)
  const called = name === undefined ? crack : words.topologies.cracks[name]
  return { crack, tick, name: called, say: Wording.of(why, words).what }
}

/**
 * The first crack, or the one about which a person is asked, or an act done twice or repeated, or a violation, or an
 * action that waits for a person, or an agent without a sign, or a treated crack.
 */
const suspectOf = (
  found: Pick<RunDiagnosis, "cracks" | "doubles" | "held" | "question" | "repeats" | "violations" | "waits">,
  { topologies }: Words
): Suspect | null => {
  const {
    cracks: [crack],
    doubles: [double],
    held: [held],
    question,
    repeats: [repeat],
    violations: [violation],
    waits: [wait]
  } = found
  const ofCrack = crack && { name: crack.name, since: crack.tick, response: crack.response }
  if (ofCrack !== undefined && crack?.treated === undefined) return ofCrack
  if (question !== null) return { name: question.name, since: question.tick, response: topologies.asked }
  if (double !== undefined) return { name: topologies.acts.double, since: double.tick, response: double.response }
  if (repeat !== undefined) return { name: topologies.acts.repeat, since: repeat.tick, response: repeat.response }
  if (violation !== undefined) return { name: violation.predicate, since: violation.tick, response: violation.response }
  if (held !== undefined) return { name: topologies.acts.held, since: held.tick, response: held.response }
  if (wait !== undefined) return { name: topologies.acts.silence, since: wait.tick, response: wait.response }
  return ofCrack === undefined ? null : { ...ofCrack, treated: true }
}
