import {
  type Command,
  type Commit,
  type DecisionTerms,
  Interpreter,
  Kernel,
  type Outcome,
  type StoreQuery
} from "@backstitch/kernel"
import { OpenActions, UndoPlan } from "@backstitch/ledger"
import type { Draft } from "@backstitch/trace/Transition"

/** The surroundings of an interpreter: a store, a clock and tools. */
export interface Surroundings {
  /** The position of the run by the store. */
  readonly position: () => Commit.Position
  readonly terms: (at: Commit.Position) => DecisionTerms.DecisionTerms
  /** Appends at that position, or says that another writer was faster, or that a name is held elsewhere. */
  readonly append: (at: Commit.Position, drafts: ReadonlyArray<Draft>) => Interpreter.Happened | undefined
  readonly look: (look: StoreQuery.StoreQuery) => StoreQuery.QueryAnswer
  /** Asks the world, once: silence is `Unknown`, and what is too late to be sent is `Unsent`. */
  readonly ask: (question: Interpreter.WorldQuestion) => Interpreter.Happened
  /** Rolls back what a local transaction holds open, if one does. */
  readonly abandon: () => void
  readonly sleepUntil: (millis: number) => void
}

/** Carries a command on until it ends. */
export const carry = (around: Surroundings, first: Command.Command): Outcome.Outcome => {
  let command = first
  for (;;) {
    const at = around.position()
    const decided = Kernel.decide(around.terms(at), at.state, command)
    const { drafts, next } = decided
    if (!Interpreter.keepsOpen(next)) around.abandon()
    const stopped = drafts.length === 0 ? undefined : around.append(at, drafts)
    if (stopped === undefined && next._tag === "End") return next.outcome
    command = Interpreter.next(decided, stopped ?? happens(around, next))
  }
}

const happens = (around: Surroundings, next: Parameters<typeof Interpreter.isQuestion>[0]): Interpreter.Happened => {
  if (next._tag === "Look") return { _tag: "Seen", answer: around.look(next.look) }
  if (Interpreter.isQuestion(next)) return around.ask(next)
  if ("untilMillis" in next && next.untilMillis !== undefined) around.sleepUntil(next.untilMillis)
  return { _tag: "Due" }
}

/** Settles what a crash has left open, before anything else is asked of the run. */
export const resume = (around: Surroundings): void => {
  for (const action of Object.keys(OpenActions.of(around.position().state))) {
    if (OpenActions.of(around.position().state)[action] !== undefined) carry(around, { _tag: "Recover", action })
  }
  if (UndoPlan.open(around.position().state) !== undefined) carry(around, { _tag: "Compensate" })
  carry(around, { _tag: "Complete" })
}
