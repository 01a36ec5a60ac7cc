/**
 * Writes one run from this process: decides its commands, one at a time and in the order in which they arrive, and
 * makes what they come to durable, again and again while another process is faster.
 *
 * @since 0.1.0
 */
import * as Claimed from "@backstitch/kernel/Claimed"
import type { Command } from "@backstitch/kernel/Command"
import * as Commit from "@backstitch/kernel/Commit"
import type { Decision } from "@backstitch/kernel/Decision"
import * as DecisionRules from "@backstitch/kernel/DecisionRules"
import * as Holder from "@backstitch/kernel/Holder"
import * as Import from "@backstitch/kernel/Import"
import * as Learnt from "@backstitch/kernel/Learnt"
import type { Terms } from "@backstitch/kernel/Terms"
import type * as Turns from "@backstitch/kernel/Turns"
import type { State } from "@backstitch/reducer/State"
import type * as Claims from "@backstitch/trace/Claims"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import type { Draft, Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Checkpointing from "../Checkpointing.ts"
import * as FaultPoint from "../FaultPoint.ts"
import * as Meters from "../Meters.ts"
import type { Options } from "../RunHandle.ts"
import * as Tracing from "../Tracing.ts"
import { actionOf, contextOf, standingAt } from "./decided.ts"
import { inherited } from "./inherited.ts"
import * as Moving from "./moving.ts"
import { patiently } from "./patiently.ts"
import { makeRepeats, type Repeated, together } from "./repetition.ts"
import { isSeededWith } from "./seeded.ts"
import * as SteadyTime from "./steadyTime.ts"
import { isWaiting, parked } from "./undoing.ts"

/** The action that a proposal became, as its id stands now. */
export interface Ticket extends Tracing.Traced {
  /** What the proposal came to while another process was faster. A call that is under way decides nothing more. */
  ended?: Decision
  /** What was learnt of it before it had to wait for what another run has under way. */
  learnt?: Learnt.Learnt
}

/**
 * What is decided and not yet durable: a read, whose action gets another id if another process was faster, or what
 * repeats, which has a name and stays what it was.
 */
interface Staged {
  readonly ticket: Ticket
  readonly command: Command
  readonly drafts: ReadonlyArray<Draft>
  readonly repeats?: string | undefined
}

/** A name that is held elsewhere ends a command, or teaches something with which it is decided again. */
type Met =
  | { readonly _tag: "Ended"; readonly decision: Decision }
  | { readonly _tag: "Learnt"; readonly more: Learnt.Learnt }

const conflictsMax = 50

const same = (draft: Draft): Draft => draft

/**
 * What begins an effect names who wrote it. Two processes that decide the same in the same millisecond would commit the
 * same bytes otherwise: the store would take the second commit for the first one repeated, and both would send.
 */
const ownDraft =
  (writer: string) =>
  (draft: Draft): Draft =>
    draft.body.type === "action.started" ? { ...draft, envelope: { ...draft.envelope, writer } } : draft

/** Opens a writer at a position. Closing the scope keeps a snapshot, so that the next process begins where it ends. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const {
    checkpoint: dial,
    kernel,
    run,
    secret,
    services: { history, library, store }
  } = options
  const { fold } = history
  const lineage = (yield* history.root(run)).id
  const lock = yield* Semaphore.make(1)
  const meters = yield* Meters.Meters
  const repeats = makeRepeats()
  const moves = Moving.make(run, history)
  let committed = options.at
  let tip = options.at.state
  let staged: ReadonlyArray<Staged> = []
  const own = ownDraft((yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)).toString(36))
  const { leaps, now } = SteadyTime.make(() => committed.asOf)
  const checkpoints = yield* Checkpointing.make({ run, dial, history, library, at: () => committed })

  const waiting = (): ReadonlyArray<Draft> => staged.flatMap(({ drafts }) => drafts)

  const termsNow = Effect.flatMap(now, (clock) =>
    library.folding((): Terms => {
      const tick = committed.head.tick + waiting().length + 1
      return { run, lineage, now: clock, tick, secret, pack: library.packAt(tip, tick), leaps: leaps() }
    })
  )

  const decide = (command: Command, { ended, tracing }: Ticket, turns?: Turns.Met) =>
    Effect.flatMap(termsNow, (now) =>
      library.folding(() => {
        const terms: Terms = { ...now, turns }
        // What it came to while another process was faster is staged already.
        if (ended !== undefined) return { terms, decision: { ...ended, drafts: [] } }
        return { terms, decision: Tracing.named(tracing, kernel.decide(terms, tip, command)) }
      })
    )

  const assemble = (more: ReadonlyArray<Draft>) =>
    library.folding(() => Commit.assemble(fold, { run, at: committed, drafts: [...waiting(), ...more] }))

  const append = Effect.fnUntraced(function* (commit: Commit.Commit, parent?: TraceStore.Parent) {
    yield* FaultPoint.at("append/before")
    const { claims, sealed: transitions } = commit
    yield* patiently(store.append({ run, expected: committed.head, transitions, claims, parent }))
    const before = committed.state
    committed = commit.position
    tip = committed.state
    staged = []
    if (meters !== undefined) yield* Effect.ignore(counted(meters, before, commit.transitions))
    yield* FaultPoint.at("append/committed")
    yield* checkpoints.committed
  })

  const counted = Effect.fnUntraced(function* (
    { count }: Meters.Counting,
    before: State,
    transitions: ReadonlyArray<Transition>
  ) {
    const pack = yield* library.folding(() => library.packAt(before, committed.head.tick))
    yield* count({ run, before, pack, transitions, read: (from) => history.transitions(run, { from }) })
  })

  /** Another process was faster: take in its tail, and decide again what was staged. */
  const catchUp = Effect.gen(function* () {
    const info = yield* history.info(run)
    committed = yield* history.walk(run, { from: committed, to: info.head.tick, visit: () => undefined })
    tip = committed.state
    const again = staged
    staged = []
    for (const each of again) {
      if (each.repeats !== undefined) {
        yield* hold(each)
        continue
      }
      const { decision } = yield* decide(each.command, each.ticket)
      if (decision.flush === "now") each.ticket.ended = decision
      yield* stage(each.ticket, each.command, decision)
    }
  })

  /** What is staged becomes durable. What others did meanwhile may leave nothing of it. */
  const flush = Effect.gen(function* () {
    for (let attempt = 0; staged.length > 0; attempt++) {
      const answer = yield* Effect.result(Effect.flatMap(assemble([]), (commit) => append(commit)))
      if (answer._tag === "Success") return
      if (answer.failure._tag !== "TickConflict" || attempt >= conflictsMax) return yield* Effect.fail(answer.failure)
      yield* catchUp
    }
  })

  const hold = Effect.fnUntraced(function* (each: Staged) {
    staged = [...staged, each]
    tip = (yield* assemble([])).position.state
  })

  const stage = Effect.fnUntraced(function* (ticket: Ticket, command: Command, decision: Decision) {
    ticket.action = actionOf(decision) ?? ticket.action
    if (decision.drafts.length > 0) yield* hold({ ticket, command, drafts: decision.drafts })
  })

  /** What repeats is counted where it waits, so that the next decision knows what it took. */
  const repeat = Effect.fnUntraced(function* (
    each: Omit<Staged, "drafts">,
    decision: Decision,
    { isDue, name }: Repeated
  ) {
    const [draft] = decision.drafts
    const before = staged.findIndex(({ repeats: known }) => known === name)
    const at = before < 0 ? staged.length : before
    const tick = committed.head.tick + 1 + staged.slice(0, at).flatMap(({ drafts }) => drafts).length
    if (before < 0) staged = [...staged, { ...each, drafts: decision.drafts, repeats: name }]
    else {
      staged = staged.map((known, index) => {
        const [first, ...rest] = known.drafts
        if (index !== at || first === undefined || draft === undefined) return known
        return { ...known, drafts: [together(first, draft), ...rest] }
      })
    }
    tip = (yield* assemble([])).position.state
    if (isDue) yield* flush
    return repeats.noted(standingAt(decision, tick))
  })

  /** What is decided under other rules than before is preceded by saying so; it is durable with what follows. */
  const migrate = Effect.suspend(() => {
    const [command, ticket] = [{ _tag: "Migrate", rules: kernel.rules.version } as const, { action: "" }]
    return Effect.flatMap(decide(command, ticket), ({ decision }) => stage(ticket, command, decision))
  })

  /** Decides a command and makes it durable, again and again while others are faster. */
  const transact = Effect.fnUntraced(function* (ask: (ticket: Ticket) => Command, ticket: Ticket) {
    let learnt: Learnt.Learnt = ticket.learnt ?? Learnt.nothing
    for (let attempt = 0; ; attempt++) {
      const asked = yield* moves.informed(ask(ticket), committed, waiting())
      // What was read is still held against what another process has settled.
      if (ticket.ended !== undefined && asked._tag !== "ReadBack") return ticket.ended
      const { decision: decided, terms } = yield* decide(Learnt.informed(asked, learnt), ticket, learnt.turns)
      const decision = yield* moves.late({ terms, state: tip }, asked, decided)
      if (decision.drafts.length > 0 && DecisionRules.isOther(kernel.rules, tip)) {
        yield* migrate
        continue
      }
      yield* FaultPoint.at("propose/decided")
      const key = asked._tag === "Import" ? Import.keyOf(decision) : undefined
      if (key !== learnt.looked && learnt.adopted === undefined) {
        learnt = { ...learnt, looked: key, adopted: yield* inherited(history, run, key) }
        if (learnt.adopted !== undefined) continue
      }
      if (decision.flush === "later") {
        yield* stage(ticket, asked, decision)
        return decision
      }
      const repeated = repeats.of(decision)
      if (repeated !== undefined) return yield* repeat({ ticket, command: asked }, decision, repeated)
      const drafts = decision.drafts.map(asked._tag === "Import" ? same : own)
      if (drafts.length + staged.length === 0) return decision
      const answer = yield* Effect.result(append(yield* assemble(drafts)))
      if (answer._tag === "Success") {
        ticket.action = actionOf(decision) ?? ticket.action
        return repeats.noted(decision)
      }
      const isLast = attempt >= conflictsMax
      const error = answer.failure
      const met =
        error._tag === "ClaimRefused"
          ? yield* Effect.result(refused(error, { asked, decision, isLast, learnt, terms, ticket }))
          : Result.fail(error)
      if (met._tag === "Failure") {
        if (met.failure._tag !== "TickConflict" || isLast) return yield* Effect.fail(met.failure)
        learnt = { ...learnt, context: learnt.context ?? contextOf(decision) }
        yield* catchUp
      } else if (met.success._tag === "Learnt") learnt = met.success.more
      else {
        const { decision: ended } = met.success
        const context = learnt.context ?? contextOf(decision)
        if (ended.next._tag === "Await") ticket.learnt = { ...learnt, context, since: ended.next.since }
        return ended
      }
    }
  })

  /** What was undone elsewhere may have been begun again there, under the next generation of its key. */
  const isRenewed = Effect.fnUntraced(function* (asked: Command, learnt: Learnt.Learnt) {
    const next = Learnt.informed(asked, { ...learnt, generation: learnt.generation + 1 })
    const name = Import.keyOf((yield* decide(next, { action: "" })).decision)
    return name !== undefined && (yield* store.claims(run.tenant, { namespace: "key", name })).length > 0
  })

  /** A name is held elsewhere: who holds it may have ended its generation, or done the same act already. */
  const refused = Effect.fnUntraced(function* (
    refusal: Claims.ClaimRefused,
    at: {
      readonly asked: Command
      readonly decision: Decision
      readonly isLast: boolean
      readonly learnt: Learnt.Learnt
      readonly terms: Terms
      readonly ticket: Ticket
    }
  ) {
    const { asked, decision, isLast, learnt, terms, ticket } = at
    const isAsked = asked._tag === "Propose" || asked._tag === "Import"
    const isTaught = (refusal.namespace === "turn" && !isLast) || isAsked || asked._tag === "Complete"
    if (!isTaught && !isWaiting(asked)) return yield* refusal
    const { owner, run: id, tick } = refusal.holder
    const transitions = isTaught ? yield* history.transitions({ tenant: run.tenant, id }, { from: tick }) : []
    const more = isLast ? undefined : Learnt.of(learnt, { terms, decision, refusal, transitions })
    const holder = Holder.of(id, owner, transitions)
    if (more !== undefined) {
      const { adopted } = more
      const isNew = adopted !== undefined && adopted !== learnt.adopted && asked._tag === "Propose"
      const believed = isNew && holder !== undefined && (yield* isSeededWith(history, run, holder))
      return { _tag: "Learnt", more: believed ? { ...more, adopted: { ...adopted, believed } } : more } satisfies Met
    }
    if (!isAsked) return { _tag: "Ended", decision: parked(refusal, decision) } satisfies Met
    if (holder?.undone !== undefined && (yield* isRenewed(asked, learnt)) && !isLast) {
      return { _tag: "Learnt", more: { ...learnt, generation: learnt.generation + 1 } } satisfies Met
    }
    const { proposal } = asked
    const { since } = learnt
    const requestHash = Learnt.requestHashOf(decision)
    const answer = Claimed.decide(terms, tip, { proposal, requestHash, refusal, holder, since })
    if (asked._tag === "Import") return { _tag: "Ended", decision: { ...answer, drafts: [] } } satisfies Met
    const repeated = repeats.of(answer)
    if (repeated !== undefined) {
      return { _tag: "Ended", decision: yield* repeat({ ticket, command: asked }, answer, repeated) } satisfies Met
    }
    if (answer.drafts.length > 0) yield* append(yield* assemble(answer.drafts))
    return { _tag: "Ended", decision: repeats.noted(answer) } satisfies Met
  })

  const exclusively = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => Semaphore.withPermits(lock, 1)(effect)

  return {
    now,
    /** What is acknowledged. */
    at: () => committed,
    decide: (ask: (ticket: Ticket) => Command, ticket: Ticket) => exclusively(transact(ask, ticket)),
    /** Makes what is staged durable. */
    flush: exclusively(flush),
    /** Makes what is staged durable before a call of the tool that warrants it. */
    beforeCall: Effect.fnUntraced(function* (tool: string) {
      const { after, flush: isDue } = yield* checkpoints.beforeCall(tool, waiting())
      if (isDue) yield* exclusively(flush)
      yield* after
    }),
    commit: (drafts: ReadonlyArray<Draft>, parent?: TraceStore.Parent) =>
      exclusively(Effect.flatMap(assemble(drafts), (commit) => append(commit, parent)))
  }
})
