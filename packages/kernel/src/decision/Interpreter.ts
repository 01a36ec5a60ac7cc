/**
 * The loop by which decisions are carried out: the event after a decision gives the next command.
 *
 * An interpreter decides a command, appends its drafts, takes the next step of the decision, and asks here for the
 * command that follows, until the decision ends. Appending, looking, waiting and asking are its own; this function sees
 * to it that no fact is lost or changed on the way. The runtime, the interpreter of the README and the explorer of
 * interleavings share it.
 *
 * | a decision | then | the next command |
 * | --- | --- | --- |
 * | any | another writer was faster | the same, with the context that it was decided in first |
 * | any | a name is held elsewhere | `ClaimRefused` |
 * | `Look` | it was looked up | the same, with the answer |
 * | `Again`, `Await` | its time has come | the same, with what was learnt |
 * | `Wait` | its time has come | `Recover` |
 * | `Compensate`, `Complete` | its time has come | itself |
 * | a question to the world | it was answered, or met with silence | the one that brings the answer |
 * | `Call`, `Open` | the time was over in which it may be sent | `Recover`: nothing was sent |
 *
 * @see docs/decisions/0026-one-door.md
 */
import type * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import type { Command } from "./Command.ts"
import type { Named } from "./CommandFacts.ts"
import type { Decided, Next } from "./Decision.ts"
import * as Decision from "./Decision.ts"
import type { Concluded, Evidence, SourceEvidence } from "./Evidence.ts"
import type * as StoreQuery from "./StoreQuery.ts"

/**
 * An answer of the world, and when it was asked for, in epoch milliseconds. Silence is an answer, too: it is unknown.
 */
export interface Answer {
  readonly evidence: Evidence
  readonly askedAt?: number | undefined
  readonly latencyMillis?: number | undefined
  /** The evidence of the further sources of a readback. */
  readonly others?: ReadonlyArray<SourceEvidence> | undefined
  /** The end of a local transaction, as its store said it. */
  readonly concluded?: Concluded | undefined
  /** The request of an action whose record was asked before it is undone. */
  readonly own?: RecordedRequest.RecordedRequest | undefined
}

/** An event after a decision. */
export type Happened =
  | { readonly _tag: "Overtaken" }
  | { readonly _tag: "Refused"; readonly refusal: Named }
  | { readonly _tag: "Seen"; readonly answer: StoreQuery.Answer }
  | { readonly _tag: "Due" }
  | { readonly _tag: "Unsent" }
  | ({ readonly _tag: "Told" } & Answer)

/** A next step that only the world answers. */
export type Question = Extract<Next, { readonly request: unknown } | { readonly original: unknown }>

/** As much of a question as its answer has to say: which one it was, about which action, and where it was asked. */
export interface Asked {
  readonly _tag: Question["_tag"]
  readonly action: string
  readonly source?: string | undefined
  /** The way in which the record of an action was asked before it is undone. */
  readonly via?: "readback" | "status" | undefined
}

/** As much of a decision as the command after it depends on. */
export type Deciding = Pick<Decided, "again" | "names" | "next">

/** Tells whether a decision wants the world asked next. */
export const isQuestion = (next: Next): next is Question => "request" in next || "original" in next

/**
 * Tells whether a local transaction stays open for the next step. Before any other step, an end included, it is rolled
 * back: another process may have settled the action meanwhile, and would not conclude it.
 */
export const keepsOpen = ({ _tag }: Next): boolean => _tag === "ReadInside" || _tag === "Conclude"

/** Finds the next command. An event that cannot follow a decision is a defect of its interpreter. */
export const next = (decided: Deciding, happened: Happened): Command => {
  const { again, names = {}, next } = decided
  switch (happened._tag) {
    case "Overtaken":
      return again
    case "Refused":
      return { _tag: "ClaimRefused", command: again, names, refusal: happened.refusal }
    case "Seen":
      if (next._tag === "Look") return Decision.told(next, happened.answer)
      break
    case "Due": {
      const due = dueAfter(decided)
      if (due !== undefined) return due
      break
    }
    case "Unsent":
      if (next._tag === "Call" || next._tag === "Open") return { _tag: "Recover", action: next.request.action }
      break
    case "Told":
      if (isQuestion(next)) return told(askedOf(next), happened)
  }
  throw new Error(`after ${next._tag} nothing is ${happened._tag}`)
}

/**
 * Decides a command without a store: a query finds the state, and nothing beside it. So a trial is decided, or a
 * recorded command again.
 */
export const rehearse = (
  kernel: Decision.Decider,
  ...[terms, state, command]: Parameters<Decision.Decider["decide"]>
) => {
  let decided = kernel.decide(terms, state, command)
  while (decided.next._tag === "Look") {
    const { look } = decided.next
    const answer = look._tag === "State" ? state : look._tag === "Trace" || look._tag === "Shared" ? [] : false
    decided = kernel.decide(terms, state, next(decided, { _tag: "Seen", answer }))
  }
  return decided
}

/** The command of which the time has come. */
const dueAfter = ({ again, next }: Deciding): Command | undefined => {
  switch (next._tag) {
    case "Again":
      return next.command
    case "Await":
      return again
    case "Wait":
      return { _tag: "Recover", action: next.action }
    case "Compensate":
    case "Complete":
      return { _tag: next._tag }
    default:
      return undefined
  }
}

/** The command that brings the answer to a question. */
export const told = ({ _tag, action, source, via }: Asked, answer: Answer): Command => {
  const { askedAt, concluded, evidence, latencyMillis, others, own } = answer
  switch (_tag) {
    case "Call":
    case "Open":
      return { _tag: "Answered", action, via: "call", evidence, ...given({ askedAt, latencyMillis }) }
    case "Ask":
      return { _tag: "Answered", action, via: "status", evidence, ...given({ askedAt }) }
    case "ReadInside":
    case "ReadBefore":
      return { _tag, action, evidence }
    case "ReadBack":
    case "Conclude":
      return { _tag: "ReadBack", action, evidence, ...given({ askedAt, concluded, others, source }) }
    case "ReadOriginal":
      if (own === undefined || via === undefined) throw new Error(`nothing is known of the request of ${action}`)
      return { _tag: "Compensate", original: { ...own, via, evidence, ...given({ askedAt }) } }
  }
}

const askedOf = (question: Question): Asked => {
  if (question._tag !== "ReadOriginal") return { ...question.request, _tag: question._tag }
  const { action, via } = question.original
  return { _tag: question._tag, action, via }
}

/** Fields that are there: an explored state has a name by its text. */
const given = <const Fields extends Readonly<Record<string, unknown>>>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>
