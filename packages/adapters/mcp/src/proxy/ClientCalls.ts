/**
 * Takes calls of clients down the commit path of one run, and answers each with its outcome.
 *
 * A call whose act is under way in this process waits for it, and is then answered from the record. A call whose act
 * was left open is settled first: the server is asked what became of it.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Reviews from "@backstitch/kernel/Reviews"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Wording from "@backstitch/wording/Wording"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Contracts } from "../contract/ContractFile.ts"
import * as ToolMapping from "../contract/ToolMapping.ts"
import * as JsonRpc from "../message/JsonRpc.ts"
import * as Link from "../wire/Link.ts"
import * as Elicitation from "./elicitation.ts"
import type { ClientCall, Relay, Stop } from "./Relay.ts"
import * as Reply from "./reply.ts"
import * as ServerTools from "./ServerTools.ts"

/** The person at the client: their name and role, as the operator gave them when the proxy was started. */
export interface Approver {
  readonly by: string
  readonly role: string
}

/** Parts of a gate. */
export interface Options {
  readonly contracts: Contracts
  readonly handle: RunHandle.RunHandle
  readonly voice: Reply.Voice
  readonly approver: Approver | undefined
  readonly note: (says: string) => void
}

/** Decides on calls of one run. */
export interface ClientCalls {
  readonly isContracted: (tool: string) => boolean
  readonly stops: (tool: string, session: Relay) => Promise<Stop | undefined>
  readonly decide: (call: ClientCall) => Effect.Effect<JsonRpc.Frame>
  /** Settles what a crash or a hold left open, unless that is under way. */
  readonly recover: Effect.Effect<void>
  /** Makes settlements durable that wait for the next commit, and takes in what has arrived before. */
  readonly flush: Effect.Effect<void>
}

/** Makes the gate of a run. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { approver, contracts, handle, note, voice } = options
  const { mapping, pack } = contracts
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const underWay = new Set<Promise<void>>()
  const hearing = new Set<Promise<void>>()
  const said = new Map<string, string>()
  let recovering: Promise<void> | undefined

  const stops = async (tool: string, session: Relay): Promise<Stop | undefined> => {
    try {
      const problem = await ServerTools.changed(tool, mapping, session.link)
      return problem === undefined ? undefined : stop(problem, voice)
    } catch (cause) {
      const challenge = Link.challengeOf(cause)
      if (challenge !== undefined) return challenge
      const why = cause instanceof Error ? cause.message : String(cause)
      return stop(`it could not be checked whether ${tool} is as it was reviewed: ${why}`, voice)
    }
  }

  /** Takes in an answer that came after its time. Whoever called was told meanwhile that its outcome is unknown. */
  const hear = ({ action, askedAt, evidence, tool }: ServerTools.LateAnswer): void => {
    const told = Effect.flatMap(evidence, (answer) => handle.answer({ action, askedAt, evidence: answer })).pipe(
      Effect.tap((outcome) =>
        Effect.sync(
          () => outcome && note(`${tool} has answered about ${action} after its time: ${saidOf(outcome, voice)}`)
        )
      ),
      Effect.catchCause((cause) =>
        Effect.sync(() => note(`a late answer about ${action} could not be recorded: ${messageOf(cause)}`))
      ),
      Effect.asVoid,
      listening
    )
    const heard: Promise<void> = run(told).finally(() => hearing.delete(heard))
    hearing.add(heard)
  }

  const listening = Effect.provideService(ServerTools.LateAnswers, hear)

  const recoverOpen = handle.resume.pipe(
    listening,
    Effect.tap((outcomes) =>
      Effect.sync(() => {
        for (const outcome of outcomes) note(`an action that was left open: ${saidOf(outcome, voice)}`)
      })
    ),
    Effect.catchCause((cause) => Effect.sync(() => note(`open actions could not be settled: ${messageOf(cause)}`))),
    Effect.asVoid
  )

  const recover = Effect.promise(() => {
    recovering ??= run(recoverOpen).finally(() => {
      recovering = undefined
    })
    return recovering
  })

  /** Settles an action that was left open, once no call of this process is under way, since that is not left open. */
  const settled = Effect.fnUntraced(function* (action: string) {
    while (underWay.size > 0) yield* Effect.promise(() => Promise.allSettled([...underWay]))
    yield* recover
    return yield* listening(handle.settle(action))
  })

  const propose = (call: ClientCall) => {
    const params = ServerTools.ownArguments(ToolMapping.of(mapping, call.tool), call.args)
    const agent = call.session.client()
    const proposal = { tool: call.tool, params, ...(agent === undefined ? {} : { agent }) }
    return Effect.suspend(() => {
      const { promise, resolve } = Promise.withResolvers<void>()
      underWay.add(promise)
      const isOver = Effect.sync(() => {
        underWay.delete(promise)
        resolve()
      })
      const proposed = Effect.provideService(handle.propose(proposal), ServerTools.CurrentCall, call)
      return Effect.ensuring(listening(proposed), isOver)
    })
  }

  const proposed = Effect.fnUntraced(function* (call: ClientCall) {
    let first = yield* propose(call)
    // The action that holds it may have been settled by another process, or by a person.
    if (isBegun(first) && (yield* handle.catchUp)) first = yield* propose(call)
    if (!isBegun(first)) return first
    const found = yield* settled(first.action)
    // The settlement shows its outcome, or who decides about it; a call of it is answered from the record.
    return found?._tag === "Held" ? found : yield* propose(call)
  })

  /** Asks the person at the client, if the client can show a form and their role may decide. */
  const asked = Effect.fnUntraced(function* (
    call: ClientCall,
    parked: Parked
  ): Effect.fn.Return<Answer, RunHandle.RunError> {
    const { session } = call
    if (approver === undefined || !parked.needs.includes(approver.role) || !session.canElicit()) return parked
    const { review } = parked
    const about = { tool: call.tool, args: call.args, run: voice.run, review }
    const params = Elicitation.question({ ...about, why: Wording.why(parked, voice.words) })
    // Arguments that nobody could look through are decided elsewhere.
    if (params === undefined) return parked
    const seen = Reviews.of((yield* handle.position).state).get(review)
    if (seen === undefined) return parked
    const question = Reviews.digestOf(handle.run, review, seen)
    const given = Elicitation.answerIn(call.params, question)
    if (session.isStateless() && given === undefined)
      return { _tag: "Asks", result: Elicitation.asking(question, params) }
    const answer = session.isStateless() ? given : yield* Effect.promise(() => session.elicit(params, call.id))
    const decided = Elicitation.decisionOf(answer)
    if (decided === undefined) return parked
    const { reason, verdict } = decided
    const data = { ...approver, review, verdict, ...(reason === undefined ? {} : { reason }) }
    // While the person read, the run may have asked something else under the same name.
    yield* handle.propose({ type: "review.decided", author: "user", data, question })
    return call.isCancelled() ? parked : yield* propose(call)
  })

  const outcomeOf = Effect.fnUntraced(function* (call: ClientCall) {
    const outcome = yield* proposed(call)
    return outcome._tag === "Parked" ? yield* asked(call, outcome) : outcome
  })

  /** Tells why a tool is not called that neither the pack nor the server knows, such as one that a model invented. */
  const unknown = async (tool: string, { link }: Relay): Promise<Stop | undefined> => {
    if (Object.hasOwn(pack.tools, tool)) return undefined
    const listed = await link.tools().catch(Link.challengeOf)
    if (listed === undefined || "authenticate" in listed) return listed
    if (listed.has(tool)) return undefined
    return `The server lists no tool ${tool}, and no contract names it. Nothing was sent. Call a tool that is listed`
  }

  /** Says once why the calls of a tool are stopped. Names that nobody knows are not kept: there is no end of them. */
  const noteOnce = (tool: string, problem: string): void => {
    if (said.get(tool) === problem) return
    if (Object.hasOwn(pack.tools, tool)) said.set(tool, problem)
    note(problem)
  }

  const decide = Effect.fnUntraced(function* (call: ClientCall) {
    const { session, tool } = call
    const problem = yield* Effect.promise(async () => (await unknown(tool, session)) ?? (await stops(tool, session)))
    if (typeof problem === "object") return JsonRpc.challenged(call.id, problem)
    if (problem !== undefined) {
      noteOnce(tool, problem)
      return Reply.stopped(call.id, problem)
    }
    return yield* outcomeOf(call).pipe(
      Effect.map((answer) =>
        answer._tag === "Asks" ? JsonRpc.success(call.id, answer.result) : Reply.of(answer, call, voice)
      ),
      Effect.catchCause((cause) => Effect.sync(() => failed(call, messageOf(cause), note)))
    )
  })

  const gate: ClientCalls = {
    isContracted: (tool) => takesPath(tool, contracts),
    stops,
    decide,
    recover,
    flush: Effect.andThen(
      Effect.promise(() => Promise.allSettled([...hearing])),
      Effect.ignore(handle.flush)
    )
  }
  return gate
})

const isBegun = (outcome: Outcome): outcome is Outcome & { readonly _tag: "Held" } =>
  outcome._tag === "Held" && outcome.why.code === "action.begun"

type Parked = Outcome & { readonly _tag: "Parked" }

/** An outcome, or the question to the user that comes first. */
type Answer = Outcome | { readonly _tag: "Asks"; readonly result: JsonObject }

/**
 * Tells whether calls of a tool take the commit path: all but those that the contract calls a read, and of which the
 * pack says nothing that has to be decided or kept.
 */
const takesPath = (tool: string, { pack }: Contracts): boolean => {
  const contract = TaskPack.tool(pack, tool)
  if (ToolContract.isMutating(contract)) return true
  const subjects = [tool, "action.request"]
  return (
    TaskPack.approvalOf(pack, tool) !== undefined ||
    pack.guards.some(({ on }) => on.some((each) => subjects.includes(each))) ||
    subjects.some((each) => Object.hasOwn(pack.transitions, each)) ||
    contract.cost !== undefined ||
    contract.onReconciled !== undefined ||
    TaskPack.reducerOf(pack, tool) !== undefined
  )
}

/** The words for a call that is stopped because its tool is not as it was reviewed. */
const stop = (problem: string, { run }: Reply.Voice): string =>
  Reply.oneLine(
    `Stopped, and nothing was sent: ${problem}. Review the tool, and write its new form into the mapping beside the ` +
      `pack of run ${run}. A draft from the server has it`
  )

const failed = (call: ClientCall, problem: string, note: (says: string) => void): JsonRpc.Frame => {
  note(`the call of ${call.tool} could not be carried out: ${problem}`)
  const sent = call.isSent() ? "It was sent, and is on record as open" : "Nothing was sent"
  return JsonRpc.failure(call.id, { code: JsonRpc.codes.internal, message: `${problem}. ${sent}` })
}

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

const saidOf = (outcome: Outcome, { words }: Reply.Voice): string =>
  outcome._tag === "Done" ? "done" : `${outcome._tag.toLowerCase()}, ${Wording.why(outcome, words)}`
