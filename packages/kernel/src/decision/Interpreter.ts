/**
 * The loop that carries decisions out: from a decision and the event after it to the next command.
 *
 * An interpreter decides a command, appends its drafts, and takes the next step of the decision. Then it asks this
 * function for the following command, until a decision ends. The interpreter appends, queries, waits and asks; this
 * function makes sure that no fact is lost or changed on the way. The runtime, the interpreter of the README and the
 * explorer of interleavings share it.
 *
 * | a decision | then | the next command |
 * | --- | --- | --- |
 * | any | another writer was faster | the same, with the context in which it was first decided |
 * | any | a name is held elsewhere | `ClaimRefused` |
 * | `Look` | the store was queried | the same, with the answer |
 * | `Again`, `Await` | its time has come | the same, with the facts learnt |
 * | `Wait` | its time has come | `Recover` |
 * | `Compensate`, `Complete` | its time has come | itself |
 * | a question to the world | it was answered, or no answer came | the one that brings the answer |
 * | `Call`, `Open` | the time to send it was over | `Recover`: nothing was sent |
 *
 * @see docs/decisions/0026-one-door.md
 */
import type * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import type { State } from "@backstitch/reducer/State"
import { defined } from "@backstitch/trace/Defined"
import type { Command } from "./Command.ts"
import type { RefusedName } from "./CommandFacts.ts"
import type { CallRequest, Decided, NextQuestion } from "./Decision.ts"
import * as Decision from "./Decision.ts"
import type { Concluded, Evidence, SourceEvidence } from "./Evidence.ts"
import type * as StoreQuery from "./StoreQuery.ts"

/** An answer of the world, and when it was asked for, in epoch milliseconds. Silence is an answer, too: `Unknown`. */
export interface WorldAnswer {
  readonly evidence: Evidence
  readonly askedAt?: number | undefined
  readonly latencyMillis?: number | undefined
  /** The evidence of the further sources of a readback. */
  readonly others?: ReadonlyArray<SourceEvidence> | undefined
  /** The end of a local transaction, as its store said it. */
  readonly concluded?: Concluded | undefined
  /** The request of the action to be undone, whose record was read. */
  readonly own?: RecordedRequest.RecordedRequest | undefined
}

/** An event that follows a decision. */
export type Happened =
  | { readonly _tag: "Overtaken" }
  | { readonly _tag: "Refused"; readonly refusal: RefusedName }
  | { readonly _tag: "Seen"; readonly answer: StoreQuery.QueryAnswer }
  | { readonly _tag: "Due" }
  | { readonly _tag: "Unsent" }
  | ({ readonly _tag: "Told" } & WorldAnswer)

/** A next step that only the world answers. */
export type WorldQuestion = Extract<NextQuestion, { readonly request: unknown } | { readonly original: unknown }>

/** The fields of a question that its answer repeats: its kind, its action, and the source that was asked. */
export interface QuestionFacts {
  readonly _tag: WorldQuestion["_tag"]
  readonly action: string
  readonly source?: string | undefined
  /** The way in which the record of the action to be undone was read. */
  readonly via?: "readback" | "status" | undefined
}

/** The end of a local transaction that a verdict requests, and the moment before which it has to be reached. */
export interface TransactionEnd {
  readonly how: "commit" | "roll_back"
  readonly request: Pick<CallRequest, "sendBefore">
}

/** The fields of a decision that determine the command after it. */
export type Deciding = Pick<Decided, "again" | "names" | "next">

/** Tells whether the next step of a decision is a question to the world. */
export const isQuestion = (next: NextQuestion): next is WorldQuestion => "request" in next || "original" in next

/**
 * Tells whether a request, or the commit of a transaction, comes too late at a moment. It is then dropped
 * (decision 0036).
 */
export const isLate = ({ sendBefore }: Pick<CallRequest, "sendBefore">, at: number): boolean => at > sendBefore

/** The end of a local transaction at a moment. A commit that comes too late is a rollback (decision 0011). */
export const endOf = ({ how, request }: TransactionEnd, at: number): TransactionEnd["how"] =>
  isLate(request, at) ? "roll_back" : how

/**
 * Tells whether a local transaction stays open for the next step. Before any other step, including an end, the
 * transaction is rolled back: another process may have settled the action meanwhile, and would not conclude it.
 */
export const keepsOpen = ({ _tag }: NextQuestion): boolean => _tag === "ReadInside" || _tag === "Conclude"

/**
 * Tells whether the present step of a plan was settled by another process: the plan that was begun by `Compensate` or
 * `Complete` is then continued, unless it is over.
 */
export const isOvertaken = (first: Command, { outcome }: NextQuestion & { readonly _tag: "End" }): boolean =>
  (first._tag === "Compensate" || first._tag === "Complete") &&
  outcome._tag === "Done" &&
  outcome.adopted?.action !== undefined

/** Finds the next command. An event that cannot follow the decision is a defect of the interpreter. */
export const next = (decided: Deciding, happened: Happened): Command => {
  const { again, names = {}, next } = decided
  switch (happened._tag) {
    case "Overtaken":
      return again
    case "Refused":
      return { _tag: "ClaimRefused", command: again, names, refusal: happened.refusal }
    case "Seen":
      if (next._tag === "Look") return Decision.withAnswer(next, happened.answer)
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
      if (isQuestion(next)) return commandOf(askedOf(next), happened)
  }
  throw new Error(`after ${next._tag} nothing is ${happened._tag}`)
}

/**
 * Decides a command without a store: a query finds only the state, and the consumers of subtasks if they are given.
 * Used for trials, and to make recorded decisions again.
 */
export const rehearse = (
  kernel: Decision.Decider,
  ...[terms, state, command, consumers]: [...Parameters<Decision.Decider["decide"]>, consumers?: ConsumersOf]
) => {
  let decided = kernel.decide(terms, state, command)
  while (decided.next._tag === "Look") {
    const answer = blank(decided.next.look, state, consumers)
    decided = kernel.decide(terms, state, next(decided, { _tag: "Seen", answer }))
  }
  return decided
}

/** Lists the consumers of the subtasks with some scopes. */
export type ConsumersOf = (scopes: ReadonlyArray<string>) => StoreQuery.Answers["Consumers"]

const blank = (
  look: StoreQuery.StoreQuery,
  state: State,
  consumers: ConsumersOf = () => []
): StoreQuery.QueryAnswer => {
  switch (look._tag) {
    case "State":
      return state
    case "Consumers":
      return consumers(look.scopes)
    case "Shared":
    case "Trace":
      return []
    case "Seeded":
    case "Taken":
      return false
  }
}

/** The command whose time has come. */
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
export const commandOf = ({ _tag, action, source, via }: QuestionFacts, answer: WorldAnswer): Command => {
  const { askedAt, concluded, evidence, latencyMillis, others, own } = answer
  switch (_tag) {
    case "Call":
    case "Open":
      return { _tag: "Answered", action, via: "call", evidence, ...defined({ askedAt, latencyMillis }) }
    case "Ask":
      return { _tag: "Answered", action, via: "status", evidence, ...defined({ askedAt }) }
    case "ReadInside":
    case "ReadBefore":
      return { _tag, action, evidence }
    case "ReadBack":
    case "Conclude":
      return { _tag: "ReadBack", action, evidence, ...defined({ askedAt, concluded, others, source }) }
    case "ReadOriginal":
      if (own === undefined || via === undefined) throw new Error(`nothing is known of the request of ${action}`)
      return { _tag: "Compensate", original: { ...own, via, evidence, ...defined({ askedAt }) } }
  }
}

const askedOf = (question: WorldQuestion): QuestionFacts => {
  if (question._tag !== "ReadOriginal") return { ...question.request, _tag: question._tag }
  const { action, via } = question.original
  return { _tag: question._tag, action, via }
}
