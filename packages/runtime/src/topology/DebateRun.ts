/**
 * A debate in an open run: a draft, a critique, a revision, and again, until it converges or its rounds are used up.
 *
 * | when | follows |
 * | --- | --- |
 * | a round changes little of the draft | the debate ends, and the best draft is shipped |
 * | the rounds are at their cap, or two drafts take turns | a judge decides, or the best draft is shipped |
 * | a round is worse than the best one | the debate ends: later rounds undo what earlier ones had mended |
 * | a process dies in a round | the round begins again from the last complete one; half of it was never on record |
 *
 * Whether it has converged, or is over for another reason, is decided by `Debate.resume`.
 *
 * @source Crash Recovery, debate crash profile
 */
import * as Topology from "@backstitch/contracts/Topology"
import * as Debate from "@backstitch/topology/Debate"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type * as RunHandle from "../run/RunHandle.ts"
import * as Crew from "./Crew.ts"
import { commit } from "./committedMemo.ts"
import * as Ending from "./Ending.ts"
import * as FollowedEvents from "./followedEvents.ts"
import * as LossReason from "./lossReason.ts"

/** A complete draft, and the round that made it. */
export interface DebateDraft {
  readonly round: number
  readonly draft: string
}

/** A request for a draft: the first one of all, or the revision of a draft after its critique. */
export interface Drafting {
  readonly round: number
  readonly before?: string | undefined
  readonly critique?: Json | undefined
}

/** The errand of a debate. `score` judges a draft from 0 to 1; `decide` names the better round of a tie. */
export interface DebateErrand<R = never> {
  readonly declared: Topology.Topology
  readonly draft: (drafting: Drafting) => Effect.Effect<unknown, unknown, R>
  readonly critique: (draft: DebateDraft) => Effect.Effect<unknown, unknown, R>
  readonly score?: ((draft: DebateDraft) => Effect.Effect<unknown, unknown, R>) | undefined
  readonly decide?: ((drafts: ReadonlyArray<DebateDraft>) => Effect.Effect<unknown, unknown, R>) | undefined
}

/** The debate under way, with its complete drafts. */
interface Followed {
  readonly state: Debate.Debate
  readonly drafts: ReadonlyArray<DebateDraft>
}

/** A debate that is carried out. */
export interface DebateRun<R = never> {
  readonly run: Effect.Effect<Ending.Ending, RunHandle.RunError, R>
  /** Kills the agent of a role that is at work; answers whether there was one. */
  readonly kill: (agent: string) => Effect.Effect<boolean>
}

/** The result of a round, as its drafter hands it in. */
const Round = Schema.Struct({
  draft: Schema.NonEmptyString,
  score: Schema.optionalKey(Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1 })))
})

/** A round is made of what its drafter answered, and of what its judge did. */
const misfitOfRound: LossReason.Misfit = (result) => {
  if (Schema.is(Round)(result)) return undefined
  const { draft = null, score = null } = Canonical.objectOf(result)
  return typeof draft === "string" && draft !== ""
    ? LossReason.otherThan(score, "a score from 0 to 1")
    : LossReason.otherThan(draft, "the text of a draft")
}

/** Prepares a debate in an open run. Its agents end with the scope. */
export const make = Effect.fnUntraced(function* <R>(handle: RunHandle.RunHandle, errand: DebateErrand<R>) {
  const { declared } = errand
  const agentOf = (role: string): string => Topology.agentOf(declared, role)
  const [critic, drafter, judge] = [agentOf("critic"), agentOf("drafter"), agentOf("judge")]
  const crew = yield* Crew.make(handle, { boss: drafter, declared })
  const scope = yield* Scope.Scope
  const atWork = new Map<string, Fiber.Fiber<unknown, unknown>>()
  const follow = FollowedEvents.make<Followed>(handle, {
    init: () => ({ state: Debate.shape.init, drafts: [] }),
    step: ({ drafts, state }, event) => {
      const memo = event._tag === "Noted" ? event.memo : undefined
      return {
        state: Debate.shape.step(state, event, declared).state,
        drafts: memo?.memo === "round" ? [...drafts, { round: memo.round, draft: memo.draft }] : drafts
      }
    }
  })

  /** One agent at work inside a round, as a fiber of its own. */
  const as = (agent: string, work: Effect.Effect<unknown, unknown, R>) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkIn(work, scope)
      atWork.set(agent, fiber)
      return yield* Fiber.join(fiber).pipe(Effect.onInterrupt(() => Fiber.interrupt(fiber)))
    })

  /** A whole round. Nothing of it is on record before its end, so no process goes on inside one. */
  const round = ({ drafts }: Followed, number: number) =>
    Effect.gen(function* () {
      const last = drafts.at(-1)
      const critique = last === undefined ? undefined : ((yield* as(critic, errand.critique(last))) as Json | undefined)
      if (last !== undefined && critique === undefined) {
        return yield* Effect.fail(new Error(`of the critic of round ${last.round}, ${LossReason.nothing}`))
      }
      const before = last === undefined ? {} : { before: last.draft, critique }
      const draft = (yield* as(drafter, errand.draft({ round: number, ...before }))) as string
      if (errand.score === undefined) return { draft }
      return { draft, score: yield* as(judge, errand.score({ round: number, draft })) }
    })

  const complete = Effect.fnUntraced(function* (followed: Followed, number: number) {
    const task = `round ${number}`
    const work = round(followed, number)
    const brief = number === 1 ? "Write the first draft" : "Have the last draft criticised, and revise it"
    const ended = yield* crew.fulfil([{ task, worker: drafter, brief, misfit: misfitOfRound, work }])
    if (ended._tag !== "Done") return Ending.ofCrew(ended)
    const result = Schema.decodeUnknownSync(Round)(ended.results[task])
    return Ending.stopped(
      yield* commit(handle, { memo: "round", round: number, ...result }, { agent: drafter, command: task })
    )
  })

  /** The verdict of the judge on drafts that are as good as each other. */
  const decided = Effect.fnUntraced(function* (
    tied: ReadonlyArray<DebateDraft>,
    decide: NonNullable<typeof errand.decide>
  ) {
    const rounds = tied.map((draft) => draft.round)
    const task = `judge rounds ${rounds.join(" and ")}`
    const expected = `the number of a round: ${rounds.join(" or ")}`
    const misfit = (result: Json) =>
      typeof result === "number" && rounds.includes(result) ? undefined : LossReason.otherThan(result, expected)
    const work = as(judge, decide(tied))
    const ended = yield* crew.fulfil([{ task, worker: judge, brief: "Name the better draft", misfit, work }])
    if (ended._tag !== "Done") return Ending.ofCrew(ended)
    return Ending.reached(
      shipped(
        tied.find((draft) => draft.round === ended.results[task]),
        "judged"
      )
    )
  })

  const run = Effect.gen(function* () {
    while (true) {
      const followed = yield* follow
      const way = Debate.resume(followed.state, declared)
      if (way._tag === "Round") {
        const ending = yield* complete(followed, way.round)
        if (ending !== undefined) return ending
        continue
      }
      const { decide } = errand
      if (way._tag === "Judge" && decide !== undefined) {
        const tied = followed.drafts.filter((draft) => way.rounds.includes(draft.round))
        return yield* decided(tied, decide)
      }
      const best = followed.drafts.find((draft) => draft.round === followed.state.best?.round)
      return Ending.reached(shipped(best, "best"))
    }
  })

  const made: DebateRun<R> = {
    run,
    kill: Effect.fnUntraced(function* (agent) {
      const fiber = atWork.get(agent)
      if (fiber === undefined || fiber.pollUnsafe() !== undefined) return false
      yield* Fiber.interrupt(fiber)
      return true
    })
  }
  return made
})

const shipped = (draft: DebateDraft | undefined, by: "best" | "judged"): JsonObject => ({
  by,
  draft: draft?.draft ?? "",
  round: draft?.round ?? 0
})
