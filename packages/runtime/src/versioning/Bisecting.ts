/**
 * Finds since when a condition has held in a run, by probing states that are folded from the nearest snapshots.
 *
 * `Bisect` is the search itself, as data. This module probes the store for it. A segment between two snapshots is
 * folded once and its states are kept, so no tick is folded twice. A condition that no state latches takes one pass
 * over the run. Its result is kept under the head of the run.
 *
 * @source Dendrer, sections 4.3, 4.7 and 4.8
 */

import * as Payload from "@backstitch/kernel/Payload"
import * as UndoneActs from "@backstitch/ledger/UndoneActs"
import * as Latch from "@backstitch/reducer/Latch"
import type * as Rules from "@backstitch/reducer/Rules"
import type * as State from "@backstitch/reducer/State"
import * as Crack from "@backstitch/topology/Crack"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import * as Bisect from "@backstitch/version-control/Bisect"
import * as BisectResult from "@backstitch/version-control/BisectResult"
import * as CausalChain from "@backstitch/version-control/CausalChain"
import * as Divergence from "@backstitch/version-control/Divergence"
import * as OnsetQuestion from "@backstitch/version-control/OnsetQuestion"
import * as Remediation from "@backstitch/version-control/Remediation"
import * as Scan from "@backstitch/version-control/Scan"
import * as Step from "@backstitch/version-control/Step"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Steps from "../history/Steps.ts"
import * as Limits from "../Limits.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as Coordinator from "../run/Coordinator.ts"
import * as CrackSearch from "./CrackSearch.ts"
import * as Predicates from "./Predicates.ts"
import * as QuestionNames from "./QuestionNames.ts"
import * as RegressionScan from "./RegressionScan.ts"

/** Keeps the results of linear passes, by a digest of the head and the question. By default nothing is kept. */
export const Passes = Context.Reference<{
  readonly get: (key: string) => string | undefined
  readonly put: (key: string, answer: string) => void
}>("@backstitch/runtime/Bisecting/Passes", { defaultValue: () => ({ get: () => undefined, put: () => {} }) })

/** A link of a causal chain, with its effect in one line. */
export interface WordedLink extends Omit<CausalChain.Link, "effects"> {
  readonly effect: string
}

/**
 * An answer. `cached` means that its pass was made before. The transition at the onset has its `effect` in one line.
 */
export interface WordedBisectResult extends Omit<BisectResult.BisectResult, "causalChain" | "effects"> {
  readonly causalChain: ReadonlyArray<WordedLink>
  readonly cached?: true
}

const told = (
  { causalChain, effects, transition, ...result }: BisectResult.BisectResult,
  words: Words
): WordedBisectResult => ({
  ...result,
  causalChain: causalChain.map(({ effects, ...link }) => ({ ...link, effect: Wording.effect(effects, words) })),
  transition: transition === null ? null : { ...transition, effect: Wording.effect(effects, words) }
})

/** Options of a question: a listener to the progress of a pass, and a person's diagnosis of the onset. */
export interface Options {
  readonly progress?: ((tick: number, of: number) => void) | undefined
  readonly verdict?: Remediation.RecordedDiagnosis | undefined
}

/**
 * Bisects a run.
 *
 * **Details**
 *
 * A search by halves evaluates at most ⌈log2(N + 1)⌉ times for N ticks. `predicate` is read as by
 * `OnsetQuestion.predicate`, with the predicates that the pack at the head registers.
 */
export const bisect = Effect.fn("Bisecting.bisect")(function* (
  run: Run.Run,
  asked: OnsetQuestion.OnsetQuestion | { readonly predicate: string },
  options: Options = {}
) {
  const history = yield* History.History
  const end = yield* history.at(run)
  const { head } = end
  // A state from a snapshot of this very tick was not folded here, so its pack may not be loaded yet.
  const library = yield* PackLibrary.PackLibrary
  const rules = yield* library.folding(() => history.fold.rulesAt(end.state, head.tick))
  const question = "_tag" in asked ? asked : OnsetQuestion.predicate(asked.predicate, registered(rules, end.state))
  const pack = yield* library.inForce(end.state, head.tick)
  yield* Effect.fromResult(QuestionNames.check(question, end.state, pack))
  const { verdict } = options
  if (question._tag === "Divergence") return yield* diverge(run, { question, length: head.tick, verdict })
  if (question._tag === "Regression") return yield* regress(run, { question, end, options })
  const crack = question._tag === "Expression" ? Crack.named(question.source) : undefined
  if (crack !== undefined) {
    const answer = yield* CrackSearch.search(run, crack, { length: head.tick, declared: pack?.topology })
    return yield* conclude(run, { question, answer, length: head.tick, verdict: options.verdict })
  }
  if (question._tag === "Expression") return yield* scan(run, { question, end, options })
  const predicate = question._tag === "Predicate" ? rules.predicates.find(({ id }) => id === question.id) : undefined
  const store = yield* TraceStore.TraceStore
  const snapshots = yield* store.snapshotTicks(run)
  let search = Bisect.start({ length: head.tick, snapshots })
  const states = new Map<number, State.State>([[head.tick, end.state]])
  for (let next = Bisect.next(search); "probe" in next; next = Bisect.next(search)) {
    if (!states.has(next.probe)) yield* foldSegment(run, next, states)
    search = Bisect.answer(search, OnsetQuestion.violates(question, states.get(next.probe)!, next.probe))
  }
  const failedAt = OnsetQuestion.failedAt(question, end.state)
  const [reads, note] = [predicate?.reads, OnsetQuestion.unseen(question, end.state)]
  return yield* conclude(run, { question, answer: search, length: head.tick, failedAt, reads, verdict, note })
})

/** Commits an answer to a run: `bisect.result` and, if there is an onset, `causal.chain`. */
export const record = Effect.fn("Bisecting.record")(function* (run: Run.Run, answer: WordedBisectResult) {
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(run)
  // The result does not depend on whether its pass was made before.
  const { cached: _, ...result } = answer
  for (const body of BisectResult.toBodies(result).map(Payload.read)) {
    if (body.type === "bisect.result") yield* handle.annotate(body.type, body.data)
    if (body.type === "causal.chain") yield* handle.annotate(body.type, body.data)
  }
})

/** Bisects a run, and commits the answer to it. */
export const recorded = Effect.fn("Bisecting.recorded")(function* (
  run: Run.Run,
  asked: OnsetQuestion.OnsetQuestion | { readonly predicate: string },
  options: Options = {}
) {
  const answer = yield* bisect(run, asked, options)
  yield* record(run, answer)
  return answer
}, Effect.scoped)

/** Ids by which a predicate may be named: those in force at the head, and those that latched before. */
const registered = (rules: Rules.Rules, state: State.State): ReadonlySet<string> =>
  new Set([...rules.predicates.map(({ id }) => id), ...Object.keys(Latch.of(state))])

/** Keeps every state that later probes of the same segment can need. */
const foldSegment = Effect.fnUntraced(function* (
  run: Run.Run,
  next: { readonly from: number; readonly to: number },
  states: Map<number, State.State>
) {
  const history = yield* History.History
  const from = yield* history.at(run, next.from)
  states.set(from.head.tick, from.state)
  yield* history.walk(run, { from, to: next.to, visit: (state, { tick }) => void states.set(tick, state) })
})

/** The first tick at which the contents of two runs differ; `undefined` if they never do. Reads only digests. */
export const parted = (left: Run.Run, right: Run.Run) => Effect.map(divergence(left, right), Bisect.found)

const divergence = Effect.fnUntraced(function* (left: Run.Run, right: Run.Run) {
  const history = yield* History.History
  const store = yield* TraceStore.TraceStore
  const storyAt = Effect.fnUntraced(function* (run: Run.Run, tick: number) {
    const [sealed] = yield* store.read(run, { from: tick, to: tick })
    return sealed === undefined ? yield* History.broken(run, tick, "tick") : sealed.story
  })
  let search = Divergence.start((yield* history.info(left)).head, (yield* history.info(right)).head)
  for (let next = Bisect.next(search); "probe" in next; next = Bisect.next(search)) {
    search = Bisect.answer(search, (yield* storyAt(left, next.probe)) !== (yield* storyAt(right, next.probe)))
  }
  return search
})

const diverge = Effect.fnUntraced(function* (
  run: Run.Run,
  asked: {
    readonly question: OnsetQuestion.OnsetQuestion & { readonly _tag: "Divergence" }
    readonly length: number
    readonly verdict: Remediation.RecordedDiagnosis | undefined
  }
) {
  const answer = yield* divergence(run, Run.make(asked.question.run, run.tenant))
  return yield* conclude(run, { ...asked, answer })
})

/** A regression is a heuristic: if a hard predicate was violated, its onset is the answer, and both are reported. */
const regress = Effect.fnUntraced(function* (
  run: Run.Run,
  asked: {
    readonly question: OnsetQuestion.OnsetQuestion & { readonly _tag: "Regression" }
    readonly end: History.At
    readonly options: Options
  }
) {
  const { end, options, question } = asked
  const { evaluations, first, metric } = yield* RegressionScan.regression(run, question.metric, options)
  const invariant = RegressionScan.invariant(end.state)
  const answer = { evaluations, onset: invariant?.onset ?? first?.tick, failedAt: undefined }
  const regression = BisectResult.fallen(metric, first, invariant)
  return yield* conclude(run, { question, answer, length: end.head.tick, regression, verdict: options.verdict })
})

/** Makes one pass over the run, for a predicate that was not registered before. */
const scan = Effect.fnUntraced(function* (
  run: Run.Run,
  asked: {
    readonly question: OnsetQuestion.OnsetQuestion & { readonly _tag: "Expression" }
    readonly end: History.At
    readonly options: Options
  }
) {
  const { end, options, question } = asked
  const passes = yield* Passes
  const library = yield* PackLibrary.PackLibrary
  const pack = yield* library.inForce(end.state, end.head.tick)
  const predicate = yield* Predicates.trial(question.source, pack)
  const key = Digest.ofBytes(Canonical.encode([end.head.link, question.source]))
  const length = end.head.tick
  const known = passes.get(key)
  let pass = Scan.start(predicate)
  if (known !== undefined) pass = { ...pass, ...(JsonText.read(known) as Partial<Scan.Scan>) }
  else {
    yield* Steps.walk(run, { from: 1, to: length }, (step) => {
      pass = Scan.step(pass, step)
      options.progress?.(step.transition.tick, length)
      return pass.onset === undefined
    })
    const { predicate: _, ...found } = pass
    passes.put(key, JSON.stringify(found))
  }
  const answer = yield* conclude(run, {
    question,
    answer: pass,
    length,
    reads: predicate.reads,
    verdict: options.verdict
  })
  return known === undefined ? answer : { ...answer, cached: true as const }
})

/** The step at the onset, with its causes and consequences as far as a chain reaches. */
const conclude = Effect.fnUntraced(function* (
  run: Run.Run,
  found: {
    readonly question: OnsetQuestion.OnsetQuestion
    readonly answer: Bisect.Search | BisectResult.Passed
    readonly length: number
    readonly failedAt?: number | undefined
    readonly reads?: ReadonlyArray<string> | undefined
    readonly verdict?: Remediation.RecordedDiagnosis | undefined
    readonly regression?: BisectResult.Fallen | undefined
    readonly note?: BisectResult.BisectResult["note"] | undefined
  }
): Effect.fn.Return<WordedBisectResult, History.HistoryError, History.History> {
  const { answer, length, reads } = found
  const tick = "probes" in answer ? Bisect.found(answer) : answer.onset
  const words = yield* Lexicon.Lexicon
  if (tick === undefined) return told(BisectResult.make({ ...found, run: run.id }), words)
  let chain = CausalChain.start({ onset: tick, reads })
  let onset: Step.Step | undefined
  let request: Transition | undefined
  const requests = new Map<number, Transition>()
  const { causalTicksMax } = Limits.pacing
  yield* Steps.walk(run, { from: tick - causalTicksMax, to: Math.min(length, tick + causalTicksMax) }, (step) => {
    const { transition } = step
    chain = CausalChain.step(chain, step)
    if (transition.tick < tick && transition.body.type === "action.request") requests.set(transition.tick, transition)
    if (transition.tick !== tick) return
    onset = step
    request = requests.get(Step.begun(step) ?? tick)
  })
  const history = yield* History.History
  const before = (onset === undefined ? tick : (Step.begun(onset) ?? tick)) - 1
  const transitions = yield* history.transitions(run)
  const { behind } = UndoneActs.clear(transitions, before)
  const undone = behind.map(({ action, before: last, tool }) => ({ action, tool, tick: last + 1 }))
  const opening = Remediation.opening(transitions)
  return told(BisectResult.make({ ...found, run: run.id, onset, chain, opening, request, undone }), words)
})
