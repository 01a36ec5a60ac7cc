/** Carries an intent to another run. */
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as CherryPicking from "@backstitch/runtime/CherryPicking"
import { defined } from "@backstitch/trace/Defined"
import * as Effect from "effect/Effect"
import type { Globals, Server } from "../../input/Globals.ts"
import * as CherryPickView from "../../output/versions/CherryPickView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import type { Input } from "./cherryPick.ts"

const named = Effect.fnUntraced(function* ({ onto, source }: Input, globals: Globals) {
  const { run: from, tick } = yield* StoreSession.place(source, globals)
  if (tick === undefined) return yield* new Usage({ problem: `Name the tick of the intent, as in ${from.id}@7` })
  return { from, tick, onto: yield* StoreSession.find(onto, globals) }
})

const told = (picked: CherryPicking.Picked, { dryRun }: Input): Printer.CommandAnswer => {
  const shown = CherryPicking.shown(picked, { dryRun })
  const document = { ...shown, next: shown.next.map((step) => Spelling.told(step)) }
  return Printer.answer(document, () => CherryPickView.print(picked), ExitCode.of(CherryPicking.isAdmitted(picked)))
}

const rehearsing = (input: Input, globals: Globals) =>
  Effect.gen(function* () {
    return told(yield* CherryPicking.rehearse(yield* named(input, globals)), input)
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const picking = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  return told(yield* CherryPicking.pick(yield* named(input, globals)), input)
}, Effect.scoped)

/** A note needs no agent code, and neither does a call that the contract refuses. */
const noting = (input: Input, globals: Globals) =>
  picking(input, globals).pipe(Effect.provide(StoreSession.writing(globals)))

const acting = Effect.fnUntraced(function* (input: Input, path: string, globals: Globals) {
  const file = yield* AgentFile.load(path, { undeclared: "permit" })
  return yield* picking(input, globals).pipe(Effect.provide(StoreSession.acting(globals, file)))
})

/** The server carries it out, with the tools of an agent that it knows by name. */
const asking = (input: Input, server: Server, globals: Globals) =>
  Effect.gen(function* () {
    const { from, onto, tick } = yield* named(input, globals)
    const params = { run: onto.id, other: from.id, tick }
    const payload = defined({ agent: input.agent })
    const {
      conclusion: _,
      dryRun: __,
      next: ___,
      ...picked
    } = yield* ServerCall.ask(server, (api) => api.branches.pick({ params, headers: {}, payload }))
    return told(picked, input)
  }).pipe(Effect.provide(StoreSession.reading(globals)))

/** Judges an import and, unless it is a dry run, carries it out. */
export const handler: Handler<Input> = (input, globals) =>
  input.dryRun
    ? rehearsing(input, globals)
    : globals.server !== undefined
      ? asking(input, globals.server, globals)
      : input.agent === undefined
        ? noting(input, globals)
        : acting(input, input.agent, globals)
