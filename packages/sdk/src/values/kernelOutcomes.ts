/** Outcomes of the kernel as outcomes of this package. */
import * as ActionFate from "@backstitch/kernel/ActionFate"
import type * as Kernel from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as History from "@backstitch/runtime/History"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as ActionId from "@backstitch/trace/ActionId"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import type { Json } from "./Json.ts"
import * as NextSteps from "./nextSteps.ts"
import type * as Outcome from "./Outcome.ts"

/** Tells an outcome of a run, with the answer of the tool where one is on record. */
export const outcome = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, found: Kernel.Outcome) {
  const { run } = handle
  if (found._tag === "Done") return yield* done(handle, found)
  const about = { run: found._tag === "Held" && found.run !== undefined ? found.run : run.id }
  const why = Wording.why(found)
  switch (found._tag) {
    case "Refused": {
      const tick = found.tick === undefined ? {} : { tick: found.tick }
      return { status: "refused", ...about, ...tick, why, next: NextSteps.of(Wording.next(found), about) } as const
    }
    case "Held": {
      const { action, tick } = found
      const next = NextSteps.of(Wording.next(found), { ...about, action })
      const own = found.run === undefined ? yield* handle.transitions(begunAt(action)) : []
      const said = lastWord(own, action)
      const cause = found.why.code === "action.frozen" ? causeOf(own, action) : undefined
      const told = { ...about, tick, action, ...(said === undefined ? {} : { said }) }
      return { status: "held", ...told, why: cause === undefined ? why : `${cause}; ${why}`, next } as const
    }
    case "Parked": {
      const { needs, review, tick } = found
      const waits = [{ needs, review, run: run.id, verb: "decide" } as const]
      return { status: "parked", ...about, tick, review, needs, why, next: NextSteps.of(waits, about) } as const
    }
    case "Failed": {
      const { error, tick } = found
      const missing = unboundTool(error)
      if (missing !== undefined) return { status: "failed", ...about, tick, error, ...codeless(missing) } as const
      const looks = [{ run: run.id, tick, verb: "explain" } as const]
      const effect = effectOf(found)
      const isGivenUp = effect === "unknown" && found.lost === undefined
      const told = isGivenUp ? `a person gave it up, and it may have happened nevertheless: ${why}` : why
      return { status: "failed", ...about, tick, error, effect, why: told, next: NextSteps.of(looks, about) } as const
    }
  }
})

/** Tells an outcome of a call. An act that was taken over from the record of another run was done before. */
export const ofCall = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, found: Kernel.Outcome) {
  if (found._tag !== "Done" || found.basis !== "recorded" || found.adopted !== undefined) {
    return yield* outcome(handle, found)
  }
  const { tick } = found
  const [settled] = yield* handle.transitions(tick, tick)
  const own = settled?.body.action
  const adopted = { run: handle.run.id, tick, ...(own === undefined ? {} : { action: own.id }) }
  return yield* outcome(handle, { ...found, adopted })
})

/** The tool whose code was not in the process that was to call it; `undefined` for other errors. */
const unboundTool = (error: Json): string | undefined => {
  const { code, tool } = Canonical.objectOf(error)
  return code === "unbound" && typeof tool === "string" ? tool : undefined
}

/** Nothing is sent without code, so the same call may be made once it is there. */
const codeless = (tool: string) => ({
  effect: "none" as const,
  why: `this program was not given the code of ${tool}, and nothing was sent`,
  next: [NextSteps.codeOf(tool)]
})

/** The effect of a call that is no success, as far as anybody knows. */
const effectOf = ({ lost, mayStand }: Kernel.Failed): Outcome.Effect => {
  if (mayStand === true || lost?.how === "doubtful") return "unknown"
  return lost === undefined ? "none" : "undone"
}

/** Reads what is on record of a call that is done: its own answer, its record, and the evidence for it. */
const done = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, found: Kernel.Done) {
  const { adopted, basis, output, tick } = found
  const own = { id: handle.run.id, tick, action: adopted?.action }
  const at = adopted === undefined ? own : { ...own, id: adopted.run, tick: adopted.tick }
  const read = at.id === handle.run.id ? handle.transitions : yield* readerOf(Run.make(at.id, handle.run.tenant))
  // If nothing was left to do, the transition at the head is about something else.
  const isStanding = basis === "recorded" && adopted === undefined
  const action = at.action ?? (isStanding ? undefined : (yield* read(at.tick, at.tick))[0]?.body.action?.id)
  const told = { status: "done", run: at.id, tick: at.tick, before: adopted !== undefined, why: "", next: [] } as const
  if (action === undefined) {
    const base = basis === "recorded" ? "committed" : basis
    return { ...told, output, basis: base, verified: false } satisfies Outcome.Done
  }
  const { state } = yield* handle.standing
  // Later transitions change neither the answer nor the evidence of an act of this run.
  const until = at.id === handle.run.id ? SettledActions.of(state).get(action)?.tick : undefined
  const transitions = yield* read(begunAt(action), until)
  const { actual } = ActionFate.of(transitions, action)
  const origin = originOf(transitions, action)
  // The run that did the act has the tool's own answer, also where this run has asked about it.
  const first = origin === undefined ? undefined : yield* originalAnswer(handle, origin)
  const base = basisOf(transitions, action)
  const settled: Outcome.Done = {
    ...told,
    before: told.before || origin !== undefined,
    action,
    output: first ?? answerOf(transitions, action) ?? actual ?? output,
    ...(actual === undefined ? {} : { record: actual }),
    basis: base,
    verified: base === "readback"
  }
  return settled
})

/** The action of another run that did the act, if this one was taken over from there. */
const originOf = (transitions: ReadonlyArray<Transition>, action: string) => {
  const request = transitions.find(({ body }) => body.type === "action.request" && body.action?.id === action)
  return request === undefined ? undefined : Payload.of(request.body, "action.request")?.adopted
}

const originalAnswer = Effect.fnUntraced(function* (
  { run }: RunHandle.RunHandle,
  origin: NonNullable<ReturnType<typeof originOf>>
) {
  if (origin.action === undefined || origin.run === undefined) return undefined
  const read = yield* readerOf(Run.make(origin.run, run.tenant))
  return answerOf(yield* read(begunAt(origin.action)), origin.action)
})

const readerOf = Effect.fnUntraced(function* (run: Run.Run) {
  const history = yield* History.History
  return (from: number, to?: number) => history.transitions(run, { from, to })
})

/** The answers of a tool to one action, without those that only accept it. */
const answersOf = (transitions: ReadonlyArray<Transition>, action: string) =>
  transitions.flatMap(({ body }) => {
    const { result, type } = body
    const isAnswer = type === "action.result" && body.action?.id === action && result?.status === "ok"
    return isAnswer && Payload.of(body, "action.result")?.stage === undefined ? [result] : []
  })

/** The last answer that leaves open what happened: an error of the tool, or why there is no answer. */
const lastWord = (transitions: ReadonlyArray<Transition>, action: string): Json | undefined => {
  const last = transitions.findLast(({ body }) => body.type === "action.result" && body.action?.id === action)
  const { output, status } = last?.body.result ?? {}
  return status !== "unknown" || output === undefined || output === null ? undefined : Wording.tell(output)
}

/** The finding for which an action was left to a person: what its record showed, or the reason that there is none. */
const causeOf = (transitions: ReadonlyArray<Transition>, action: string): string | undefined => {
  const own = transitions.filter(({ body }) => body.action?.id === action)
  const decided = own.flatMap(({ body }) => Payload.of(body, "recovery.decided") ?? []).at(-1)
  if (decided?.discrepancy === undefined) return undefined
  const { discrepancy, reason } = decided
  const unmet = own.flatMap(({ body }) => Payload.of(body, "action.verified") ?? []).at(-1)?.unmet ?? []
  const details = [...unmet, ...(reason === undefined ? [] : [reason])].map((each) => Wording.tell(each))
  return [Wording.discrepancy(discrepancy), ...details].filter((text) => text !== undefined).join(": ")
}

/** The first answer that says that it was done: the tool's own, unless it was lost. */
const answerOf = (transitions: ReadonlyArray<Transition>, action: string): Json | undefined =>
  answersOf(transitions, action)[0]?.output

/** The evidence on which an action was settled. The tool's own word is no evidence of a person. */
const basisOf = (transitions: ReadonlyArray<Transition>, action: string): Outcome.Basis => {
  const settled = transitions.findLast(({ body }) => body.type === "action.reconciled" && body.action?.id === action)
  const basis = settled?.body.result?.basis
  if (basis === "readback" || basis === "status") return basis
  return answersOf(transitions, action).some((result) => result.basis === "attested") ? "attested" : "answer"
}

const begunAt = (action: string): number => ActionId.tickOf(action) ?? 1
