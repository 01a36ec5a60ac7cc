/** Writes a regression test of a run. */
import * as Fixture from "@backstitch/release/Fixture"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./fixture.ts"

/** Tells what has to be installed before the test runs. */
const unready = (folder: string, missing: ReadonlyArray<string>): string =>
  `The test imports ${missing.join(" and ")}, not to be found from ${folder === "." ? "here" : folder}. ` +
  "Install what is missing there, or name a folder of a package that has it with --out"

/** Writes a test and its trace. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* (input, globals) {
    const run = yield* StoreSession.find(input.run, globals)
    const { agent, out: folder = "." } = input
    const missing = Fixture.missing(folder)
    if (missing.length > 0) Terminal.note(unready(folder, missing))
    const { files, outcome } = yield* Fixture.write(run, { agent, folder })
    return Printer.answer({ run: run.id, files, outcome, missing }, () => {
      Terminal.print(`${Terminal.bold("FIXTURE:")} run=${run.id} | ticks=${outcome.ticks} | ${files.join(" and ")}`)
      if (typeof outcome.partedAt === "number") {
        Terminal.print(
          `${Terminal.wary("DIFFERS:")} the agent does something else from tick ${outcome.partedAt} on, and the test says so`
        )
      }
      Terminal.print(`${Terminal.dim("next")}  npx vitest run ${files[0]}`)
    })
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
