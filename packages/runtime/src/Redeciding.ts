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
 * Some decisions rest on what no trace of this run holds: names that another
 * run held, and questions to the world that were answered with "not yet".
 * They are counted as `unrecorded`, never as obeyed, and so are refusals over a
 * key where the tenant's secret is not given. What was decided under rules that
 * have changed since is `older` where it rests on such a change, and on that
 * alone.
 *
 * @since 0.1.0
 */
import type { Met } from "@backstitch/kernel/Act"
import * as Check from "@backstitch/kernel/Check"
import type { Command, Report } from "@backstitch/kernel/Command"
import * as DecisionRules from "@backstitch/kernel/DecisionRules"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Moves from "@backstitch/kernel/Moves"
import * as Payload from "@backstitch/kernel/Payload"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Resolving from "@backstitch/kernel/Resolving"
import type { Terms } from "@backstitch/kernel/Terms"
import * as Turns from "@backstitch/kernel/Turns"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as OwnRequest from "@backstitch/ledger/OwnRequest"
import * as MessageReport from "@backstitch/reconciliation/MessageReport"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import * as HashChain from "@backstitch/trace/HashChain"
import type * as Ontology from "@backstitch/trace/Ontology"
import * as Run from "@backstitch/trace/Run"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as Vocabulary from "@backstitch/trace/Vocabulary"
import * as Lineage from "@backstitch/version-control/Lineage"
import * as Effect from "effect/Effect"
import * as History from "./History.ts"
import * as Library from "./Library.ts"
import * as RecordedEvidence from "./RecordedEvidence.ts"

/**
 * A decision that comes out otherwise.
 *
 * @category models
 * @since 0.1.0
 */
export interface Disobedience {
  readonly tick: number
  readonly committed: string
  readonly decided: string
}

/**
 * A decision that was right under the rules of then, with the change by which it comes out otherwise now.
 *
 * @category models
 * @since 0.1.0
 */
export interface Older extends Disobedience {
  /** Version of the rules by which it was made. */
  readonly rules: number
  readonly change: string
}

/**
 * What deciding again answers. Counts are of transitions.
 *
 * @category models
 * @since 0.1.0
 */
export interface Redecided {
  readonly run: string
  readonly obeyed: number
  readonly unrecorded: number
  readonly older: ReadonlyArray<Older>
  readonly differs: ReadonlyArray<Disobedience>
}

/**
 * Decides every recorded decision of a run again.
 *
 * @category combinators
 * @since 0.1.0
 */
export const redecide = Effect.fn("Redeciding.redecide")(function* (
  run: Run.Run,
  options: { readonly secret?: string | undefined; readonly kernel?: Kernel.Kernel | undefined } = {}
) {
  const { kernel = Kernel.standard, secret } = options
  const history = yield* History.History
  const library = yield* Library.Library
  const { head } = yield* history.info(run)
  const lineage = (yield* history.root(run)).id
  const [first] = yield* history.transitions(run, { to: 1 })
  // Of an imported run nothing was decided here.
  const imported: Redecided = { run: run.id, obeyed: 0, unrecorded: head.tick, older: [], differs: [] }
  if (first !== undefined && Payload.of(first.body, "run.started")?.source !== undefined) return imported
  const { rules } = kernel
  const line = yield* history.lineage(run)
  const differs: Array<Disobedience> = []
  const older: Array<Older> = []
  const histories = new Map<string, ActionHistory.ActionHistory>()
  let awaited: Awaited | undefined
  const requests = new Map<string, OwnRequest.OwnRequest>()
  let obeyed = 0
  let unrecorded = 0

  const decided = (transition: Transition, state: State): Awaited | undefined => {
    const { body, stamp, tick } = transition
    // Who does not have a type of an embedder cannot say whether it was rightly let in.
    const isDecidable = secret !== undefined || !isKeyed(run.id, body)
    const isUnknown = Vocabulary.isUnknown(kernel.vocabularies ?? [], body.type)
    const asked = isDecidable && !isUnknown ? commandOf(transition) : undefined
    if (asked === undefined) return undefined
    const command = informed(sent(requests, citing(asked, requests)), histories)
    // What a fork shares with its parent was decided as the parent's: approvals are bound to it.
    const owner = Run.make(Lineage.owner(line, tick) ?? run.id, run.tenant)
    const pack = library.packAt(state, tick)
    const turns = Turns.metBy(body)
    const terms: Terms = { run: owner, lineage, now: stamp.asOf, tick, secret: secret ?? "", pack, turns }
    return coming({ terms, state, command })
  }

  const coming = (about: Pick<Awaited, "terms" | "state" | "command">, from = 0): Awaited => {
    const { command, state, terms } = about
    const bodies = Interpreter.rehearse(kernel, terms, state, command).drafts.map(({ body }) => body)
    return { ...about, bodies: bodies.slice(from), from }
  }

  /** A transition behind the first of a commit may say what was met of other runs before all of it was decided. */
  const meeting = (awaited: Awaited | undefined, body: Body): Awaited | undefined => {
    const turns = awaited && Turns.metBy(body)
    return awaited === undefined || turns === undefined
      ? awaited
      : coming({ ...awaited, terms: { ...awaited.terms, turns } }, awaited.from)
  }

  const judge = (transition: Transition, before: State): void => {
    const { body, tick } = transition
    follow(requests, transition)
    if (isReport(body)) return
    // A fork may leave its parent in the midst of what that committed together.
    const asked = (body.type === "run.fork" ? undefined : meeting(awaited, body)) ?? decided(transition, before)
    awaited = undefined
    if (asked === undefined) {
      unrecorded++
      return
    }
    const { bodies, from, ...about } = asked
    const [first, ...rest] = bodies
    const texts = { committed: comparable(body), decided: first === undefined ? "nothing" : comparable(first) }
    const obeys = texts.committed === texts.decided
    const change = obeys ? undefined : DecisionRules.accountable(rules, { ...about, committed: body, decided: first })
    if (obeys) obeyed++
    else if (change === undefined) differs.push({ tick, ...texts })
    else older.push({ tick, ...texts, change: change.id, rules: DecisionRules.of(about.state) })
    const goesOn = rest.length > 0 && (obeys || (change !== undefined && first?.type === body.type))
    awaited = goesOn ? { ...about, bodies: rest, from: from + 1 } : undefined
  }

  const start = { head: HashChain.genesis({ tenant: run.tenant, id: lineage }), state: emptyState, asOf: 0 }
  yield* history.walk(run, {
    from: start,
    to: head.tick,
    visit: (_, transition, before) => {
      judge(transition, before)
      ActionHistory.follow(histories, [transition])
      return undefined
    }
  })
  const answer: Redecided = { run: run.id, obeyed, unrecorded, older, differs }
  return answer
})

/** What an observation cites is an action if the trace has a request of its name by then. */
const citing = (command: Command, requests: ReadonlyMap<string, unknown>): Command =>
  command._tag === "Propose"
    ? { ...command, cited: requests.has(Payload.of(command.proposal, "observation.add")?.cites ?? "") }
    : command

/** What a decision came to, and has not been seen committed yet. */
interface Awaited extends Pick<DecisionRules.Judged, "terms" | "state" | "command"> {
  readonly bodies: ReadonlyArray<Body>
  /** How many of the same decision came before these. */
  readonly from: number
}

const follow = (requests: Map<string, OwnRequest.OwnRequest>, transition: Transition): void => {
  const { action } = transition.body
  const own = action === undefined ? undefined : OwnRequest.follow(requests.get(action.id), transition)
  if (own !== undefined) requests.set(own.action, own)
}

/** The request of an action is in other transitions than what was asked about it before it was undone. */
const sent = (requests: ReadonlyMap<string, OwnRequest.OwnRequest>, command: Command): Command => {
  const own = command._tag === "Compensate" ? requests.get(command.original?.action ?? "") : undefined
  if (command._tag !== "Compensate" || command.original === undefined || own === undefined) return command
  return { ...command, original: { ...command.original, ...own } }
}

const emptyState: State = { world: {}, working: {}, kernel: {} }

/**
 * Tells what the commit adds by itself: it follows from the fold, which strict replay proves, or says by which rules
 * the run goes on.
 *
 * @category guards
 * @since 0.1.0
 */
export const isReport = (body: Body): boolean => {
  const { type } = body
  if (type === "predicate.violation" || type === "run.migrated") return true
  const anomaly = Payload.of(body, "kernel.anomaly")
  return anomaly !== undefined && (anomaly.predicate !== undefined || anomaly.kind === Moves.kind)
}

/** A message was held against how the actions stood that it reports. */
const informed = (command: Command, histories: ActionHistory.Histories): Command =>
  command._tag === "Propose" && MessageReport.isMessage(command.proposal)
    ? { ...command, standings: MessageReport.standings(histories, command.proposal.data ?? {}) }
    : command

/** What was decided by a key of this run cannot be decided again by who cannot derive it. */
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

/**
 * The command that a committed transition was decided on, read back from it; `undefined` where no trace holds it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const commandOf = (transition: Transition): Command | undefined => {
  const own = Payload.read(transition.body)
  if (isOthers(own)) return undefined
  if (isCompletion(own)) return { _tag: "Complete" }
  switch (own.type) {
    case "bisect.result":
    case "causal.chain":
    case "diff.summary":
      return { _tag: "Report", type: own.type, data: own.data } as Report
    case "run.started":
      return startOf(own.data, own.goal)
    case "run.cherrypick":
      return importOf(own.data)
    case "action.request":
    case "intent.adopted":
    case "intent.refused":
    case "policy.decision":
      return proposedOf(transition, own)
    case "kernel.anomaly":
      return oversteppedOf(transition, own.data)
    case "recovery.restored":
      return { _tag: "Compensate" }
    case "action.result":
      return answeredOf(own)
    case "action.verified":
      return readOf(own)
    case "recovery.decided":
      return recoveredOf(own)
    default: {
      if (own.author === "kernel") return undefined
      const proposal = proposalOf(transition, { data: own.data ?? {}, type: own.type })
      return { _tag: Resolving.isResolution(proposal) ? "Resolve" : "Propose", proposal }
    }
  }
}

/** A body of one of these types. */
type Own<T extends Ontology.Type> = Extract<Payload.Body, { readonly type: T }>

/** What rests on the trace of another run is in no trace of this one. */
const isOthers = (body: Payload.Body): boolean => {
  switch (body.type) {
    case "action.request":
    case "action.result":
      return body.data?.adopted !== undefined
    case "intent.adopted":
      return body.data.adopted.run !== undefined
    case "intent.refused":
      return body.data?.holder !== undefined
    case "policy.decision":
    case "recovery.decided":
      return body.data?.awaits !== undefined
    default:
      return false
  }
}

/** What the kernel did of its own accord behind a pivot. */
const isCompletion = (body: Payload.Body): boolean => {
  switch (body.type) {
    case "action.request":
    case "intent.refused":
    case "policy.decision":
      return body.data?.completes !== undefined
    case "recovery.decided":
      return body.data?.done !== undefined
    case "review.requested":
      return body.data.subject === "forward"
    default:
      return false
  }
}

/** What an agent asked for, and was let do, answered from the record, refused, or asked a person about. */
const proposedOf = (
  transition: Transition,
  own: Own<"action.request" | "intent.adopted" | "intent.refused" | "policy.decision">
): Command | undefined => {
  switch (own.type) {
    case "action.request": {
      const { breakGlass, met } = own.data ?? {}
      const { params, tool, undoes } = own.action ?? {}
      if (undoes !== undefined) return { _tag: "Compensate" }
      const glass = breakGlass === undefined ? {} : { breakGlass }
      return { _tag: "Propose", ...metOf(met), proposal: proposalOf(transition, { ...glass, tool, params }) }
    }
    case "intent.adopted": {
      const { params, proposed, tool } = own.data
      return { _tag: "Propose", proposal: proposalOf(transition, { ...calling(params, tool), type: proposed }) }
    }
    case "intent.refused": {
      const { params, proposed, tool } = own.data ?? {}
      // What a refused note said is not in this trace.
      if (own.policy === undefined || proposed !== "action.request") return undefined
      return { _tag: "Propose", proposal: proposalOf(transition, calling(params, tool)) }
    }
    case "policy.decision": {
      const { met, params, tool, undoes } = own.data ?? {}
      if (undoes !== undefined) return { _tag: "Compensate" }
      return { _tag: "Propose", ...metOf(met), proposal: proposalOf(transition, calling(params, tool)) }
    }
  }
}

/** Who wrote what only others may write. */
const oversteppedOf = (
  transition: Transition,
  { author, kind, type }: Payload.Of<"kernel.anomaly">
): Command | undefined =>
  kind !== "author" || author === undefined || type === undefined
    ? undefined
    : { _tag: "Propose", proposal: proposalOf(transition, { author, type }) }

/** What was answered to a call, to a question about its key, or by a further source. */
const answeredOf = (body: Own<"action.result">): Command | undefined => {
  const evidence = RecordedEvidence.answered(body)
  const { delivery, source } = body.data ?? {}
  // What a provider delivered is kept by its digest: only who has the body can decide it again.
  if (evidence === undefined || body.result?.basis === "recorded" || delivery !== undefined) return undefined
  const action = body.action?.id ?? ""
  return source === undefined
    ? { _tag: "Answered", action, via: body.result?.basis === "status" ? "status" : "call", evidence }
    : { _tag: "ReadBack", action, evidence, source }
}

/** What a recovery was decided on: a reversal that failed, a wish to undo, or an answer that settled nothing. */
const recoveredOf = (body: Own<"recovery.decided">): Command | undefined => {
  const { plan, source, stops, via } = body.data ?? {}
  if (stops !== undefined) return { _tag: "Compensate" }
  if (body.action === undefined && plan !== undefined) return undoOf(plan)
  const evidence = via === undefined ? undefined : RecordedEvidence.read(body)
  const action = body.action?.id ?? ""
  if (evidence === undefined) return undefined
  const from = source === undefined ? {} : { source }
  switch (via) {
    case "silence":
      return { _tag: "Recover", action }
    case "source":
      return { _tag: "ReadBack", action, evidence, ...from }
    case "readback":
      return { _tag: "ReadBack", action, evidence, others: RecordedEvidence.others(body), ...from }
    case "call":
    case "status":
      return { _tag: "Answered", action, via, evidence }
    default:
      return undefined
  }
}

/** What was read before anything was sent, inside of a transaction, or from outside. */
const readOf = (body: Own<"action.verified">): Command | undefined => {
  const action = body.action?.id ?? ""
  const evidence = RecordedEvidence.read(body)
  if (evidence === undefined) return undefined
  const { before, concluded, source, undoing, verdict, via } = body.data ?? {}
  if (undoing !== undefined) {
    const unknown = { tool: "", params: null, key: undefined, observed: undefined, isSettled: true } as const
    const looked = { action, via: via === "status" ? via : "readback", evidence, firstAt: 0, startedAt: 0 } as const
    return { _tag: "Compensate", original: { ...unknown, ...looked } }
  }
  if (before !== undefined) return { _tag: "ReadBefore", action, evidence }
  if (verdict !== undefined) return { _tag: "ReadInside", action, evidence }
  const over = concluded === undefined ? {} : { concluded }
  const from = source === undefined ? {} : { source }
  return { _tag: "ReadBack", action, evidence, others: RecordedEvidence.others(body), ...over, ...from }
}

/** A plan says what was wanted; what waited was wanted before. */
const undoOf = ({
  because,
  cause,
  masks,
  scopes,
  steps,
  subject
}: NonNullable<NonNullable<Payload.Of<"recovery.decided">>["plan"]>): Command => {
  if (cause === "saga") return { _tag: "Compensate" }
  const actions = steps.map(({ undoes }) => undoes).reverse()
  const within = scopes === undefined ? {} : { scopes: scopes.map(({ scope }) => scope) }
  const about = subject === undefined ? {} : { subject }
  return { _tag: "Undo", wanted: { actions, because, cause, masks, ...within, ...about } }
}

/** Who made the same request before, as the decision keeps it. */
const metOf = (met: Met | undefined): { readonly met?: Met } => (met === undefined ? {} : { met })

const calling = (params: Canonical.Json | undefined, tool: string | undefined): Partial<Proposal> => ({
  params,
  ...(tool === undefined ? {} : { tool })
})

const proposalOf = ({ body, stamp }: Transition, asked: Partial<Proposal>): Proposal => {
  const { agent, confidence, intent, uncertainty } = body
  const { tokens, ...spent } = stamp.spent ?? {}
  const { contextHash: _, ...authored } = intent ?? {}
  return {
    ...authored,
    ...(agent === undefined ? {} : { agent }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(uncertainty === undefined ? {} : { uncertainty }),
    ...(tokens === undefined ? {} : { tokens: Number(tokens) }),
    spent,
    author: body.author === "kernel" ? "agent" : body.author,
    ...asked
  }
}

/** The kernel that decides it adds its own format and ontology, and the tenant of the run. */
const startOf = (data: Payload.Of<"run.started">, goal = ""): Command => {
  const { format: _, goal: text, ontology: __, pack, source: ___, tenant: ____, ...pinned } = data
  return { _tag: "Start", goal, text, pack, ...pinned }
}

const importOf = ({ adopted, proposal, recorded, ...origin }: Payload.Of<"run.cherrypick">): Command => ({
  _tag: "Import",
  origin,
  proposal,
  ...(adopted === undefined ? {} : { adopted }),
  ...(recorded === undefined ? {} : { recorded })
})

/** A body without what repetition adds, how often the same was refused, and without names that keys are needed for. */
const comparable = (body: Body): string => Canonical.encode({ ...body, data: compared(Payload.read(body)) })

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
