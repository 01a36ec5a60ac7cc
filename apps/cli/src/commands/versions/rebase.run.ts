/** Rebases a run. */
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Rebasing from "@backstitch/runtime/Rebasing"
import { defined } from "@backstitch/trace/Defined"
import * as Effect from "effect/Effect"
import type { Globals, Server } from "../../input/Globals.ts"
import * as RebaseView from "../../output/versions/RebaseView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import type { Input } from "./rebase.ts"

const told = (rebased: Rebasing.Rebased): Printer.CommandAnswer =>
  Printer.answer(rebased, () => RebaseView.print(rebased), ExitCode.of(rebased.conflict === undefined))

const named = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  if (input.onto === undefined) {
    return yield* new Usage({ problem: "Name the run to replay onto with --onto, or give --continue or --abort" })
  }
  const run = yield* StoreSession.find(input.run, globals)
  const onto = yield* StoreSession.find(input.onto, globals)
  return { run, onto, as: input.as === undefined ? undefined : yield* StoreSession.run(input.as, globals) }
})

/** The result of a rebase that was begun, found by its own name or by the two runs. */
const begun = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  if (input.onto === undefined) return yield* StoreSession.find(input.run, globals)
  const { as, onto, run } = yield* named(input, globals)
  return as ?? Rebasing.nameOf(run, onto)
})

const rehearsing = (input: Input, globals: Globals) =>
  Effect.gen(function* () {
    return told(yield* Rebasing.rehearse(yield* named(input, globals)))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const giveUp = (input: Input, globals: Globals) =>
  Effect.gen(function* () {
    return told(yield* Rebasing.abort(yield* begun(input, globals)))
  }).pipe(Effect.scoped, Effect.provide(StoreSession.writing(globals)))

const replay = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  const rebased = input.continue
    ? yield* Rebasing.resume(yield* begun(input, globals), { skip: input.skip })
    : yield* Rebasing.begin(yield* named(input, globals))
  return told(rebased)
})

/** Without an agent no tool can be called: only notes and recorded outcomes are replayed. */
const noting = (input: Input, globals: Globals) =>
  replay(input, globals).pipe(Effect.scoped, Effect.provide(StoreSession.writing(globals)))

const acting = Effect.fnUntraced(function* (input: Input, path: string, globals: Globals) {
  const file = yield* AgentFile.load(path, { undeclared: "permit" })
  return yield* replay(input, globals).pipe(Effect.scoped, Effect.provide(StoreSession.acting(globals, file)))
})

/** The server replays, with the tools of an agent that it knows by name. */
const asking = (input: Input, server: Server, globals: Globals) =>
  Effect.gen(function* () {
    const agent = defined({ agent: input.agent })
    if (!input.continue && !input.abort) {
      const { as, onto, run } = yield* named(input, globals)
      const params = { run: run.id, other: onto.id }
      const payload = { ...agent, ...defined({ as: as?.id }) }
      return told(yield* ServerCall.ask(server, (api) => api.branches.rebase({ params, headers: {}, payload })))
    }
    const params = { run: (yield* begun(input, globals)).id }
    const rebased = yield* ServerCall.ask(server, (api) =>
      input.abort
        ? api.branches.abortRebase({ params, headers: {} })
        : api.branches.continueRebase({ params, headers: {}, payload: { ...agent, skip: input.skip } })
    )
    return told(rebased)
  }).pipe(Effect.provide(StoreSession.reading(globals)))

/** Begins, continues, gives up or rehearses a rebase. */
export const handler: Handler<Input> = (input, globals) => {
  const modes = [input.continue, input.abort, input.dryRun].filter(Boolean).length
  if (modes > 1) return Effect.fail(new Usage({ problem: "Give one of --continue, --abort and --dry-run" }))
  if (input.skip && !input.continue) return Effect.fail(new Usage({ problem: "--skip goes with --continue" }))
  if (input.dryRun) return rehearsing(input, globals)
  if (globals.server !== undefined) return asking(input, globals.server, globals)
  if (input.abort) return giveUp(input, globals)
  return input.agent === undefined ? noting(input, globals) : acting(input, input.agent, globals)
}
