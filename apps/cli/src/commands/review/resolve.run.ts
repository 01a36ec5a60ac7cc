/** Records a person's decision about a held action. */
import * as ReviewDecision from "@backstitch/runtime/ReviewDecision"
import type { Json } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Globals, Server } from "../../input/Globals.ts"
import * as JsonFile from "../../input/JsonFile.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./resolve.ts"

const print = ({ action, as, by, evidence, next, ok, run, why }: ReviewDecision.Settled): void => {
  if (ok) TextTable.sentence(Terminal.good("RESOLVED:"), `run=${run} | ${action} as ${as} | by ${by}: ${evidence}`)
  else TextTable.sentence(Terminal.bad("REFUSED:"), why ?? "")
  if (next.length > 0) Terminal.print(`${Terminal.dim("next")} ${Spelling.all(next)}`)
}

const told = (settled: ReviewDecision.Settled): Printer.CommandAnswer => {
  const document = { ...settled, next: settled.next.map((step) => Spelling.told(step)) }
  return Printer.answer(document, () => print(settled), ExitCode.of(settled.ok))
}

const recordOf = (file: string | undefined) =>
  file === undefined ? Effect.succeed(undefined) : Effect.map(JsonFile.read(file), (record) => record as Json)

const settling = ({ record: file, run: name, ...said }: Input, globals: Globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const record = yield* recordOf(file)
    return told(yield* ReviewDecision.settle(run, { ...said, record }))
  }).pipe(Effect.provide(StoreSession.writing(globals)))

/** On a server the key says who decides, and another name is refused before anything is decided. */
const asking = ({ action, as, by, evidence, record: file, run: name }: Input, server: Server, globals: Globals) =>
  Effect.gen(function* () {
    yield* ServerCall.signed(server, by, "--by")
    const params = { run: (yield* StoreSession.find(name, globals)).id, action }
    const record = (yield* recordOf(file)) as Schema.Json | undefined
    const payload = { as, evidence, ...defined({ record }) }
    return told(yield* ServerCall.ask(server, (api) => api.reviews.settle({ params, headers: {}, payload })))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

/** Commits the decision. */
export const handler: Handler<Input> = (input, globals) =>
  globals.server === undefined ? settling(input, globals) : asking(input, globals.server, globals)
