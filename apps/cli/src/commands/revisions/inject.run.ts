/** Revises the goal of a run, and absorbs the revision if the agent is at hand. */
import type { Outcome } from "@backstitch/kernel/Outcome"
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
import * as Next from "@backstitch/wording/Next"
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
import * as Spelling from "../../terminal/Spelling.ts"
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
  const { by = given.by, keep, widen, words } = input
  const read = words === undefined ? [] : yield* reading(words, reader.read, PlannerContext.clauses(pack, state))
  const said = words ?? given.said
  return {
    ...given,
    by,
    said,
    ...(keep.length === 0 ? {} : { keeps: keep }),
    ...(widen ? { widens: true } : {}),
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
    return yield* new Usage({ problem: `${problem}, or give the changes with ${RevisionFlags.named}` })
  }
  const given = yield* Effect.tryPromise({
    try: async () => await revise(words, clauses),
    catch: (cause) =>
      new Usage({ problem: `what the user said was not read: ${cause instanceof Error ? cause.message : cause}` })
  })
  const { changes } = yield* RevisionFlags.written(
    [...(Array.isArray(given) ? given : [given])],
    "what reads the words answered"
  )
  if (changes.length > 0) return changes
  const problem = `nothing in "${words}" was read as a change: say it in other words, or give the changes`
  return yield* new Usage({ problem: `${problem} with ${RevisionFlags.named}` })
})

const told = (run: Run, { changes }: Revising.Revision): void => {
  const listed = changes.map((change) => RevisionReport.changed(change)).join("; ")
  const known = "nothing new: what was injected before is absorbed"
  Terminal.print(`${Terminal.bold("REVISION:")} run=${run.id} | ${changes.length === 0 ? known : listed}`)
}

/** The revision that is asked for; without changes if the goal has them already, and they are to be absorbed. */
const wanted = Effect.fnUntraced(function* (run: Run, input: Input, reader: Reading) {
  const revision = yield* revisionOf(run, input, reader)
  const isDue = RevisionSession.isDueOnly(yield* RevisionSession.at(run), revision.changes)
  if (!isDue && revision.changes.length === 0) {
    return yield* new Usage({ problem: `Say what changes in the goal of run ${run.id}: ${RevisionFlags.named}` })
  }
  if (!isDue) yield* FollowUp.refuse(run)
  const changes = isDue ? [] : revision.changes
  const shown = yield* RevisionSession.planned(run, isDue ? undefined : changes, { ...input, judge: reader.judge })
  return { revision: { ...revision, changes }, isDue, shown }
})

/** Shows the plan of the revision, and records nothing. */
const dry = Effect.fnUntraced(function* (run: Run, input: Input, reader: Reading) {
  const { revision, shown } = yield* wanted(run, input, reader)
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
  const { isDue, revision, shown } = yield* wanted(run, input, reader)
  if (isDue) {
    const problem = `Nothing new is injected: run ${run.id} has this goal, and absorbs it once its agent goes on`
    return yield* new Usage({ problem: `${problem}, or here with --agent` })
  }
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
  const { isDue, revision, shown: before } = yield* wanted(run, input, reader)
  yield* ProcessLease.hold(run)
  const handle = yield* coordinator.reopen(run)
  const revising = FollowUp.revise(handle, isDue ? undefined : revision, { widen })
  const { absorbed, isDone, next } = yield* RevisionSession.keeping(keep, reader.judge)(revising)
  const own = absorbed && RevisionReport.plan(absorbed.planned)
  const shown = own && { ...own, elsewhere: before?.elsewhere ?? [] }
  const view = () => {
    told(run, revision)
    if (shown !== undefined) RevisionView.plan(run.id, shown)
    if (isDone) Terminal.print(`${Terminal.good("ABSORBED:")} run=${run.id} | ${goesOn(run, next)}`)
    else if (absorbed !== undefined) refused(run, absorbed.outcome)
  }
  const document = { run: run.id, changes: revision.changes, plan: shown ?? null, done: isDone }
  const outcome = absorbed?.outcome ?? null
  return Printer.answer({ ...document, followUp: next?.id ?? null, outcome }, view, isDone ? 0 : 1)
})

/** Says why an absorption was not carried out, and what may be done instead. */
const refused = (run: Run, outcome: Outcome): void => {
  Terminal.print(`${Terminal.bad("NOT ABSORBED:")} run=${run.id} | ${Wording.why(outcome)}`)
  const steps = outcome._tag === "Done" || outcome._tag === "Failed" ? [] : Wording.next(outcome)
  for (const step of steps) Terminal.print(`next  ${Spelling.of(Next.about(step, { run: run.id }))}`)
}

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
