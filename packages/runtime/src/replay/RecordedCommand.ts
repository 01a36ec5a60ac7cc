/**
 * Reads back from a trace the command on which a committed transition was decided.
 *
 * Proposals, evidence of the world, and facts of other runs that this run recorded are read back from what was
 * committed. A command that the kernel gives itself has no input to read back: {@link unasked} lists those that may
 * have led to a transition, and one of them has to lead to it again.
 */

import type { Annotation, Command } from "@backstitch/kernel/Command"
import type { Adopted } from "@backstitch/kernel/CommandFacts"
import type { Heard } from "@backstitch/kernel/Evidence"
import * as InvalidMove from "@backstitch/kernel/InvalidMove"
import type { ActsBefore } from "@backstitch/kernel/KeylessAct"
import * as Payload from "@backstitch/kernel/Payload"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Resolution from "@backstitch/kernel/Resolution"
import * as Trust from "@backstitch/ledger/Trust"
import type { WorkingPatch } from "@backstitch/reducer/WorkingPatch"
import * as Crack from "@backstitch/topology/Crack"
import type * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import type { Digest } from "@backstitch/trace/Digest"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as RecordedEvidence from "./RecordedEvidence.ts"

/**
 * Tells whether a commit adds the transition by itself. Such a transition follows from the fold, which strict replay
 * checks, or names the rules under which the run continues.
 */
export const isAnnotation = (body: Body): boolean => {
  const { type } = body
  if (type === "predicate.violation" || type === "run.migrated") return true
  const anomaly = Payload.of(body, "kernel.anomaly")
  return (
    anomaly !== undefined &&
    (anomaly.predicate !== undefined || anomaly.kind === InvalidMove.kind || anomaly.kind === InvalidMove.unrequested)
  )
}

/**
 * Tells whether a recording of another framework can hold a transition: a message, a call by an agent, its answer at
 * trust 1, or an annotation of the fold about these. No kernel decided it: it uses no budget, begins nothing under a
 * key and settles nothing.
 */
export const isOfRecording = ({ body, stamp }: Transition): boolean => {
  const { author, result, type } = body
  if (stamp.key !== undefined || stamp.reserved !== undefined || stamp.spent !== undefined) return false
  switch (type) {
    case "run.started":
      return Payload.of(body, "run.started")?.source !== undefined
    case "action.request":
    case "message.sent":
      return author === "agent"
    case "message.received":
      return author === "user"
    case "action.result":
      return result?.basis === "recorded" && result.trust === Trust.of("word")
    default:
      return isAnnotation(body)
  }
}

/**
 * The command on which a committed transition was decided, together with the later transitions of that decision.
 * `undefined` if there was no request, or if no trace of the run holds it.
 */
export const of = (transition: Transition, behind: ReadonlyArray<Transition> = []): Command | undefined => {
  const own = Payload.read(transition.body)
  if (restsElsewhere(transition)) return undefined
  if (own.type === "predicate.violation") return alarmOf(own.data)
  if (isCompletion(own)) return { _tag: "Complete", ...adoptedOf(own, behind) }
  switch (own.type) {
    case "bisect.result":
    case "causal.chain":
    case "diff.summary":
    case "run.rebase":
    case "checkpoint.commit":
    case "checkpoint.entry":
    case "checkpoint.exit":
    case "failure.observed":
      return { _tag: "Annotate", type: own.type, data: own.data } as Annotation
    case "budget.sliced":
      return { _tag: "Slice", amounts: own.data.budget, child: own.data.child }
    case "run.started":
      return startOf(own.data, own.goal)
    case "run.migrated":
      return own.data?.rules === undefined ? undefined : { _tag: "Migrate", rules: own.data.rules }
    case "run.cherrypick":
      return importOf(own.data)
    case "revision.absorbed":
      return absorbOf(own.data, transition.tick - 1, behind)
    case "action.request":
    case "intent.adopted":
    case "intent.refused":
    case "policy.decision":
      return proposedOf(transition, own, behind)
    case "kernel.anomaly":
      return oversteppedOf(transition, own.data)
    case "recovery.restored":
      return { _tag: "Compensate" }
    case "action.result":
      return answeredOf(own, transition.envelope.tokens)
    case "action.verified":
      return readOf(own)
    case "recovery.decided":
      return recoveredOf(own, transition.tick - 1)
    default: {
      if (own.author === "kernel") return undefined
      const proposal = proposalOf(transition, { data: own.data ?? {}, type: own.type })
      return { _tag: Resolution.isResolution(proposal) ? "Resolve" : "Propose", proposal }
    }
  }
}

/** Reads the record of an alarm. A violation of the pack's own predicates is reported by the commit that shows it. */
const alarmOf = (data: Payload.Of<"predicate.violation">): Command | undefined =>
  Crack.named(data.predicate) === undefined ? undefined : { _tag: "Annotate", type: "predicate.violation", data }

/** Reads an absorption that was planned at the tick `at`. The patch is part of the undoing that it asked for. */
export const absorbOf = (
  says: Payload.Of<"revision.absorbed">,
  at: number,
  [next]: ReadonlyArray<Transition>
): Extract<Command, { readonly _tag: "Absorb" }> => {
  const plan = next && Payload.of(next.body, "recovery.decided")?.plan
  const patch = plan?.cause === "revision" ? ((plan.restore?.patch ?? []) as WorkingPatch) : []
  return { _tag: "Absorb", at, says, patch }
}

/**
 * Tells whether a decision depends on facts that no trace of the run holds, and settles nothing: names and acts of
 * another run, the text of a refused note, or an answer that came too late.
 *
 * | the transition | depends on |
 * | --- | --- |
 * | `run.fork` | the trace of its parent, if that is missing or ends before the tick that the fork has seen |
 * | `intent.refused` with a holder, `policy.decision` that awaits one | the run that holds the name |
 * | `intent.refused` for a proposal without a call | the proposal, which is not kept |
 * | `action.result` with `told`, without a result | an earlier settlement, which is on record |
 * | `kernel.anomaly` of a move, without a tick | an answer that came after the settlement |
 * | `budget.exhausted` | a refusal that is committed later, merged with similar ones |
 */
export const restsElsewhere = ({ body, stamp }: Transition): boolean => {
  const own = Payload.read(body)
  switch (own.type) {
    case "run.fork":
    case "budget.exhausted":
      return stamp.key === undefined && stamp.reserved === undefined && stamp.spent === undefined
    case "intent.refused":
      return own.data?.holder !== undefined || own.policy === undefined || own.data?.proposed !== "action.request"
    case "policy.decision":
      return own.data?.awaits !== undefined
    case "action.result":
      return own.data?.told !== undefined && own.result === undefined
    case "kernel.anomaly":
      return own.data.kind === InvalidMove.kind && own.data.at === undefined
    default:
      return false
  }
}

/**
 * Commands without input that may have led to a transition and the later ones of its decision: continuing its action,
 * the undo plan, or the steps behind a pivot.
 */
export const unasked = ({ body }: Transition, behind: ReadonlyArray<Transition>): ReadonlyArray<Command> => {
  if (body.author !== "kernel") return []
  const { action } = body.action === undefined ? (behind.find((each) => each.body.action)?.body ?? body) : body
  const going = action === undefined ? [] : [{ _tag: "Recover", action: action.id } as const]
  return [...going, { _tag: "Compensate" }, { _tag: "Complete" }]
}

/** A proposal of an agent as the trace keeps it: the command that decided it, or only the type of a refused note. */
export type Proposed =
  | { readonly _tag: "Whole"; readonly command: Extract<Command, { readonly _tag: "Propose" }> }
  | { readonly _tag: "Type"; readonly type: string }

/**
 * The agent's proposal that a committed transition decides, whatever else the decision depends on; `undefined` for
 * any other transition.
 */
export const proposedIn = (transition: Transition): Proposed | undefined => {
  const own = Payload.read(transition.body)
  if (isCompletion(own)) return undefined
  if (own.type === "intent.refused") {
    const { author, proposed } = own.data ?? {}
    if (author !== undefined) return undefined
    if (proposed !== undefined && proposed !== "action.request") return { _tag: "Type", type: proposed }
  }
  const isHeld = own.type === "intent.refused" || own.type === "policy.decision"
  const command = isHeld ? proposedOf(transition, own, []) : of(transition)
  return command?._tag === "Propose" && command.proposal.author === "agent" ? { _tag: "Whole", command } : undefined
}

/** A body of one of these types. */
type Own<T extends Ontology.Type> = Extract<Payload.Body, { readonly type: T }>

/** The act of another run that a call takes over, with the facts that count if no system is asked. */
const adoptedOf = (own: Payload.Body, behind: ReadonlyArray<Transition>): { readonly adopted?: Adopted } => {
  const { data } = own.type === "action.request" ? own : {}
  if (data?.adopted?.run === undefined || own.type !== "action.request") return {}
  const { action, run, tick } = data.adopted
  const turn = data.turns?.[own.action?.id ?? ""]?.ordinal
  const answered = behind.find(({ body }) => body.action?.id === own.action?.id && body.type === "action.result")?.body
  const isTaken = answered !== undefined && Payload.of(answered, "action.result")?.adopted !== undefined
  const { startedAt } = data
  return {
    adopted: {
      action,
      run,
      tick,
      ...defined({ startedAt, turn }),
      ...(isTaken ? { output: answered.result?.output ?? null } : {})
    }
  }
}

/** Tells whether the kernel began the action on its own initiative, behind a pivot. */
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

/** Reads a request of an agent that was admitted, answered from the record, refused, or left to a person. */
const proposedOf = (
  transition: Transition,
  own: Own<"action.request" | "intent.adopted" | "intent.refused" | "policy.decision">,
  behind: ReadonlyArray<Transition>
): Command | undefined => {
  switch (own.type) {
    case "action.request": {
      const { breakGlass, met } = own.data ?? {}
      const { params, tool, undoes } = own.action ?? {}
      if (undoes !== undefined) return { _tag: "Compensate" }
      const glass = breakGlass === undefined ? {} : { breakGlass }
      const proposal = proposalOf(transition, { ...glass, tool, params })
      return { _tag: "Propose", ...adoptedOf(own, behind), ...metOf(met), proposal }
    }
    case "intent.adopted": {
      const { adopted, params, proposed, tool } = own.data
      const { action, run, tick } = adopted
      const taken =
        run === undefined || action === undefined ? {} : { adopted: { action, believed: true as const, run, tick } }
      const proposal = proposalOf(transition, { ...calling(params, tool), ...authorOf(proposed), type: proposed })
      return { _tag: "Propose", ...taken, proposal }
    }
    case "intent.refused": {
      const { params, tool } = own.data ?? {}
      return { _tag: "Propose", proposal: proposalOf(transition, calling(params, tool)) }
    }
    case "policy.decision": {
      const { met, params, tool, undoes } = own.data ?? {}
      if (undoes !== undefined) return { _tag: "Compensate" }
      return { _tag: "Propose", ...metOf(met), proposal: proposalOf(transition, calling(params, tool)) }
    }
  }
}

/** The author of a type that no agent may write: a repeated proposal is answered from the record, whoever made it. */
const authorOf = (type: string): Pick<Proposal, "author"> => {
  if (!Ontology.isType(type) || Ontology.mayAuthor("agent", type)) return {}
  const author = Ontology.types[type].authors.find((each) => each !== "kernel")
  return author === undefined ? {} : { author }
}

/**
 * Reads an author's attempt to write a type that others own, or an annotation of a program. An anomaly that a commit
 * found by itself has no request.
 */
const oversteppedOf = (transition: Transition, data: Payload.Of<"kernel.anomaly">): Command | undefined => {
  const { author, kind, type } = data
  const { action } = transition.body
  const about = action === undefined ? {} : { about: action.id }
  if (isAnnotation(transition.body)) return undefined
  return kind !== "author" || author === undefined || type === undefined
    ? { _tag: "Annotate", type: "kernel.anomaly", ...about, data }
    : { _tag: "Propose", proposal: proposalOf(transition, { author, type }) }
}

/** Reads an answer to a call or a status question, from the tool, a further source or the provider. */
const answeredOf = (body: Own<"action.result">, tokens: number | undefined): Command | undefined => {
  const evidence = RecordedEvidence.answered(body, tokens)
  const { delivery, source, told } = body.data ?? {}
  const action = body.action?.id ?? ""
  if (delivery !== undefined) {
    const outcome = body.result?.status === "ok" ? "done" : "failed"
    return heardOf(delivery, { action, ...(told ?? { outcome, output: body.result?.output ?? null }) })
  }
  if (evidence === undefined) return undefined
  return source === undefined
    ? { _tag: "Answered", action, via: body.result?.basis === "status" ? "status" : "call", evidence }
    : { _tag: "ReadBack", action, evidence, source }
}

/** Reads a delivery: a trace keeps its digest, and the outcome that its body named. */
const heardOf = (delivery: string | undefined, heard: Heard): Command => ({
  _tag: "Deliver",
  tool: "",
  body: null,
  delivery: (delivery ?? "") as Digest,
  heard
})

/** Reads the cause of a recovery: a reversal that failed, a request to undo, or an answer that settled nothing. */
const recoveredOf = (body: Own<"recovery.decided">, at: number): Command | undefined => {
  const { delivery, plan, source, stops, via } = body.data ?? {}
  if (stops !== undefined) return { _tag: "Compensate" }
  if (body.action === undefined && plan !== undefined) return undoOf(plan, at)
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
    case "webhook":
      return evidence._tag === "Ok"
        ? heardOf(delivery, { action, outcome: "done", output: evidence.output })
        : heardOf(delivery, { action, outcome: "failed", output: evidence._tag === "Error" ? evidence.error : null })
    default:
      return undefined
  }
}

/** Reads a readback: before anything was sent, inside a transaction, or from outside. */
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

/** A plan names its request. A plan that waited was requested earlier. */
const undoOf = (
  {
    because,
    cause,
    checkpoint,
    masks,
    policy,
    restore,
    scopes,
    steps,
    subject
  }: NonNullable<NonNullable<Payload.Of<"recovery.decided">>["plan"]>,
  at: number
): Command => {
  if (cause === "saga") return { _tag: "Compensate" }
  const actions = steps.map(({ undoes }) => undoes).reverse()
  const within = scopes === undefined ? {} : { scopes: scopes.map(({ scope }) => scope) }
  const about = subject === undefined ? {} : { subject }
  const patch = (restore?.patch ?? []) as WorkingPatch
  const back = checkpoint === undefined ? {} : { rollback: { at, checkpoint, patch, policy } }
  return { _tag: "Undo", wanted: { actions, because, cause, masks, ...within, ...about }, ...back }
}

/** Reads the run that made the same request before, as the decision records it. */
const metOf = (met: ActsBefore | undefined): { readonly met?: ActsBefore } => (met === undefined ? {} : { met })

const calling = (params: Canonical.Json | undefined, tool: string | undefined): Partial<Proposal> => ({
  params,
  ...defined({ tool })
})

const proposalOf = ({ body, stamp }: Transition, asked: Partial<Proposal>): Proposal => {
  const { agent, confidence, intent, uncertainty } = body
  const { tokens, ...spent } = stamp.spent ?? {}
  const { contextHash: _, ...authored } = intent ?? {}
  return {
    ...authored,
    ...defined({ agent, confidence, uncertainty }),
    ...(tokens === undefined ? {} : { tokens: Number(tokens) }),
    spent,
    author: body.author === "kernel" ? "agent" : body.author,
    ...asked
  }
}

/** The kernel that decides adds its own format and ontology, and the tenant of the run. */
const startOf = (data: Payload.Of<"run.started">, goal = ""): Command => {
  const { format: _, goal: text, pack, source: __, tenant: ___, ...pinned } = data
  return { _tag: "Start", goal, text, pack, ...pinned }
}

const importOf = ({ adopted, proposal, recorded, ...origin }: Payload.Of<"run.cherrypick">): Command => ({
  _tag: "Import",
  origin,
  proposal,
  ...defined({ adopted, recorded })
})
