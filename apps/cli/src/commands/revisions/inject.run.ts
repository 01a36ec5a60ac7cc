/** Revises the goal of a run, and absorbs the revision if the agent is at hand. */
import type { RevisionChange } from "@backstitch/api/GoalApi"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as LiveRun from "@backstitch/runtime/LiveRun"
import * as RunGoal from "@backstitch/runtime/RunGoal"
import * as StoredRevision from "@backstitch/runtime/StoredRevision"
import { defined } from "@backstitch/trace/Defined"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type { Globals, Server } from "../../input/Globals.ts"
import * as ModelFlags from "../../input/ModelFlags.ts"
import * as RevisionView from "../../output/RevisionView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as ModelSession from "../../program/ModelSession.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import type { Input } from "./inject.ts"
import * as RevisionFlags from "./RevisionFlags.ts"
import * as RevisionProblem from "./RevisionProblem.ts"

/** The revision that the flags give; what users say is read by the model that was named, or by the agent's own. */
const askedOf = Effect.fnUntraced(function* (input: Input, { pack }: Pick<Stored, "pack">, { agent, model }: Readers) {
  const given = yield* RevisionFlags.read(input, pack.specification)
  const { by = given.by, keep, widen, words } = input
  const answers = { keeps: keep.length === 0 ? undefined : keep, widens: widen || undefined }
  const asked: StoredRevision.RevisionRequest = {
    revision: { ...given, ...answers, by },
    words,
    reader: { name: model?.name ?? agent?.agent.goal, read: model?.reader ?? agent?.agent.revise },
    judge: model?.judge
  }
  return asked
})

type Stored = Effect.Success<ReturnType<typeof StoredRevision.at>>

interface Readers {
  readonly agent?: AgentFile.AgentFile | undefined
  readonly model: ModelSession.NamedModel | undefined
}

/** Shows the plan of the revision, and records nothing. */
const dry = Effect.fnUntraced(function* (run: Run, input: Input, readers: Readers) {
  const asked = yield* askedOf(input, yield* StoredRevision.at(run), readers)
  const rehearsed = RunGoal.rehearsed(run, yield* StoredRevision.prepare(run, asked))
  return Printer.answer(rehearsed, () => RevisionView.rehearsed(rehearsed))
})

/** Records the revision. The process of the agent absorbs it. */
const record = Effect.fnUntraced(function* (run: Run, input: Input, readers: Readers) {
  const asked = yield* askedOf(input, yield* StoredRevision.underWay(run), readers)
  const revised = RunGoal.revised(run, yield* StoredRevision.record(run, asked))
  return Printer.answer(revised, () => RevisionView.injected(revised))
})

/** Records the revision, and absorbs it with the tools of the agent. */
const absorb = Effect.fnUntraced(function* (run: Run, input: Input, readers: Readers) {
  const asked = yield* askedOf(input, yield* StoredRevision.at(run), readers)
  const revised = RunGoal.revised(run, yield* LiveRun.revise(run, asked))
  return Printer.answer(revised, () => RevisionView.absorbed(revised), ExitCode.of(revised.done))
})

/**
 * The server records the revision in the name of the key. The agent of the run reads words there, and absorbs it. One
 * with words that is only to be shown is planned there, too.
 */
const asking = Effect.fnUntraced(function* (input: Input, server: Server, globals: Globals) {
  const { agent, by, dryRun, keep, widen, words } = input
  yield* ServerCall.refuse({ "--agent": agent }, "the agent that has the run absorbs the revision there")
  yield* ServerCall.refuse(ModelFlags.typed(input), "the agent that has the run reads words there")
  const { given, run } = yield* Effect.gen(function* () {
    const run = yield* StoreSession.find(input.run, globals)
    const { pack } = yield* StoredRevision.at(run)
    return { given: yield* RevisionFlags.read(input, pack.specification), run }
  }).pipe(Effect.provide(StoreSession.reading(globals)))
  yield* ServerCall.signed(server, by ?? given.by, "--by")
  const { changes, kind, said } = given
  const answers = { keeps: keep.length === 0 ? undefined : keep, widens: widen || undefined }
  const payload = {
    changes: changes as ReadonlyArray<RevisionChange>,
    ...defined({ ...answers, kind, said, words })
  }
  const params = { run: run.id }
  if (dryRun) {
    const { kind: _, said: __, ...wanted } = payload
    const rehearsed = yield* ServerCall.ask(server, (api) => api.goal.rehearse({ params, payload: wanted }))
    return Printer.answer(rehearsed, () => RevisionView.rehearsed(rehearsed))
  }
  const revised = yield* ServerCall.ask(server, (api) => api.goal.inject({ params, headers: {}, payload }))
  const isLeft = revised.outcome === null && revised.followUp === null
  const view = () => (isLeft ? RevisionView.injected(revised) : RevisionView.absorbed(revised))
  return Printer.answer(revised, view, ExitCode.of(revised.done))
})

/** Tells whether a revision can be planned here: it has no words, or a reader of them is named. */
const isReadHere = ({ agent, model, words }: Input): boolean =>
  words === undefined || agent !== undefined || model !== undefined

const acting = Effect.fnUntraced(function* (
  path: string,
  input: Input,
  globals: Globals,
  model: ModelSession.NamedModel | undefined
) {
  const planner = model === undefined ? "own" : "reads"
  const agent = yield* AgentFile.load(path, { planner, undeclared: "permit" })
  const readers = { agent, model }
  const found = StoreSession.find(input.run, globals)
  return yield* input.dryRun
    ? Effect.flatMap(found, (run) => dry(run, input, readers)).pipe(Effect.provide(StoreSession.reading(globals)))
    : Effect.flatMap(found, (run) => absorb(run, input, readers)).pipe(
        Effect.provide(StoreSession.acting(globals, ModelSession.acting(agent, model)))
      )
})

/** Shows what a revision would do, records it, or records and absorbs it. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* (input, globals) {
    const { server } = globals
    if (server !== undefined && !(input.dryRun && isReadHere(input))) return yield* asking(input, server, globals)
    const model = yield* ModelSession.open(input)
    if (input.agent !== undefined) return yield* acting(input.agent, input, globals, model)
    const found = StoreSession.find(input.run, globals)
    return yield* input.dryRun
      ? Effect.flatMap(found, (run) => dry(run, input, { model })).pipe(Effect.provide(StoreSession.reading(globals)))
      : Effect.flatMap(found, (run) => record(run, input, { model })).pipe(
          Effect.provide(StoreSession.writing(globals))
        )
  },
  Effect.catchTag(
    ["AnswerUnasked", "GoalReached", "GoalUndeclared", "RevisionEmpty", "WordsUnread"],
    RevisionProblem.usage
  )
)
