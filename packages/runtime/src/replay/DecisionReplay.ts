/**
 * Makes the decisions of a run again, to check that the kernel committed what the pack demanded.
 *
 * Strict replay checks the fold: the same transitions give the same states. This module checks the decisions: in the
 * state before each decision, under the pack in force, the pure kernel decides the same. Proposals and evidence
 * are read back from what was committed.
 *
 * **Gotchas**
 *
 * Some decisions depend on facts that no trace of this run holds, as `RecordedCommand.restsElsewhere` lists; none of
 * them settles anything. They are counted as `unrecorded`, never as obeyed. Without the tenant's secret, refusals
 * because of a key are counted as `unrecorded`, too. Every other transition that no command leads to counts as a
 * difference. A decision under rules that have changed since is `older`, if that change alone explains the difference.
 *
 * Statements of the world, of people and of agents are taken as they were committed. Somebody who rewrites the chain
 * can leave out a statement, but what followed from it is then a difference.
 */

import * as ActTurns from "@backstitch/kernel/ActTurns"
import * as Check from "@backstitch/kernel/Check"
import type { Command } from "@backstitch/kernel/Command"
import * as Commit from "@backstitch/kernel/Commit"
import * as DecisionRules from "@backstitch/kernel/DecisionRules"
import type { DecisionTerms } from "@backstitch/kernel/DecisionTerms"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as KernelLimits from "@backstitch/kernel/Limits"
import * as Payload from "@backstitch/kernel/Payload"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import * as MessageReport from "@backstitch/reconciliation/MessageReport"
import type { State } from "@backstitch/reducer/State"
import * as Alarms from "@backstitch/topology/Alarms"
import * as Canonical from "@backstitch/trace/Canonical"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as SealedValue from "@backstitch/trace/SealedValue"
import type { Body, Draft, Transition } from "@backstitch/trace/Transition"
import * as Vocabulary from "@backstitch/trace/Vocabulary"
import * as Descent from "@backstitch/version-control/Descent"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as ForkOrigin from "./ForkOrigin.ts"
import * as RecordedCommand from "./RecordedCommand.ts"
import { RevisionReplay } from "./RevisionReplay.ts"
import { SubtaskReplay } from "./SubtaskReplay.ts"

/** A decision that comes out differently. */
export interface Disobedience {
  readonly tick: number
  readonly committed: string
  readonly decided: string
}

/** A decision that was right under the rules of its time, with the change because of which it differs now. */
export interface Older extends Disobedience {
  /** Version of the rules under which it was made. */
  readonly rules: number
  readonly change: string
}

/**
 * The secret with which decisions were made again: none, the secret of the run's keys, or another one, from which no
 * key of the run is derived. With another secret, decisions are compared as without one.
 *
 * **Gotchas**
 *
 * Keys of a run that were altered, every one of them, look like keys of another secret: {@link Underived} says how many
 * there are.
 */
export type Secret = "none" | "own" | "another"

/** The keys of a run of which the given secret derives none: their number, and the tick of the first. */
export interface Underived {
  readonly keys: number
  readonly tick: number
}

/** The result of making the decisions of a run again. Counts are of transitions. */
export interface Redecided {
  readonly run: string
  readonly secret: Secret
  /** With another secret, the keys that it would have to derive, if the decisions were made again with it. */
  readonly underived?: Underived | undefined
  /** Transitions recorded by another framework, or shared with such a run. No decision was made on them here. */
  readonly recorded: number
  readonly obeyed: number
  readonly unrecorded: number
  readonly older: ReadonlyArray<Older>
  readonly differs: ReadonlyArray<Disobedience>
}

/**
 * Tells whether no decision of a run could be made again, because all of it was recorded elsewhere. Then the absence
 * of differences proves nothing.
 */
export const isUndecided = ({ differs, obeyed, older, recorded }: Redecided): boolean =>
  recorded > 0 && obeyed + older.length + differs.length === 0

/** Tells whether the kernel committed what the pack demanded, as far as decisions could be made again. */
export const isObeyed = (redecided: Redecided): boolean => redecided.differs.length === 0 && !isUndecided(redecided)

/** Makes every recorded decision of a run again. */
export const redecide = Effect.fn("DecisionReplay.redecide")(function* (
  run: Run.Run,
  options: { readonly secret?: string | undefined; readonly kernel?: Kernel.Kernel | undefined } = {}
) {
  const { kernel = Kernel.standard, secret } = options
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head } = yield* history.info(run)
  const lineage = (yield* history.root(run)).id
  const line = yield* history.lineage(run)
  const recorded = yield* recordedTo(run, line)
  const forks = yield* ForkOrigin.all(run)
  const judgeWith = (secret: string | undefined): Judge => ({
    forks,
    kernel,
    secret,
    termsAt: ({ stamp, tick }, state) => ({
      // Shared history of a fork was decided as the parent's, and approvals are bound to that run.
      run: Run.make(Descent.owner(line, tick) ?? run.id, run.tenant),
      lineage,
      now: stamp.asOf,
      tick,
      secret: secret ?? "",
      pack: library.packAt(state, tick)
    }),
    isKeyed: (body) => isKeyed(run.id, body)
  })
  const where = { lineage, recorded, to: head.tick }
  const judged = yield* judge(run, { judge: judgeWith(secret), ...where })
  // A secret that derives no key of the run is not the run's secret, so its other results say nothing.
  const isOther = judged.keys.other > 0 && judged.keys.own === 0
  const again = isOther ? yield* judge(run, { judge: judgeWith(undefined), ...where }) : judged
  const given = secret === undefined ? "none" : "own"
  const about = isOther
    ? { secret: "another" as const, underived: { keys: judged.keys.other, tick: judged.keys.first } }
    : { secret: given as Secret }
  const answer: Redecided = { run: run.id, ...about, recorded, ...again.found }
  return answer
})

/** Goes through the run, commit by commit. */
const judge = Effect.fnUntraced(function* (
  run: Run.Run,
  about: {
    readonly judge: Judge
    readonly lineage: Run.RunId
    /** The last tick of the recording. */
    readonly recorded: number
    readonly to: number
  }
) {
  const history = yield* History.History
  const judging = new Judging(about.judge)
  const commit: Array<Step> = []
  const start = { head: HashChain.genesis({ tenant: run.tenant, id: about.lineage }), state: emptyState, asOf: 0 }
  yield* history.walk(run, {
    from: start,
    to: about.to,
    visit: (after, transition, before) => {
      if (transition.tick <= about.recorded) return undefined
      // A fork may leave its parent inside a commit.
      if (transition.body.type === "run.fork") judging.cut(commit.splice(0))
      commit.push({ before, transition, after })
      if (transition.stamp.state !== undefined) judging.whole(commit.splice(0))
      return undefined
    }
  })
  judging.cut(commit)
  return judging
})

/**
 * The last tick of a recording, as far as the first run of the lineage wrote it. A run that claims to be a recording
 * and holds transitions that only a kernel decides is none, and its decisions are made again from its first tick.
 */
const recordedTo = Effect.fnUntraced(function* (run: Run.Run, line: Descent.Descent) {
  const history = yield* History.History
  const own = yield* history.transitions(run, { to: line.at(-2)?.left ?? Number.MAX_SAFE_INTEGER })
  const [first] = own
  const source = first === undefined ? undefined : Payload.of(first.body, "run.started")?.source
  return source !== undefined && own.every(RecordedCommand.isOfRecording) ? own.length : 0
})

/** A transition with the states before and after it. */
interface Step {
  readonly before: State
  readonly transition: Transition
  readonly after: State
}

/** Inputs for making decisions again, beside the trace. */
interface Judge {
  /** The states in which the forks of the lineage were decided, by tick. */
  readonly forks: ReadonlyMap<number, ForkOrigin.ForkOrigin>
  readonly kernel: Kernel.Kernel
  readonly secret: string | undefined
  readonly termsAt: (transition: Transition, state: State) => DecisionTerms
  readonly isKeyed: (body: Body) => boolean
}

/**
 * Makes the decisions of one commit after another again. A commit consists of whole decisions in order, each with its
 * own reports.
 */
class Judging {
  readonly found = {
    obeyed: 0,
    unrecorded: 0,
    older: [] as Older[],
    differs: [] as Disobedience[]
  }
  /** Keys that were derived again, and keys for which another one was derived, with the tick of the first of these. */
  readonly keys = { own: 0, other: 0, first: 0 }
  readonly #judge: Judge
  readonly #histories = new Map<string, ActionHistory.ActionHistory>()
  readonly #requests = new Map<string, RecordedRequest.RecordedRequest>()
  readonly #committed = new Set<string>()
  readonly #subtasks = new SubtaskReplay()
  readonly #revisions = new RevisionReplay()
  #alarms = Alarms.unjudged
  /** The drafts of the present decision that have to follow, and the reports that have to come before them. */
  #awaited: Awaited | undefined
  #reports: Array<Draft> = []
  #isBlind = false

  constructor(judge: Judge) {
    this.#judge = judge
  }

  /** Takes a whole commit. A decided draft that it does not contain is missing. */
  whole(steps: ReadonlyArray<Step>): void {
    this.#take(steps)
    const tick = (steps.at(-1)?.transition.tick ?? 0) + 1
    for (const missing of [...this.#reports, ...(this.#awaited?.drafts ?? [])]) {
      this.found.differs.push({ tick, committed: "nothing", decided: this.#comparable(missing) })
    }
    this.#reset()
  }

  /** Takes the present part of an incomplete commit. */
  cut(steps: ReadonlyArray<Step>): void {
    this.#take(steps)
    this.#reset()
  }

  #reset(): void {
    this.#awaited = undefined
    this.#reports = []
    this.#isBlind = false
  }

  #take(steps: ReadonlyArray<Step>): void {
    for (const [index, step] of steps.entries()) {
      const { after, before, transition } = step
      follow(this.#requests, transition)
      const behind = steps.slice(index + 1).map((each) => each.transition)
      if (!this.#isReported(transition)) this.#decide(step, behind)
      this.#reports.unshift(...Commit.reports(before, after, transition))
      ActionHistories.follow(this.#histories, [transition])
      const packAfter = () => this.#judge.termsAt({ ...transition, tick: transition.tick + 1 }, after).pack
      this.#subtasks.follow(step, packAfter)
      this.#revisions.follow(step, packAfter)
      this.#alarms = Alarms.take(this.#alarms, transition, packAfter()?.topology)
      for (const commitment of SealedValue.commitments(transition.body)) this.#committed.add(commitment)
    }
  }

  /**
   * Tells whether a transition is the report that the commit had to make next. Each report that was left out is
   * missing.
   */
  #isReported(transition: Transition): boolean {
    for (let due = this.#reports.shift(); due !== undefined; due = this.#reports.shift()) {
      const texts = { committed: this.#comparable(transition), decided: this.#comparable(due) }
      const obeys = texts.committed === texts.decided
      if (obeys) this.found.obeyed++
      else this.found.differs.push({ tick: transition.tick, ...texts })
      if (obeys || due.body.type === transition.body.type) return true
    }
    return false
  }

  #decide(step: Step, behind: ReadonlyArray<Transition>): void {
    const { body, tick } = step.transition
    const { rules } = this.#judge.kernel
    const asked = this.#meeting(body) ?? this.#decided(step, behind)
    this.#awaited = undefined
    if (asked === "elsewhere") return void this.found.unrecorded++
    const { drafts, from, ...about } = asked
    const [first, ...rest] = drafts
    this.#follows(step.transition, first?.stamp.key)
    const committed = this.#comparable(step.transition)
    const texts = { committed, decided: first === undefined ? "nothing" : this.#comparable(first) }
    const obeys = committed === texts.decided
    const change = obeys
      ? undefined
      : DecisionRules.accountable(rules, { ...about, committed: body, decided: first?.body })
    if (obeys) this.found.obeyed++
    else if (change === undefined) this.found.differs.push({ tick, ...texts })
    else this.found.older.push({ tick, ...texts, change: change.id, rules: DecisionRules.of(about.state) })
    const goesOn = rest.length > 0 && first?.body.type === body.type
    this.#awaited = goesOn ? { ...about, drafts: rest, from: from + 1 } : undefined
  }

  #follows({ stamp: { key }, tick }: Transition, decided: string | undefined): void {
    if (this.#judge.secret === undefined || key === undefined || decided === undefined) return
    if (key === decided) {
      this.keys.own++
      return
    }
    if (this.keys.other++ === 0) this.keys.first = tick
  }

  /** A later transition of a decision may name facts of other runs that were met before the decision was complete. */
  #meeting(body: Body): Awaited | undefined {
    const awaited = this.#awaited
    const turns = awaited && ActTurns.metBy(body)
    return awaited === undefined || turns === undefined
      ? awaited
      : this.#coming({ ...awaited, terms: { ...awaited.terms, turns } }, awaited.from)
  }

  /** The decision that a transition begins: on a request, or on the kernel's own initiative. */
  #decided(step: Step, behind: ReadonlyArray<Transition>): Awaited | "elsewhere" {
    const { before: state, transition } = step
    const { body } = transition
    const { forks, isKeyed, kernel, secret, termsAt } = this.#judge
    const fork = forks.get(transition.tick)
    if (fork !== undefined) return this.#coming(fork)
    const isKept = secret !== undefined || !isKeyed(body)
    // Without an embedder's type, it cannot be judged whether it was rightly accepted.
    const isUnknown = Vocabulary.isUnknown(kernel.vocabularies ?? [], body.type)
    if (!isKept || isUnknown) return this.#elsewhere()
    const terms = { ...termsAt(transition, state), turns: ActTurns.metBy(undoing(transition, behind).body) }
    const agrees =
      this.#subtasks.agrees(transition, state) &&
      this.#revisions.agrees(transition, behind, state, terms) &&
      Alarms.agrees(this.#alarms, body)
    const recorded = agrees ? RecordedCommand.of(transition, behind) : undefined
    const asked = recorded === undefined ? [] : [this.#informed(recorded)]
    const committed = this.#comparable(transition)
    let first: Awaited | undefined
    for (const command of [...asked, ...RecordedCommand.unasked(transition, behind)]) {
      const coming = this.#keyed(this.#coming({ terms, state, command }), [transition, ...behind])
      const [draft] = coming.drafts
      if (draft !== undefined && this.#comparable(draft) === committed) return coming
      first ??= recorded === undefined ? { ...coming, drafts: [] } : coming
    }
    // A request for a review belongs to the decision before it, which could not be made again.
    const isAsked = this.#isBlind && body.type === "review.requested"
    if (isAsked || RecordedCommand.restsElsewhere(transition)) return this.#elsewhere()
    return first ?? { terms, state, command: { _tag: "Compensate" }, drafts: [], from: 0 }
  }

  #elsewhere(): "elsewhere" {
    this.#isBlind = true
    return "elsewhere"
  }

  /**
   * The decision under the generation of its key that was begun. Lower generations have failed for good in other
   * runs.
   */
  #keyed(coming: Awaited, [transition, ...behind]: readonly [Transition, ...ReadonlyArray<Transition>]): Awaited {
    const { command, drafts } = coming
    const isBegun = command._tag === "Propose" || command._tag === "Import" || command._tag === "Complete"
    const begun = [transition, ...behind].find(({ stamp }) => stamp.key !== undefined)?.stamp.key
    if (this.#judge.secret === undefined || !isBegun || begun === undefined || hasKey(drafts, begun)) return coming
    for (let generation = 1; generation <= KernelLimits.deciding.lessonsMax; generation++) {
      const next = this.#coming({ ...coming, command: { ...command, generation } })
      if (hasKey(next.drafts, begun)) return next
    }
    return coming
  }

  #coming(about: Pick<Awaited, "terms" | "state" | "command">, from = 0): Awaited {
    const { command, state, terms } = about
    const consumers = (scopes: ReadonlyArray<string>) => this.#subtasks.consumers(scopes)
    const { drafts } = Interpreter.rehearse(this.#judge.kernel, terms, state, command, consumers)
    return { ...about, drafts: drafts.slice(from), from }
  }

  #informed(command: Command): Command {
    return informed(sent(this.#requests, citing(command, this.#requests, this.#committed)), this.#histories)
  }

  /** The decision as a text: with its costs, and without the parts that need a secret. */
  #comparable({ body, stamp: { key, reserved, spent } }: Pick<Draft, "body" | "stamp">): string {
    const stamp = {
      ...(key === undefined || this.#judge.secret === undefined ? {} : { key }),
      ...(reserved === undefined ? {} : { reserved }),
      ...(spent === undefined ? {} : { spent })
    }
    const said = { ...body, data: compared(Payload.read(body)) }
    return Canonical.encode(Object.keys(stamp).length === 0 ? said : { ...said, stamp })
  }
}

/** The transition of a decision that may undo acts: an absorption is followed by the request for its undoing. */
const undoing = (transition: Transition, [next]: ReadonlyArray<Transition>): Transition =>
  transition.body.type === "revision.absorbed" ? (next ?? transition) : transition

const hasKey = (drafts: ReadonlyArray<Draft>, key: string): boolean => drafts.some(({ stamp }) => stamp.key === key)

/** Checks that the trace has, by then, the action that an observation cites or the values that an erasure names. */
const citing = (command: Command, requests: ReadonlyMap<string, unknown>, committed: ReadonlySet<string>): Command => {
  if (command._tag !== "Propose") return command
  const erased = Payload.of(command.proposal, "sealed.erased")
  const cites = Payload.of(command.proposal, "observation.add")?.cites ?? ""
  return { ...command, cited: erased?.values.every((value) => committed.has(value)) ?? requests.has(cites) }
}

/** The drafts of a decision that were not yet seen in the trace. */
interface Awaited extends Pick<DecisionRules.ChangedDecision, "terms" | "state" | "command"> {
  readonly drafts: ReadonlyArray<Draft>
  /** The number of drafts of the same decision before these. */
  readonly from: number
}

const follow = (requests: Map<string, RecordedRequest.RecordedRequest>, transition: Transition): void => {
  const { action } = transition.body
  const own = action === undefined ? undefined : RecordedRequest.follow(requests.get(action.id), transition)
  if (own !== undefined) requests.set(own.action, own)
}

/** The request of an action is in other transitions than the question about it before it was undone. */
const sent = (requests: ReadonlyMap<string, RecordedRequest.RecordedRequest>, command: Command): Command => {
  const own = command._tag === "Compensate" ? requests.get(command.original?.action ?? "") : undefined
  if (command._tag !== "Compensate" || command.original === undefined || own === undefined) return command
  return { ...command, original: { ...command.original, ...own } }
}

const emptyState: State = { world: {}, working: {}, kernel: {} }

/** A message was checked against the standings of the actions that it reports. */
const informed = (command: Command, histories: ActionHistories.ActionHistories): Command =>
  command._tag === "Propose" && MessageReport.isMessage(command.proposal)
    ? { ...command, standings: MessageReport.standings(histories, command.proposal.data ?? {}) }
    : command

/** Tells whether a body depends on a key of this run, which only a holder of the secret can derive again. */
const isKeyed = (run: string, body: Body): boolean => {
  const own = Payload.read(body)
  switch (own.type) {
    case "intent.refused":
      return Check.isBy(own.data?.checks ?? [], "key")
    case "policy.decision":
      return own.policy?.checks.includes("key") === true
    case "intent.adopted":
      return own.data.by === "key"
    case "run.cherrypick":
      return own.data.adopted?.run === run
    default:
      return false
  }
}

/** A payload without the counts of repetitions, and without names for which keys are needed. */
const compared = (body: Payload.Body): Canonical.JsonObject => {
  switch (body.type) {
    case "action.request":
    case "recovery.decided": {
      const { turns, ...data } = body.data ?? {}
      if (turns === undefined) return data
      return { ...data, turns: Object.fromEntries(Object.entries(turns).map(([id, { ordinal }]) => [id, ordinal])) }
    }
    case "intent.adopted":
    case "intent.refused":
    case "kernel.anomaly":
    case "policy.decision": {
      const { count: _, ...data } = body.data ?? {}
      return data
    }
    default:
      return body.data ?? {}
  }
}
