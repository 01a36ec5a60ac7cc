/** Bisects a run. */
import type * as VersionsApi from "@backstitch/api/VersionsApi"
import * as Bisecting from "@backstitch/runtime/Bisecting"
import { defined } from "@backstitch/trace/Defined"
import type { Run } from "@backstitch/trace/Run"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import type { Globals, Server } from "../../input/Globals.ts"
import * as BisectView from "../../output/versions/BisectView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as ScanCache from "../../program/ScanCache.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./bisect.ts"
import * as QuestionFlags from "./QuestionFlags.ts"

type Asked = Parameters<typeof Bisecting.bisect>[1]

/** The questions of these flags are those that a server takes. */
type Served = typeof VersionsApi.Asked.Type

const question = (input: Input): Effect.Effect<Asked, Usage> => {
  const { divergence, regression } = input
  const questions: ReadonlyArray<Asked> = [
    ...QuestionFlags.asked(input),
    ...(divergence === undefined ? [] : [{ _tag: "Divergence" as const, run: divergence }]),
    ...(regression === undefined ? [] : [{ _tag: "Regression" as const, metric: regression }])
  ]
  return QuestionFlags.one(questions, ["--divergence", "--regression"])
}

const verdictOf = ({ by, diagnosis }: Input): Effect.Effect<Bisecting.Options["verdict"], Usage> => {
  if (diagnosis !== undefined && by !== undefined) return Effect.succeed({ diagnosis, by })
  if (diagnosis === undefined && by === undefined) return Effect.succeed(undefined)
  return Effect.fail(new Usage({ problem: "A verdict is given with --diagnosis, and by somebody, with --by" }))
}

const told = (answer: Bisecting.WordedBisectResult): Printer.CommandAnswer => {
  const next = Wording.of(answer.suggestion).next.map((step) => Spelling.told(step, BisectView.about(answer)))
  return Printer.answer({ ...answer, next }, () => BisectView.print(answer))
}

const ask = Effect.fnUntraced(function* (run: Run, asked: Asked, input: Input, globals: Globals) {
  const verdict = yield* verdictOf(input)
  const progress = Terminal.progress("bisect")
  const answer = yield* Bisecting.bisect(run, asked, { progress: progress.at, verdict }).pipe(
    Effect.provideService(Bisecting.Passes, ScanCache.of(globals.store)),
    Effect.ensuring(Effect.sync(progress.end))
  )
  return answer
})

const reading = (input: Input, asked: Asked, globals: Globals) =>
  Effect.gen(function* () {
    return told(yield* ask(yield* StoreSession.find(input.run, globals), asked, input, globals))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const recording = (input: Input, asked: Asked, globals: Globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(input.run, globals)
    const answer = yield* ask(run, asked, input, globals)
    yield* Bisecting.record(run, answer)
    return told(answer)
  }).pipe(Effect.scoped, Effect.provide(StoreSession.writing(globals)))

/** The server searches, and commits what it finds in the name of the key. */
const asking = (input: Input, asked: Asked, server: Server, globals: Globals) =>
  Effect.gen(function* () {
    yield* verdictOf(input)
    yield* ServerCall.signed(server, input.by, "--by")
    const params = { run: (yield* StoreSession.find(input.run, globals)).id }
    const payload = { asked: asked as Served, ...defined({ diagnosis: input.diagnosis }) }
    return told(yield* ServerCall.ask(server, (api) => api.versions.recordBisect({ params, headers: {}, payload })))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

/** Answers a question about a run, and commits the answer if requested. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.flatMap(question(input), (asked): ReturnType<Handler<Input>> => {
    if (!input.record && input.diagnosis === undefined) return reading(input, asked, globals)
    return globals.server === undefined
      ? recording(input, asked, globals)
      : asking(input, asked, globals.server, globals)
  })
