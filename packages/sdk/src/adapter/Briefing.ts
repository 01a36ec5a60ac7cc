/**
 * A run as a model may be shown it: the goal, what may be proposed, each act with what was verified of it, and the
 * state. No raw output of a tool is in it, and no act that was undone.
 */
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Planner from "@backstitch/runtime/Planner"
import * as PlannerBriefing from "@backstitch/runtime/PlannerBriefing"
import * as PlannerView from "@backstitch/runtime/PlannerView"
import * as Effect from "effect/Effect"
import type { Run } from "../run/Run.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import * as OpenHandle from "./openHandle.ts"

/** A tool that may be called, or a type that may be recorded, with the JSON Schema of the arguments. */
export interface Offer {
  readonly name: string
  readonly description?: string | undefined
  readonly input: JsonObject
  /** The roles of which one may have to approve a call; absent if no call needs an approval. */
  readonly needs?: ReadonlyArray<string> | undefined
}

/** One act of a run. */
export interface BriefedAction {
  readonly action: string
  readonly tool: string
  readonly params: Json
  readonly class: string
  readonly status: string
  /** `true` if the act is verified, or a read was answered as declared. */
  readonly success: boolean
  readonly says: string
  readonly output: Json
  readonly error?: string | undefined
  readonly discrepancy?: string | undefined
}

/** A clause of the goal. */
export interface Clause {
  readonly clause: string
  readonly holds: string
  readonly value: Json
  readonly description?: string | undefined
}

/** The outcome of the last proposal. */
export interface LastOutcome {
  readonly outcome: string
  readonly success: boolean
  readonly says?: string | undefined
  readonly next?: ReadonlyArray<string> | undefined
  readonly output?: Json | undefined
  /** Budgets that do not cover what was proposed. */
  readonly exceeded?: ReadonlyArray<string> | undefined
}

/** A run as a model may be shown it. */
export interface Briefing {
  readonly goal: { readonly id: string; readonly text: string; readonly isReached: boolean }
  readonly specification: ReadonlyArray<Clause>
  readonly world: JsonObject
  readonly working: JsonObject
  readonly actions: ReadonlyArray<BriefedAction>
  readonly remaining: ReadonlyArray<object>
  readonly tools: ReadonlyArray<Offer>
  readonly records: ReadonlyArray<Offer>
  readonly last: LastOutcome | undefined
}

/** A proposal of an agent: a call of a tool, or a fact or decision of a type. */
export interface Proposed {
  readonly type?: string
  readonly tool?: string
  readonly params?: Json
  readonly data?: JsonObject
  readonly description?: string
  /** The tokens that the proposal cost. */
  readonly tokens?: number
}

/** The briefing of an open run. */
export const briefingOf = async (run: Run): Promise<Briefing> => {
  const { handle, session } = OpenHandle.of(run)
  return session.run(
    Effect.gen(function* () {
      const library = yield* PackLibrary.PackLibrary
      const history = yield* History.History
      const { head, state } = yield* handle.position
      const follower = PlannerView.make(run.id)
      follower.follow(yield* history.transitions(handle.run, { from: 1 }))
      const pack = yield* library.inForce(state, head.tick + 1)
      return PlannerBriefing.of(yield* handle.reveal(follower.view({ state, pack }, undefined)))
    })
  )
}

/** The briefing of a view that a planner of the runtime was given. */
export const briefingOfView = (view: object): Briefing => PlannerBriefing.of(view as Planner.View)

/** Proposes a message to people that reports the given acts as successes. */
export const message = (content: string, acts: ReadonlyArray<BriefedAction>): Proposed =>
  Planner.message(content, acts) as Proposed
