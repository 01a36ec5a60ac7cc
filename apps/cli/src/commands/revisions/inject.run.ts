/** Revises the goal of a run, and absorbs the revision if the agent is at hand. */
import type * as Agent from "@backstitch/runtime/Agent"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import type * as CompatibilityJudge from "@backstitch/runtime/CompatibilityJudge"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as FollowUp from "@backstitch/runtime/FollowUp"
import * as PlannerContext from "@backstitch/runtime/PlannerContext"
import * as ProcessLease from "@backstitch/runtime/ProcessLease"
import * as Revising from "@backstitch/runtime/Revising"
import * as RevisionReport from "@backstitch/runtime/RevisionReport"
import type { Run } from "@backstitch/trace/Run"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as RevisionView from "../../output/RevisionView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as ModelSession from "../../program/ModelSession.ts"
import * as RevisionSession from "../../program/RevisionSession.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./inject.ts"
import * as RevisionFlags from "./RevisionFlags.ts"

/** The reader of what users say, with its name for the record: the model that was named, or the agent's own. */
interface Reading {
  readonly name: string | undefined
  readonly read: Agent.Reader | undefined
  readonly judge: CompatibilityJudge.Judge | undefined
}

const readingOf = (agent: AgentFile.AgentFile | undefined, model: ModelSession.Model | undefined): Reading => ({
  name: model?.name ?? agent?.agent.goal,
  read: model?.reader ?? agent?.agent.revise,
  judge: model?.judge
})

/** The revision that the flags give; the words of the user are read by a model, if there are any. */
const revisionOf = Effect.fnUntraced(function* (run: Run, input: Input, reader: Reading) {
  const { pack, state } = yield* RevisionSession.at(run)
  const given = yield* RevisionFlags.read(input, pack.specification)
  const { by = given.by, words } = input
  const read = words === undefined ? [] : yield* reading(words, reader.read, PlannerContext.clauses(pack, state))
  const said = words ?? given.said
  return {
    ...given,
    by,
    said,
    ...(read.length === 0 ? {} : { readBy: reader.name }),
    changes: [...read, ...given.changes]
  } satisfies Revising.Revision
})

const reading = Effect.fnUntraced(function* (
  words: string,
  revise: Agent.Reader | undefined,
  clauses: PlannerContext.View["specification"]
) {
  if (revise === undefined) {
    const problem = `nothing here turns "${words}" into changes: name a --model, or an agent that exports revise`
    return yield* new Usage({ problem: `${problem}, or give the changes with --set, --add, --withdraw or --first` })
  }
  return yield* Effect.tryPromise({
    try: () => revise(words, clauses),
    catch: (cause) =>
      new Usage({ problem: `what the user said was not read: ${cause instanceof Error ? cause.message : cause}` })
  })
})

const look = Effect.fnUntraced(function* (
  run: Run,
  { keep, widen }: Input,
  revision: Revising.Revision,
  judge: Reading["judge"]
) {
  const found = yield* RevisionSession.keeping(keep, judge)(Revising.stored(run, revision.changes, { widen }))
  if (found._tag === "Refused") return yield* new Revising.RevisionRefused({ run: run.id, checks: found.checks })
  return found._tag === "Planned" ? RevisionReport.plan(found.planned) : undefined
})

const told = (run: Run, revision: Revising.Revision): void => {
  const changes = revision.changes.map((change) => RevisionReport.changed(change)).join("; ")
  Terminal.print(`${Terminal.bold("REVISION:")} run=${run.id} | ${changes}`)
}

/** Shows the plan of the revision, and records nothing. */
const dry = Effect.fnUntraced(function* (run: Run, input: Input, reader: Reading) {
  yield* FollowUp.refuse(run)
  const revision = yield* revisionOf(run, input, reader)
  const shown = yield* look(run, input, revision, reader.judge)
  const view = () => {
    told(run, revision)
    if (shown !== undefined) RevisionView.plan(run.id, shown)
    Terminal.print(Terminal.dim("nothing was recorded: without --dry-run it is"))
  }
  return Printer.answer({ run: run.id, changes: revision.changes, plan: shown ?? null, done: false }, view)
})

/** Records the revision. The process of the agent absorbs it. */
const record = Effect.fnUntraced(function* (run: Run, input: Input, reader: Reading) {
  yield* RevisionSession.underWay(run)
  const revision = yield* revisionOf(run, input, reader)
  const shown = yield* look(run, input, revision, reader.judge)
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(run)
  const outcome = yield* Revising.inject(handle, revision)
  if (outcome._tag === "Refused") {
    return yield* new Revising.RevisionRefused({ run: run.id, checks: outcome.checks })
  }
  yield* handle.flush
  const view = () => {
    told(run, revision)
    if (shown !== undefined) RevisionView.plan(run.id, shown)
    Terminal.print(
      `${Terminal.good("INJECTED:")} the agent absorbs it before its next turn; if none is at work, resume with --agent does`
    )
  }
  return Printer.answer({ run: run.id, changes: revision.changes, plan: shown ?? null, done: true }, view)
})

/** Records the revision, and absorbs it with the tools of the agent. */
const absorb = Effect.fnUntraced(function* (run: Run, input: Input, reader: Reading) {
  const { keep, widen } = input
  const coordinator = yield* Coordinator.Coordinator
  const revision = yield* revisionOf(run, input, reader)
  const { state } = yield* RevisionSession.at(run)
  // Without changes, what was injected before is absorbed, with other answers or widened, or followed by a run.
  const isPending = revision.changes.length === 0 && FollowUp.isDue(state)
  if (!isPending) {
    yield* FollowUp.refuse(run)
    yield* look(run, input, revision, reader.judge)
  }
  yield* ProcessLease.hold(run)
  const handle = yield* coordinator.reopen(run)
  const revising = FollowUp.revise(handle, isPending ? undefined : revision, { widen })
  const { absorbed, isDone, next } = yield* RevisionSession.keeping(keep, reader.judge)(revising)
  const shown = absorbed && RevisionReport.plan(absorbed.planned)
  const view = () => {
    if (!isPending) told(run, revision)
    if (shown !== undefined) RevisionView.plan(run.id, shown)
    if (isDone) Terminal.print(`${Terminal.good("ABSORBED:")} run=${run.id} | ${goesOn(run, next)}`)
    else if (absorbed !== undefined) {
      Terminal.print(`${Terminal.bad("NOT ABSORBED:")} run=${run.id} | ${Wording.why(absorbed.outcome)}`)
    }
  }
  const document = { run: run.id, changes: revision.changes, plan: shown ?? null, done: isDone }
  const outcome = absorbed?.outcome ?? null
  return Printer.answer({ ...document, followUp: next?.id ?? null, outcome }, view, isDone ? 0 : 1)
})

const goesOn = (run: Run, next: Run | undefined): string =>
  next === undefined
    ? `the agent goes on: backstitch resume ${run.id} --agent FILE`
    : `its goal was reached, so another run follows: backstitch resume ${next.id} --agent FILE`

const acting = Effect.fnUntraced(function* (
  path: string,
  input: Input,
  globals: Globals,
  model: ModelSession.Model | undefined
) {
  const planner = model === undefined ? "own" : "given"
  const file = yield* AgentFile.load(path, { planner, undeclared: "permit" })
  const reader = readingOf(file, model)
  return yield* Effect.gen(function* () {
    const run = yield* StoreSession.find(input.run, globals)
    return yield* input.dryRun ? dry(run, input, reader) : absorb(run, input, reader)
  }).pipe(Effect.scoped, Effect.provide(StoreSession.acting(globals, ModelSession.acting(file, model))))
})

/** Shows what a revision would do, records it, or records and absorbs it. */
export const handler: Handler<Input> = Effect.fnUntraced(function* (input, globals) {
  const model = yield* ModelSession.open(input)
  if (input.agent !== undefined) return yield* acting(input.agent, input, globals, model)
  const reader = readingOf(undefined, model)
  const found = StoreSession.find(input.run, globals)
  return yield* input.dryRun
    ? Effect.flatMap(found, (run) => dry(run, input, reader)).pipe(Effect.provide(StoreSession.reading(globals)))
    : Effect.flatMap(found, (run) => record(run, input, reader)).pipe(
        Effect.scoped,
        Effect.provide(StoreSession.writing(globals))
      )
})
