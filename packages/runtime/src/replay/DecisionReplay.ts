/**
 * Decides a run again: did the kernel commit what the contract demanded?
 *
 * Strict replay proves the arithmetic: the same transitions give the same
 * states. This proves obedience: in the state before each decision, under the
 * contract in force, the pure kernel decides the same. A proposal is read back
 * from what was committed of it, and so is the evidence of the world.
 *
 * **Gotchas**
 *
 * Some decisions rest on what no trace of this run holds, as
 * `RecordedCommand.restsElsewhere` lists them: none of them settles anything. They
 * are counted as `unrecorded`, never as obeyed, and so are refusals over a key
 * where the tenant's secret is not given. Whatever else no command comes to differs.
 * What the world, people and agents said is taken as it stands: whoever chains a
 * trace again may leave out what was said, and nothing that followed of it. What was
 * decided under rules that have changed since is `older` where it rests on such a
 * change, and on that alone.
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

/** A decision that comes out otherwise. */
export interface Disobedience {
  readonly tick: number
  readonly committed: string
  readonly decided: string
}

/** A decision that was right under the rules of then, with the change by which it comes out otherwise now. */
export interface Older extends Disobedience {
  /** Version of the rules by which it was made. */
  readonly rules: number
  readonly change: string
}

/**
 * The secret with which decisions were made again: none, that of the run's keys, or another one, from which no key of
 * the run is derived. Under another one, decisions are compared as under none.
 */
export type Secret = "none" | "own" | "another"

/** The result of deciding a run again. Counts are of transitions. */
export interface Redecided {
  readonly run: string
  readonly secret: Secret
  /** Of a recording of another framework, or shared with one: nobody decided them here. */
  readonly recorded: number
  readonly obeyed: number
  readonly unrecorded: number
  readonly older: ReadonlyArray<Older>
  readonly differs: ReadonlyArray<Disobedience>
}

/**
 * Tells whether nothing of a run could be decided again, because all of it was recorded elsewhere: that nothing differs
 * proves nothing then.
 */
export const isUndecided = ({ differs, obeyed, older, recorded }: Redecided): boolean =>
  recorded > 0 && obeyed + older.length + differs.length === 0

/** Tells whether the kernel committed what the contract demanded, as far as that could be decided again. */
export const isObeyed = (redecided: Redecided): boolean => redecided.differs.length === 0 && !isUndecided(redecided)

/** Decides every recorded decision of a run again. */
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
    termsAt: ({ body, stamp, tick }, state) => ({
      // What a fork shares with its parent was decided as the parent's: approvals are bound to it.
      run: Run.make(Descent.owner(line, tick) ?? run.id, run.tenant),
      lineage,
      now: stamp.asOf,
      tick,
      secret: secret ?? "",
      pack: library.packAt(state, tick),
      turns: ActTurns.metBy(body)
    }),
    isKeyed: (body) => isKeyed(run.id, body)
  })
  const where = { lineage, recorded, to: head.tick }
  const judged = yield* judge(run, { judge: judgeWith(secret), ...where })
  // A run of which a secret derives no key was not decided with it: what it makes of the rest says nothing.
  const isOther = judged.keys.other > 0 && judged.keys.own === 0
  const again = isOther ? yield* judge(run, { judge: judgeWith(undefined), ...where }) : judged
  const given = secret === undefined ? "none" : "own"
  const answer: Redecided = { run: run.id, secret: isOther ? "another" : given, recorded, ...again.found }
  return answer
})

/** Walks the run, commit by commit. */
const judge = Effect.fnUntraced(function* (
  run: Run.Run,
  about: {
    readonly judge: Judge
    readonly lineage: Run.RunId
    /** The last tick of what was recorded elsewhere. */
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
      // A fork may leave its parent in the midst of what that committed together.
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
 * The last tick of what was recorded elsewhere, as far as the first of the line wrote it. A run that says so and holds
 * what only a kernel decides is no recording, and is decided again from its first tick on.
 */
const recordedTo = Effect.fnUntraced(function* (run: Run.Run, line: Descent.Descent) {
  const history = yield* History.History
  const own = yield* history.transitions(run, { to: line.at(-2)?.left ?? Number.MAX_SAFE_INTEGER })
  const [first] = own
  const source = first === undefined ? undefined : Payload.of(first.body, "run.started")?.source
  return source !== undefined && own.every(RecordedCommand.isOfRecording) ? own.length : 0
})

/** A transition with the states on both sides of it. */
interface Step {
  readonly before: State
  readonly transition: Transition
  readonly after: State
}

/** The sources of deciding again beside the trace. */
interface Judge {
  /** The states in which forks of the line were decided, by tick. */
  readonly forks: ReadonlyMap<number, ForkOrigin.ForkOrigin>
  readonly kernel: Kernel.Kernel
  readonly secret: string | undefined
  readonly termsAt: (transition: Transition, state: State) => DecisionTerms
  readonly isKeyed: (body: Body) => boolean
}

/** Decides commit after commit again: each is decisions, whole and in order, with what it reports of them by itself. */
class Judging {
  readonly found = {
    obeyed: 0,
    unrecorded: 0,
    older: [] as Older[],
    differs: [] as Disobedience[]
  }
  /** Keys that came out again, and those that another one came out for. */
  readonly keys = { own: 0, other: 0 }
  readonly #judge: Judge
  readonly #histories = new Map<string, ActionHistory.ActionHistory>()
  readonly #requests = new Map<string, RecordedRequest.RecordedRequest>()
  readonly #committed = new Set<string>()
  /** The drafts that have to follow of the decision under way, and the reports that have to come before them. */
  #awaited: Awaited | undefined
  #reports: Array<Draft> = []
  #isBlind = false

  constructor(judge: Judge) {
    this.#judge = judge
  }

  /** Takes a commit: what was decided and is not in it is missing. */
  whole(steps: ReadonlyArray<Step>): void {
    this.#take(steps)
    const tick = (steps.at(-1)?.transition.tick ?? 0) + 1
    for (const missing of [...this.#reports, ...(this.#awaited?.drafts ?? [])]) {
      this.found.differs.push({ tick, committed: "nothing", decided: this.#comparable(missing) })
    }
    this.#reset()
  }

  /** Takes as much of a commit as is there. */
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
      for (const commitment of SealedValue.commitments(transition.body)) this.#committed.add(commitment)
    }
  }

  /** Tells whether a transition is what the commit had to report next; each report that was left out is missing. */
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
    this.#follows(step.transition.stamp.key, first?.stamp.key)
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

  #follows(committed: string | undefined, decided: string | undefined): void {
    if (this.#judge.secret === undefined || committed === undefined || decided === undefined) return
    this.keys[committed === decided ? "own" : "other"]++
  }

  /** A transition behind the first of a decision may say what was met of other runs before all of it was decided. */
  #meeting(body: Body): Awaited | undefined {
    const awaited = this.#awaited
    const turns = awaited && ActTurns.metBy(body)
    return awaited === undefined || turns === undefined
      ? awaited
      : this.#coming({ ...awaited, terms: { ...awaited.terms, turns } }, awaited.from)
  }

  /** The decision that a transition begins: on what was asked, or on what the kernel does of its own accord. */
  #decided(step: Step, behind: ReadonlyArray<Transition>): Awaited | "elsewhere" {
    const { before: state, transition } = step
    const { body } = transition
    const { forks, isKeyed, kernel, secret, termsAt } = this.#judge
    const fork = forks.get(transition.tick)
    if (fork !== undefined) return this.#coming(fork)
    const isKept = secret !== undefined || !isKeyed(body)
    // Who does not have a type of an embedder cannot say whether it was rightly let in.
    const isUnknown = Vocabulary.isUnknown(kernel.vocabularies ?? [], body.type)
    if (!isKept || isUnknown) return this.#elsewhere()
    const recorded = RecordedCommand.of(transition, behind)
    const asked = recorded === undefined ? [] : [this.#informed(recorded)]
    const terms = termsAt(transition, state)
    const committed = this.#comparable(transition)
    let first: Awaited | undefined
    for (const command of [...asked, ...RecordedCommand.unasked(transition, behind)]) {
      const coming = this.#keyed(this.#coming({ terms, state, command }), [transition, ...behind])
      const [draft] = coming.drafts
      if (draft !== undefined && this.#comparable(draft) === committed) return coming
      first ??= recorded === undefined ? { ...coming, drafts: [] } : coming
    }
    // Who is asked belongs to the decision before it, which nobody could make again.
    const isAsked = this.#isBlind && body.type === "review.requested"
    if (isAsked || RecordedCommand.restsElsewhere(transition)) return this.#elsewhere()
    return first ?? { terms, state, command: { _tag: "Compensate" }, drafts: [], from: 0 }
  }

  #elsewhere(): "elsewhere" {
    this.#isBlind = true
    return "elsewhere"
  }

  /** The decision under the generation of its key that was begun: those below have failed for good in other runs. */
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
    return {
      ...about,
      drafts: Interpreter.rehearse(this.#judge.kernel, terms, state, command).drafts.slice(from),
      from
    }
  }

  #informed(command: Command): Command {
    return informed(sent(this.#requests, citing(command, this.#requests, this.#committed)), this.#histories)
  }

  /** As a text: what was decided, with what it takes, and without what it takes a secret to know. */
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

const hasKey = (drafts: ReadonlyArray<Draft>, key: string): boolean => drafts.some(({ stamp }) => stamp.key === key)

/** Checks that an observation cites, and an erasure names, an action that is in the trace by then. */
const citing = (command: Command, requests: ReadonlyMap<string, unknown>, committed: ReadonlySet<string>): Command => {
  if (command._tag !== "Propose") return command
  const erased = Payload.of(command.proposal, "sealed.erased")
  const cites = Payload.of(command.proposal, "observation.add")?.cites ?? ""
  return { ...command, cited: erased?.values.every((value) => committed.has(value)) ?? requests.has(cites) }
}

/** The drafts of a decision that have not been seen committed yet. */
interface Awaited extends Pick<DecisionRules.Judged, "terms" | "state" | "command"> {
  readonly drafts: ReadonlyArray<Draft>
  /** Drafts of the same decision that came before these. */
  readonly from: number
}

const follow = (requests: Map<string, RecordedRequest.RecordedRequest>, transition: Transition): void => {
  const { action } = transition.body
  const own = action === undefined ? undefined : RecordedRequest.follow(requests.get(action.id), transition)
  if (own !== undefined) requests.set(own.action, own)
}

/** The request of an action is in other transitions than what was asked about it before it was undone. */
const sent = (requests: ReadonlyMap<string, RecordedRequest.RecordedRequest>, command: Command): Command => {
  const own = command._tag === "Compensate" ? requests.get(command.original?.action ?? "") : undefined
  if (command._tag !== "Compensate" || command.original === undefined || own === undefined) return command
  return { ...command, original: { ...command.original, ...own } }
}

const emptyState: State = { world: {}, working: {}, kernel: {} }

/** A message was held against how the actions stood that it reports. */
const informed = (command: Command, histories: ActionHistories.ActionHistories): Command =>
  command._tag === "Propose" && MessageReport.isMessage(command.proposal)
    ? { ...command, standings: MessageReport.standings(histories, command.proposal.data ?? {}) }
    : command

/** Tells whether a body was decided by a key of this run, which only a holder of the secret can derive again. */
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

/** A payload without what repetition adds (how often the same was refused) and names that keys are needed for. */
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
