/**
 * Replays a run strictly: checks its chain from the bytes, folds it again from the first tick, and compares each state
 * digest that was committed.
 *
 * `RunVerification` makes a verdict of it. A fork, a receipt and a test ask it directly.
 *
 * @source Dendrer, section 3.1
 */
import * as Payload from "@backstitch/kernel/Payload"
import * as RequestedActions from "@backstitch/ledger/RequestedActions"
import * as Replay from "@backstitch/reducer/Replay"
import type { State } from "@backstitch/reducer/State"
import { Coherence, type Flaw } from "@backstitch/trace/Coherence"
import type * as HashChain from "@backstitch/trace/HashChain"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type * as Transition from "@backstitch/trace/Transition"
import * as TransitionCheck from "@backstitch/trace/TransitionCheck"
import * as Vocabulary from "@backstitch/trace/Vocabulary"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import { readAncestors } from "../history/readAncestors.ts"

/** The answer of strict replay of a whole run. */
export interface StrictReplay {
  readonly head: HashChain.Head
  readonly state: State
  readonly compared: number
  /** Initial states from which the run is folded, and the ticks that name them. */
  readonly initials: ReadonlyArray<{ readonly tick: number; readonly digest: string }>
  readonly divergences: ReadonlyArray<Replay.Divergence>
  /** The first payload that does not fit its type. */
  readonly misfit: { readonly tick: number; readonly problem: string } | undefined
  /** Types of embedders that the kernel does not have. Their payloads are not checked. */
  readonly unknown: ReadonlyArray<string>
  /** Parts of embedders that the kernel does not have. States that contain them are not compared. */
  readonly absent: ReadonlyArray<string>
}

/** Observers of a replay: of how far it has come, and of each transition. */
export interface Observers {
  readonly progress?: ((tick: number, of: number) => void) | undefined
  readonly visit?: ((transition: Transition.Transition) => void) | undefined
}

/** The parts of an answer that are found step by step. */
const finding = ({ fold }: History.History["Service"]) => {
  const divergences: Array<Replay.Divergence> = []
  const initials: Array<StrictReplay["initials"][number]> = []
  const absent = new Set<string>()
  let compared = 0
  return {
    take: (state: State, transition: Transition.Transition) => {
      const { body, stamp, tick } = transition
      const digest = Payload.of(body, "run.started")?.initial
      if (digest !== undefined) initials.push({ tick, digest })
      if (stamp.state === undefined) return
      const lacks = fold.lacks(state)
      for (const part of lacks) absent.add(part)
      // Without the part of an embedder, nobody can tell what the part would have folded.
      if (lacks.length > 0) return
      compared++
      const divergence = Replay.divergence(state, transition)
      if (divergence !== undefined) divergences.push(divergence)
    },
    found: () => ({ compared, divergences, initials, absent: [...absent] })
  }
}

/** Replays a run from its first tick to its head, once its writer has made it durable. */
export const of = Effect.fnUntraced(function* (run: Run, { progress, visit }: Observers = {}) {
  const history = yield* History.History
  const { vocabularies } = history
  const { head } = yield* history.info(run)
  const coherence = new Coherence({ run, lineage: yield* readAncestors(run) })
  const unrequested = RequestedActions.follow()
  const unknown = new Set<string>()
  const steps = finding(history)
  let misfit: StrictReplay["misfit"]
  let flaw: Flaw | undefined
  const end = yield* history.stored.walk(run, {
    from: yield* history.stored.at(run, 0),
    to: head.tick,
    admits: (transition, sealed, before) => {
      const { body, tick } = transition
      flaw = coherence.take(before, sealed, transition)
      if (flaw !== undefined) return false
      const problem =
        TransitionCheck.refusal(body, { malformed: Payload.malformed, vocabularies }) ?? unrequested(body)?.message
      if (problem !== undefined) misfit = { tick, problem }
      if (Vocabulary.isUnknown(vocabularies, body.type)) unknown.add(body.type)
      return problem === undefined
    },
    visit: (state, transition) => {
      progress?.(transition.tick, head.tick)
      visit?.(transition)
      steps.take(state, transition)
      return undefined
    }
  })
  if (misfit === undefined && flaw === undefined) {
    if (end.head.link !== head.link || end.head.story !== head.story)
      return yield* History.broken(run, head.tick, "end")
    const last = coherence.end(end.head)
    flaw = last?.found === "cut" && (yield* isLeft(run, last.tick)) ? undefined : last
  }
  if (flaw !== undefined) return yield* History.broken(run, flaw.tick, flaw.found, flaw.problem)
  const replayed: StrictReplay = {
    head: end.head,
    state: end.state,
    ...steps.found(),
    misfit,
    unknown: [...unknown].sort()
  }
  return replayed
})

/** The file of a fork contains as much of an ancestor as the fork shares, which may end inside a commit. */
const isLeft = Effect.fnUntraced(function* (run: Run, tick: number) {
  const store = yield* TraceStore.TraceStore
  const runs = yield* store.runs(run.tenant)
  return runs.some(({ parent }) => parent?.id === run.id && parent.tick === tick)
})
