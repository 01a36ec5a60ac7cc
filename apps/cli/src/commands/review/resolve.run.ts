/** Records a person's decision about a held action. */
import * as ReviewDecision from "@backstitch/runtime/ReviewDecision"
import type { Json } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as JsonFile from "../../input/JsonFile.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Table from "../../terminal/Table.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import { version } from "../../terminal/Version.ts"
import type { Input } from "./resolve.ts"

const print = ({ action, as, by, evidence, next, ok, run, why }: ReviewDecision.Settled): void => {
  if (ok) Table.sentence(Terminal.good("RESOLVED:"), `run=${run} | ${action} as ${as} | by ${by}: ${evidence}`)
  else Table.sentence(Terminal.bad("REFUSED:"), why ?? "")
  if (next.length > 0) Terminal.print(`${Terminal.dim("next")} ${Spelling.all(next)}`)
}

/** Commits the decision. */
export const handler: Handler<Input> = ({ record: file, run: name, ...said }, globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const record = file === undefined ? undefined : ((yield* JsonFile.read(file)) as Json)
    const settled = yield* ReviewDecision.settle(run, { ...said, record }, { wrapper: version })
    const document = { ...settled, next: settled.next.map((step) => Spelling.told(step)) }
    return Printer.answer(document, () => print(settled), ExitCode.of(settled.ok))
  }).pipe(Effect.provide(StoreSession.writing(globals)))
