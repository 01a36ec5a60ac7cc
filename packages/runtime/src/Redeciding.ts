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
import type { Command } from "@backstitch/kernel/Command"
import * as DecisionRules from "@backstitch/kernel/DecisionRules"
import type { Enforcement } from "@backstitch/kernel/Enforcement"
import type { Adopted, Recorded } from "@backstitch/kernel/Import"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Concluded } from "@backstitch/kernel/LocalTransaction"
import * as Moves from "@backstitch/kernel/Moves"
import * as Payload from "@backstitch/kernel/Payload"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Resolving from "@backstitch/kernel/Resolving"
import type { Terms } from "@backstitch/kernel/Terms"
import * as Turns from "@backstitch/kernel/Turns"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as OwnRequest from "@backstitch/ledger/OwnRequest"
import type * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as MessageReport from "@backstitch/reconciliation/MessageReport"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
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
  if (first?.body.data?.["source"] !== undefined) return imported
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
  command._tag === "Propose" ? { ...command, cited: requests.has(String(command.proposal.data?.["cites"])) } : command

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
export const isReport = ({ data, type }: Body): boolean =>
  type === "predicate.violation" ||
  type === "run.migrated" ||
  (type === "kernel.anomaly" && (data?.["predicate"] !== undefined || data?.["kind"] === Moves.kind))

/** A message was held against how the actions stood that it reports. */
const informed = (command: Command, histories: ActionHistory.Histories): Command =>
  command._tag === "Propose" && MessageReport.isMessage(command.proposal)
    ? { ...command, standings: MessageReport.standings(histories, command.proposal.data ?? {}) }
    : command

/** What was decided by a key of this run cannot be decided again by who cannot derive it. */
const isKeyed = (run: string, { data, policy, type }: Body): boolean =>
  (type === "intent.refused" && Check.isBy(data?.["checks"], "key")) ||
  (type === "policy.decision" && policy?.checks.includes("key") === true) ||
  (type === "intent.adopted" && data?.["by"] === "key") ||
  (type === "run.cherrypick" && (data?.["adopted"] as Adopted | undefined)?.run === run)

/**
 * The command that a committed transition was decided on, read back from it; `undefined` where no trace holds it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const commandOf = (transition: Transition): Command | undefined => {
  const { body } = transition
  if (isOthers(transition)) return undefined
  if (isCompletion(body)) return { _tag: "Complete" }
  const own = Payload.read(body)
  switch (own.type) {
    case "bisect.result":
    case "causal.chain":
    case "diff.summary":
      return { _tag: "Report", type: own.type, data: own.data ?? {} }
    case "run.started":
      return startOf(body)
    case "run.cherrypick":
      return importOf(body)
    case "action.request":
      if (body.action?.undoes !== undefined) return { _tag: "Compensate" }
      return {
        _tag: "Propose",
        ...metOf(body),
        proposal: proposalOf(transition, {
          ...glassOf(body),
          tool: body.action?.tool,
          params: body.action?.params
        })
      }
    case "intent.refused": {
      // What a refused note said is not in this trace.
      if (body.policy === undefined || body.data?.["proposed"] !== "action.request") return undefined
      return { _tag: "Propose", proposal: proposalOf(transition, askedOf(body)) }
    }
    case "recovery.restored":
      return { _tag: "Compensate" }
    case "intent.adopted":
      return { _tag: "Propose", proposal: proposalOf(transition, askedOf(body)) }
    case "policy.decision":
      if (body.data?.["undoes"] !== undefined) return { _tag: "Compensate" }
      return { _tag: "Propose", ...metOf(body), proposal: proposalOf(transition, askedOf(body)) }
    case "kernel.anomaly": {
      const { author, kind, type } = body.data ?? {}
      if (kind !== "author" || typeof author !== "string" || typeof type !== "string") return undefined
      return { _tag: "Propose", proposal: proposalOf(transition, { author: author as Ontology.Author, type }) }
    }
    case "action.result":
      return answeredOf(body)
    case "action.verified":
      return readOf(body)
    case "recovery.decided":
      return recoveredOf(body)
    default: {
      if (body.author === "kernel") return undefined
      const proposal = proposalOf(transition, { data: body.data ?? {}, type: body.type })
      return { _tag: Resolving.isResolution(proposal) ? "Resolve" : "Propose", proposal }
    }
  }
}

/** What rests on the trace of another run is in no trace of this one. */
const isOthers = ({ body: { data = {}, type } }: Transition): boolean => {
  if (type === "run.cherrypick") return false
  const { adopted, awaits, holder } = data
  const isOwn = type === "intent.adopted" && Canonical.objectOf(adopted)["run"] === undefined
  return awaits !== undefined || holder !== undefined || (adopted !== undefined && !isOwn)
}

/** What was answered to a call, to a question about its key, or by a further source. */
const answeredOf = (body: Body): Command | undefined => {
  const evidence = RecordedEvidence.answered(body)
  // What a provider delivered is kept by its digest: only who has the body can decide it again.
  if (evidence === undefined || body.result?.basis === "recorded" || body.data?.["via"] === "webhook") return undefined
  const action = body.action?.id ?? ""
  const source = body.data?.["source"]
  return typeof source === "string"
    ? { _tag: "ReadBack", action, evidence, source }
    : { _tag: "Answered", action, via: body.result?.basis === "status" ? "status" : "call", evidence }
}

/** What a recovery was decided on: a reversal that failed, a wish to undo, or an answer that settled nothing. */
const recoveredOf = (body: Body): Command | undefined => {
  const { plan, source, stops, via } = body.data ?? {}
  if (stops !== undefined) return { _tag: "Compensate" }
  if (body.action === undefined && plan !== undefined) return undoOf(plan)
  const evidence = via === undefined ? undefined : RecordedEvidence.read(body)
  const action = body.action?.id ?? ""
  if (evidence === undefined) return undefined
  if (via === "silence") return { _tag: "Recover", action }
  if (via === "source") return { _tag: "ReadBack", action, evidence, source: String(source) }
  if (via === "readback") {
    const from = typeof source === "string" ? { source } : {}
    return { _tag: "ReadBack", action, evidence, others: RecordedEvidence.others(body), ...from }
  }
  return via === "status" || via === "call" ? { _tag: "Answered", action, via, evidence } : undefined
}

/** What the kernel did of its own accord behind a pivot. */
const isCompletion = ({ data = {}, type }: Body): boolean =>
  data["completes"] !== undefined ||
  (type === "recovery.decided" && data["done"] !== undefined) ||
  (type === "review.requested" && data["subject"] === "forward")

/** What was read before anything was sent, inside of a transaction, or from outside. */
const readOf = (body: Body): Command | undefined => {
  const action = body.action?.id ?? ""
  const evidence = RecordedEvidence.read(body)
  if (evidence === undefined) return undefined
  if (body.data?.["undoing"] !== undefined) {
    const via = body.data["via"] === "status" ? "status" : "readback"
    const unknown = { tool: "", params: null, key: undefined, observed: undefined, isSettled: true } as const
    return { _tag: "Compensate", original: { ...unknown, action, via, evidence, firstAt: 0, startedAt: 0 } }
  }
  if (body.data?.["before"] !== undefined) return { _tag: "ReadBefore", action, evidence }
  if (body.data?.["verdict"] !== undefined) return { _tag: "ReadInside", action, evidence }
  const { concluded, source } = body.data ?? {}
  const over: { readonly concluded?: Concluded } =
    concluded === "committed" || concluded === "rolled_back" ? { concluded } : {}
  const from = typeof source === "string" ? { source } : {}
  return { _tag: "ReadBack", action, evidence, others: RecordedEvidence.others(body), ...over, ...from }
}

/** A plan says what was wanted; what waited was wanted before. */
const undoOf = (plan: Canonical.Json): Command => {
  const { because, cause, masks, scopes, steps, subject } = plan as UndoPlan.UndoPlan
  if (cause === "saga") return { _tag: "Compensate" }
  const actions = steps.map(({ undoes }) => undoes).reverse()
  const within = scopes === undefined ? {} : { scopes: scopes.map(({ scope }) => scope) }
  const about = subject === undefined ? {} : { subject }
  return { _tag: "Undo", wanted: { actions, because, cause, masks, ...within, ...about } }
}

/** Who made the same request before, as the decision keeps it. */
const metOf = ({ data }: Body): { readonly met?: Met } =>
  data?.["met"] === undefined ? {} : { met: Canonical.objectOf(data["met"]) as Met }

const glassOf = ({ data }: Body): Partial<Proposal> => {
  const { by, reason } = (data?.["breakGlass"] ?? {}) as Canonical.JsonObject
  return typeof by === "string" && typeof reason === "string" ? { breakGlass: { by, reason } } : {}
}

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

const askedOf = ({ data }: Body): Partial<Proposal> => {
  const { adopted, params, proposed, tool } = data ?? {}
  const type = adopted !== undefined && typeof proposed === "string" ? { type: proposed } : {}
  return { params, ...type, ...(typeof tool === "string" ? { tool } : {}) }
}

const startOf = ({ data, goal }: Body): Command => {
  const { clauses, enforcement, engine, fold, goal: text, impure, initial, namespaces, pack, rules, seeds } = data ?? {}
  return {
    _tag: "Start",
    goal: goal ?? "",
    text: String(text),
    clauses: (clauses ?? {}) as Canonical.JsonObject,
    pack: pack as Digest | undefined,
    initial: initial as Digest,
    fold: String(fold),
    ...(typeof engine === "string" ? { engine } : {}),
    ...(typeof rules === "number" ? { rules } : {}),
    ...(namespaces === undefined ? {} : { namespaces: namespaces as { readonly [namespace: string]: number } }),
    ...(enforcement === undefined ? {} : { enforcement: enforcement as Enforcement }),
    ...(impure === undefined ? {} : { impure: impure as ReadonlyArray<Canonical.JsonObject> }),
    ...(seeds === undefined ? {} : { seeds: seeds as ReadonlyArray<Canonical.JsonObject> })
  }
}

const importOf = ({ data = {} }: Body): Command | undefined => {
  const { adopted, proposal, recorded, ...origin } = data as Canonical.JsonObject
  if (proposal === undefined) return undefined
  const given = { origin, proposal: proposal as Proposal }
  return {
    _tag: "Import",
    ...given,
    ...(adopted === undefined ? {} : { adopted: adopted as Adopted }),
    ...(recorded === undefined ? {} : { recorded: recorded as Recorded })
  }
}

/** A body without what repetition adds, how often the same was refused, and without names that keys are needed for. */
const comparable = (body: Body): string => {
  const { count: _, turns: __, ...data } = body.data ?? {}
  const asked = Object.entries(Turns.takenBy(body)).map(([action, { ordinal }]) => [action, ordinal] as const)
  return Canonical.encode({ ...body, data: asked.length === 0 ? data : { ...data, turns: Object.fromEntries(asked) } })
}
