/**
 * Asks a planner again at every tick at which it had proposed, and finds the first tick at which it proposes
 * otherwise.
 *
 * Decisions of people, deliveries, facts of other runs and answers of the world are taken as committed. The planner
 * is shown the state and the actions of that tick, and only its proposal is compared. The pure kernel decides both
 * proposals, the recorded one and the new one, in the same state and context. So neither names that depend on a
 * secret, nor a clock, nor other runs can cause a difference.
 *
 * **Gotchas**
 *
 * A trace does not show where a process ended. So a planner that proposes something else is asked a second time as a
 * new process. It counts as different only if it differs there, too. Of a refused note, the trace has only the type.
 *
 * @see docs/ARCHITECTURE.md
 */

import * as ActTurns from "@backstitch/kernel/ActTurns"
import type { Command } from "@backstitch/kernel/Command"
import type { DecisionTerms } from "@backstitch/kernel/DecisionTerms"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as State from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Descent from "@backstitch/version-control/Descent"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Agent from "../agent/Agent.ts"
import { readProposal } from "../engine/readProposal.ts"
import * as SealingEdge from "../engine/sealingEdge.ts"
import { type SettledRecord, settledOutcome } from "../engine/settledOutcome.ts"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as PlannerView from "../planner/PlannerView.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as Planner from "../ports/Planner.ts"
import * as Revealing from "../sealing/revealing.ts"
import * as Sealing from "../sealing/Sealing.ts"
import * as RecordedCommand from "./RecordedCommand.ts"

/** Finds the first tick at which a planner proposes otherwise than recorded; `null` if it always proposes the same. */
export const partedAt = Effect.fn("ProposalReplay.partedAt")(function* (
  run: Run.Run,
  options: { readonly planner: Layer.Layer<Planner.Planner>; readonly secret: string }
) {
  const history = yield* History.History
  const { asked, end } = yield* recorded(run, options.secret)
  const edge = yield* edgeOf(run)
  const transitions = yield* history.transitions(run)
  const record: SettledRecord = {
    run,
    transitions: (from, to) => history.transitions(run, { from, to }),
    // The state at the time is not at hand.
    settledAt: () => undefined
  }
  let process: Process | undefined
  for (const each of asked) {
    const goesOn = process === undefined || isWaiting(each.outcome) ? undefined : process
    if (goesOn !== undefined) {
      goesOn.context.follow(each.seen)
      const last = each.outcome === undefined ? undefined : yield* settledOutcome(record, each.outcome)
      if (yield* isSame(edge, each, yield* ask(edge, goesOn, { ...each, last }))) continue
    }
    process = yield* begun(run, options.planner)
    process.context.follow(transitions.slice(0, each.tick - 1))
    if (!(yield* isSame(edge, each, yield* ask(edge, process, { ...each, last: undefined })))) return each.tick
  }
  // After a decision of a person, or a delivery, the planner may not have been asked again.
  if (process === undefined || end.outcome?._tag !== "Done" || !end.seen.every(isOwn)) return null
  process.context.follow(end.seen)
  const last = yield* settledOutcome(record, end.outcome)
  const more = yield* ask(edge, process, { ...end, last })
  return more.proposal === undefined || (yield* isIdle(edge, end, more)) ? null : end.tick
})

/** A moment at which a planner is asked: its context, and the transitions since the last one. */
interface Place {
  readonly tick: number
  readonly state: State.State
  readonly terms: DecisionTerms
  readonly seen: ReadonlyArray<Transition>
  /** The outcome of the last decision, if the trace shows it. */
  readonly outcome: Outcome | undefined
}

/** A recorded proposal, and its place. */
interface Asked extends Place {
  readonly proposed: RecordedCommand.Proposed
}

/** A planner within one process, with the part of the run that it has seen. */
interface Process {
  readonly planner: Planner.Planner["Service"]
  readonly context: PlannerView.Follower
}

/** The proposal of a planner when it is asked again. */
interface Now {
  readonly proposal: Proposal | undefined
  readonly authors: Planner.Planner["Service"]["authors"]
}

/** Every place at which a planner had proposed, and the end of the run. */
const recorded = Effect.fnUntraced(function* (run: Run.Run, secret: string) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head } = yield* history.info(run)
  const asked: Array<Asked> = []
  let seen: Array<Transition> = []
  let outcome: Outcome | undefined
  // Further transitions of a decision are no decisions of their own.
  let rest = 0
  const root = yield* history.root(run)
  const line = yield* history.lineage(run)
  const termsAt = (state: State.State, tick: number, now: number): DecisionTerms => ({
    run: Run.make(Descent.owner(line, tick) ?? run.id, run.tenant),
    lineage: root.id,
    now,
    tick,
    secret,
    pack: library.packAt(state, tick)
  })
  const judge = (transition: Transition, state: State.State): void => {
    const { body, stamp, tick } = transition
    if (RecordedCommand.isAnnotation(body)) return
    // A fork may leave its parent inside a commit.
    if (body.type === "run.fork") rest = 0
    if (rest > 0) return void rest--
    const terms = { ...termsAt(state, tick, stamp.asOf), turns: ActTurns.metBy(body) }
    const proposed = RecordedCommand.proposedIn(transition)
    if (proposed !== undefined) {
      asked.push({ tick, state, terms, seen, outcome, proposed })
      seen = []
    }
    const command = RecordedCommand.of(transition)
    const decided = command && Interpreter.rehearse(Kernel.standard, terms, state, command)
    const isKnown = decided?.drafts[0]?.body.type === body.type
    rest = isKnown ? decided.drafts.length - 1 : 0
    outcome = isKnown && decided.next._tag === "End" ? decided.next.outcome : undefined
  }
  const { asOf, state } = yield* history.walk(run, {
    from: { head: HashChain.genesis(root), state: State.empty, asOf: 0 },
    to: head.tick,
    visit: (_, transition, before) => {
      judge(transition, before)
      seen.push(transition)
      return undefined
    }
  })
  const tick = head.tick + 1
  const terms = yield* library.folding(() => termsAt(state, tick, asOf))
  const end: Place = { tick, state, terms, seen, outcome }
  return { asked, end }
})

/** A planner in a new process. */
const begun = Effect.fnUntraced(function* (run: Run.Run, layer: Layer.Layer<Planner.Planner>) {
  const planner = yield* Effect.scoped(Effect.provide(Planner.Planner, Layer.fresh(layer), { local: true }))
  const process: Process = { planner, context: PlannerView.make(run.id, yield* Lexicon.Lexicon) }
  return process
})

const ask = Effect.fnUntraced(function* (
  { reveal }: Edge,
  { context, planner }: Process,
  { last, state, terms }: Place & { readonly last: Outcome | undefined }
) {
  const view = yield* reveal(terms.pack, context.view({ state, pack: terms.pack }, last))
  const now: Now = { proposal: yield* planner.next(view), authors: planner.authors }
  return now
})

/** Tells whether the kernel decides both proposals alike, in the same state and context. */
const isSame = Effect.fnUntraced(function* (edge: Edge, { proposed, state, terms }: Asked, now: Now) {
  if (now.proposal === undefined) return false
  if (proposed._tag === "Type") return proposed.type === now.proposal.type
  const { command } = proposed
  const mine = yield* edge.sealed(terms.pack, state, Agent.counted(now.proposal, now.authors))
  if (mine === undefined) return false
  const { breakGlass, occurrence, occurrenceBy } = command.proposal
  // Only a person breaks the glass, or asks for the same act once more.
  const persons = { breakGlass, ...(occurrenceBy === "user" ? { occurrence, occurrenceBy } : {}) }
  const bodies = (proposal: Proposal): string => decided({ state, terms }, { ...command, proposal })
  return bodies({ ...mine, ...persons }) === bodies(command.proposal)
})

/** Tells whether a proposal leads to no commit, because the record answers it. */
const isIdle = Effect.fnUntraced(function* (edge: Edge, { state, terms }: Place, { authors, proposal = {} }: Now) {
  const mine = yield* edge.sealed(terms.pack, state, Agent.counted(proposal, authors))
  return mine === undefined || decided({ state, terms }, { _tag: "Propose", proposal: mine }) === "[]"
})

const decided = ({ state, terms }: Pick<Place, "state" | "terms">, command: Command): string =>
  Canonical.encode(
    Interpreter.rehearse(Kernel.standard, terms, state, command).drafts.map(({ body }) => body) as Canonical.Json
  )

/** The run waited for a person, or for an unknown outcome, so the process ended there. */
const isWaiting = (outcome: Outcome | undefined): boolean => outcome?._tag === "Held" || outcome?._tag === "Parked"

/** Tells whether a transition is the run's own: it comes from no person and no provider. */
const isOwn = ({ body }: Transition): boolean =>
  (body.author === "agent" || body.author === "kernel") &&
  Payload.of(body, "action.result")?.delivery === undefined &&
  Payload.of(body, "recovery.decided")?.delivery === undefined

interface Edge extends Effect.Success<ReturnType<typeof edgeOf>> {}

/** Seals proposals and opens shown values as the run does, if its contract declares sensitive values. */
const edgeOf = Effect.fnUntraced(function* (run: Run.Run) {
  const history = yield* History.History
  const sealing = Option.getOrUndefined(yield* Effect.serviceOption(Sealing.Sealing))
  const lineage = (yield* history.root(run)).id
  const edge = SealingEdge.make({ run, lineage, isRecorded: true, sealing })
  return {
    sealed: Effect.fnUntraced(function* (pack: DecisionTerms["pack"], state: State.State, given: Proposal) {
      const read = readProposal(given)
      if (Result.isFailure(read)) return undefined
      const sealed = yield* edge.proposal(pack, read.success, { isOwn: true, state })
      return Result.getOrUndefined(sealed)
    }),
    reveal: (pack: DecisionTerms["pack"], view: PlannerView.PlannerView) =>
      Revealing.shown(sealing, { pack, run, view })
  }
})
