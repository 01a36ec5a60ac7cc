/**
 * Tries another pack on recorded runs: reports the decisions that it would have refused, left to a person, or
 * recovered otherwise.
 *
 * A run is folded twice, under its own pack and under the candidate. Every recorded proposal and every piece of
 * evidence is decided under both. The kernel is pure, so nothing is asked of the world.
 *
 * **Gotchas**
 *
 * Each decision is judged at its own tick, with the record up to there: no trace shows what an agent would have done
 * after another answer. An approval that was given counts as requested under both packs. Extensions in the trace
 * are added to the candidate at the same ticks; a candidate that does not accept one is reported once.
 */

import * as PackExtension from "@backstitch/contracts/PackExtension"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Check from "@backstitch/kernel/Check"
import type { Command } from "@backstitch/kernel/Command"
import * as CommitContent from "@backstitch/kernel/CommitContent"
import type { Decided } from "@backstitch/kernel/Decision"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Payload from "@backstitch/kernel/Payload"
import * as Fold from "@backstitch/reducer/Fold"
import * as Latch from "@backstitch/reducer/Latch"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as PackRules from "@backstitch/reducer/PackRules"
import type * as Rules from "@backstitch/reducer/Rules"
import * as State from "@backstitch/reducer/State"
import * as History from "@backstitch/runtime/History"
import * as Lexicon from "@backstitch/runtime/Lexicon"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as RecordedCommand from "@backstitch/runtime/RecordedCommand"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Descent from "@backstitch/version-control/Descent"
import type { ShortDecision } from "@backstitch/wording/ReleaseWords"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** The kind of difference between two decisions on one command. */
export type TrialDifferenceKind = "refused" | "asked" | "allowed" | "recovered" | "violated" | "cleared"

/** A decision that the other pack makes differently, or a violation under only one of them. */
export interface TrialDifference {
  readonly run: string
  readonly tick: number
  readonly kind: TrialDifferenceKind
  readonly action: string | null
  readonly tool: string | null
  readonly was: ShortDecision
  readonly is: ShortDecision
  /** Both decisions in words. */
  readonly before: string
  readonly after: string
}

/** The recorded outcome of a piece of evidence, and the outcome under the new contract. `action` is `RUN/ACTION`. */
export interface TrialOutcome {
  readonly action: string
  readonly before: ShortDecision
  readonly after: ShortDecision
}

/**
 * The result of trying a pack on one run. `judged` counts decisions; `outcomes` are the differences about
 * evidence.
 */
export interface Tried {
  readonly run: string
  readonly judged: number
  readonly outcomes: ReadonlyArray<TrialOutcome>
  readonly changes: ReadonlyArray<TrialDifference>
}

/** A candidate to try. Without a pack, each run is decided under its own, to try another kernel. */
export interface Candidate {
  readonly pack?: TaskPack.TaskPack | undefined
  readonly kernel?: Kernel.Kernel | undefined
  readonly secret?: string | undefined
}

/** The result of trying a pack on runs: what was counted, and every change. */
export interface Trial {
  readonly totals: { readonly runs: number; readonly decisions: number } & {
    readonly [K in TrialDifferenceKind]: number
  }
  readonly changes: ReadonlyArray<TrialDifference>
}

/** Tries a candidate on runs. */
export const all = Effect.fn("PackTrial.all")(function* (
  runs: ReadonlyArray<{ readonly run: Run.Run }>,
  candidate: Candidate
) {
  const tried = yield* Effect.forEach(runs, (each) => run(each.run, candidate))
  const decisions = tried.reduce((sum, { judged }) => sum + judged, 0)
  const trial: Trial = {
    totals: { runs: tried.length, decisions, ...totals(tried) },
    changes: tried.flatMap(({ changes }) => changes)
  }
  return trial
})

/** Counts changes by kind. */
export const totals = (tried: ReadonlyArray<Tried>): { readonly [K in TrialDifferenceKind]: number } => {
  const counts = { refused: 0, asked: 0, allowed: 0, recovered: 0, violated: 0, cleared: 0 }
  for (const { changes } of tried) for (const { kind } of changes) counts[kind]++
  return counts
}

/** Tries a candidate on a run. */
export const run = Effect.fn("PackTrial.run")(function* (run: Run.Run, candidate: Candidate) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head } = yield* history.info(run)
  const lineage = (yield* history.root(run)).id
  const line = yield* history.lineage(run)
  const { kernel = Kernel.standard, secret = "" } = candidate
  const words = yield* Lexicon.Lexicon
  const other = folding(candidate, kernel)
  const changes: Array<Unworded> = []
  const outcomes: Array<TrialOutcome> = []
  let after = State.empty
  let judged = 0
  // Further transitions of a decision are no decisions of their own.
  let rest = 0

  const judge = (transition: Transition, before: State.State, own: TaskPack.TaskPack | undefined): void => {
    const { body, stamp, tick } = transition
    // A decision to read again later settles nothing under either pack.
    if (RecordedCommand.isAnnotation(body) || Payload.of(body, "recovery.decided")?.awaits === true) return
    // A fork may leave its parent inside a commit.
    if (body.type === "run.fork") rest = 0
    if (rest > 0) return void rest--
    // Recorded answers of another framework were not decided here.
    if (body.result?.basis === "recorded") return
    const command = RecordedCommand.of(transition)
    if (command === undefined || !isJudged(command)) return
    const terms = {
      run: Run.make(Descent.owner(line, tick) ?? run.id, run.tenant),
      lineage,
      now: stamp.asOf,
      tick,
      secret
    }
    const recorded = Interpreter.rehearse(Kernel.standard, { ...terms, pack: own }, before, command)
    if (recorded.drafts[0]?.body.type === body.type) rest = recorded.drafts.length - 1
    const tried = Interpreter.rehearse(kernel, { ...terms, pack: other.packAt(after, tick) ?? own }, after, command)
    judged++
    const [was, is] = compared(verdictOf(recorded), verdictOf(tried))
    const action = body.action?.id ?? null
    if (command._tag !== "Propose") {
      outcomes.push({ action: `${run.id}/${action ?? tick}`, before: was.decision, after: is.decision })
    }
    if (isSame(was.decision, is.decision)) return
    const about = Payload.of(body, "intent.refused") ?? Payload.of(body, "policy.decision")
    const tool = body.action?.tool ?? about?.tool ?? Fold.toolOf(before, transition)
    changes.push({
      run: run.id,
      tick,
      kind: command._tag === "Propose" ? is.kind : "recovered",
      action,
      tool: typeof tool === "string" ? tool : null,
      was: was.decision,
      is: is.decision
    })
  }

  const start = { head: HashChain.genesis({ tenant: run.tenant, id: lineage }), state: State.empty, asOf: 0 }
  const end = yield* history.walk(run, {
    from: start,
    to: head.tick,
    visit: (state, transition, before) => {
      if (transition.tick > 1) judge(transition, before, library.packAt(before, transition.tick))
      after = other.evolve(after, transition, state)
      return undefined
    }
  })
  changes.push(...other.untaken(run), ...latched(run, end.state, after))
  const tried: Tried = {
    run: run.id,
    judged,
    outcomes,
    changes: changes.map((each) => ({
      ...each,
      before: Wording.decision(each.was, words),
      after: Wording.decision(each.is, words)
    }))
  }
  return tried
})

/** A change whose words are not looked up yet. */
type Unworded = Omit<TrialDifference, "after" | "before">

const isSame = (was: ShortDecision, is: ShortDecision): boolean => JSON.stringify(was) === JSON.stringify(is)

/** The fold under the candidate, over the sections in which the run began. */
const folding = ({ pack }: Candidate, kernel: Kernel.Kernel) => {
  const nothing: ReadonlyArray<Unworded> = []
  if (pack === undefined) {
    return {
      evolve: (_: State.State, __: Transition, state: State.State) => state,
      packAt: () => undefined,
      untaken: () => nothing
    }
  }
  const { extended, refused } = extending(pack)
  let initial: Rules.Sections = PackRules.of(pack).initial
  const { earlier, parts } = kernel
  const sources: Fold.Sources = {
    rules: (_, extensions) => PackRules.of(extended(extensions)),
    initial: () => initial
  }
  const fold = Fold.make({ earlier, parts, sources })
  return {
    evolve: (before: State.State, transition: Transition, state: State.State): State.State => {
      if (transition.tick === 1) {
        initial = { world: { ...initial.world, ...state.world }, working: { ...initial.working, ...state.working } }
      }
      return fold.evolve(before, transition)
    },
    packAt: (state: State.State, tick: number): TaskPack.TaskPack =>
      extended(PackInForce.bindingAt(PackInForce.of(state), tick)),
    untaken: (run: Run.Run): ReadonlyArray<Unworded> =>
      [...refused].map(([{ effective_from_tick: tick }, { message }]) => ({
        run: run.id,
        tick: Number(tick),
        kind: "refused",
        action: null,
        tool: null,
        was: { code: "extended" },
        is: { code: "not_extended", message }
      }))
  }
}

/** The candidate with the committed extensions that it accepts, and those that it does not. */
const extending = (pack: TaskPack.TaskPack) => {
  const known = new Map<JsonObject, TaskPack.TaskPack>()
  const refused = new Map<JsonObject, PackExtension.ExtensionRefused>()
  const extended = (extensions: ReadonlyArray<JsonObject>): TaskPack.TaskPack =>
    extensions.reduce((taken, extension) => {
      const found = known.get(extension)
      if (found !== undefined) return found
      const next = PackExtension.added(taken, extension)
      if (Result.isFailure(next)) refused.set(extension, next.failure)
      known.set(
        extension,
        Result.getOrElse(next, () => taken)
      )
      return known.get(extension)!
    }, pack)
  return { extended, refused }
}

/** Proposals of tools, and the evidence about them. */
const isJudged = (command: Command): boolean =>
  command._tag === "ReadBack" ||
  command._tag === "ReadInside" ||
  command._tag === "Answered" ||
  (command._tag === "Propose" && command.proposal.tool !== undefined)

const steps = {
  Call: "allowed",
  Open: "allowed",
  ReadInside: "reads_inside",
  Ask: "asks_record",
  ReadBack: "reads_back",
  ReadBefore: "allowed",
  ReadOriginal: "asks_record",
  Compensate: "undoes",
  Complete: "completes",
  Wait: "waits",
  Await: "awaits_run",
  Again: "learns_of_run",
  Look: "looks_at_trace"
} as const

const concludes = { commit: "commits", roll_back: "rolls_back" } as const

/** A decision in short form, and whether it refuses, asks a person or allows. */
interface Verdict {
  readonly kind: "refused" | "asked" | "allowed"
  readonly decision: ShortDecision
}

/**
 * Two decisions that ask people differ if they ask different roles. For an approval that was given, the asked roles
 * are unknown, and so they are not compared.
 */
const compared = (was: Verdict, is: Verdict): readonly [Verdict, Verdict] => {
  const [before, after] = [needsOf(was), needsOf(is)]
  const isDifferent = before !== undefined && after !== undefined && before.join() !== after.join()
  return isDifferent ? [was, is] : [unnamed(was), unnamed(is)]
}

const needsOf = ({ decision }: Verdict): ReadonlyArray<string> | undefined =>
  decision.code === "approval" ? decision.needs : undefined

const unnamed = (verdict: Verdict): Verdict =>
  verdict.decision.code === "approval" ? { ...verdict, decision: { code: "approval" } } : verdict

const verdictOf = ({ next, content }: Decided): Verdict => {
  if (next._tag !== "End") {
    if (isAsked(content)) return { kind: "asked", decision: { code: "approval" } }
    return { kind: "allowed", decision: { code: next._tag === "Conclude" ? concludes[next.how] : steps[next._tag] } }
  }
  const { outcome } = next
  switch (outcome._tag) {
    case "Refused": {
      const checks = Check.failing(outcome.checks).map(({ id }) => id)
      return { kind: "refused", decision: { code: "refused", checks } }
    }
    case "Parked":
      return { kind: "asked", decision: { code: "approval", needs: outcome.needs.toSorted() } }
    case "Held": {
      const decided = CommitContent.recovered(content)
      const { decision: recovery, discrepancy } = decided ?? {}
      const how = { ...(discrepancy && { discrepancy }), ...(recovery && { recovery }) }
      return { kind: "refused", decision: { code: "held", ...how } }
    }
    case "Failed":
      return { kind: "refused", decision: { code: "failed" } }
    case "Done": {
      const { adopted, basis } = outcome
      return { kind: "allowed", decision: adopted === undefined ? { code: "done", basis } : { code: "adopted" } }
    }
  }
}

/** Tells whether a person approved it, or should have been asked when somebody broke the glass. */
const isAsked = ({ requested }: CommitContent.CommitContent): boolean =>
  requested?.data?.approval !== undefined || requested?.data?.breakGlass !== undefined

/** Violations that hold under only one of the two packs, or from another tick on. */
const latched = (run: Run.Run, own: State.State, other: State.State): ReadonlyArray<Unworded> => {
  const [was, is] = [Latch.of(own), Latch.of(other)]
  const decisionOf = (predicate: string, since: number | undefined): ShortDecision =>
    since === undefined ? { code: "violated", predicate } : { code: "violated", predicate, since }
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].sort().flatMap((id): ReadonlyArray<Unworded> => {
    const [before, after] = [was[id], is[id]]
    if (before === after) return []
    const about = { run: run.id, action: null, tool: null, was: decisionOf(id, before), is: decisionOf(id, after) }
    return [
      after === undefined ? { ...about, kind: "cleared", tick: before! } : { ...about, kind: "violated", tick: after }
    ]
  })
}
