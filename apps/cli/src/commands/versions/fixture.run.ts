/** Writes a regression test of a run. */
import * as Fixture from "@backstitch/release/Fixture"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./fixture.ts"

/** Writes a test and its trace. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* (input, globals) {
    const run = yield* StoreSession.find(input.run, globals)
    const { files, outcome } = yield* Fixture.write(run, { agent: input.agent, folder: input.out ?? "." })
    return Printer.answer({ run: run.id, files, outcome }, () => {
      Terminal.print(`${Terminal.bold("FIXTURE:")} run=${run.id} | ticks=${outcome.ticks} | ${files.join(" and ")}`)
      if (typeof outcome.partedAt === "number") {
        Terminal.print(
          `${Terminal.wary("DIFFERS:")} the agent does something else from tick ${outcome.partedAt} on, and the test says so`
        )
      }
      Terminal.print(`${Terminal.dim("next")}  npx vitest run ${files[0]}`)
      Terminal.print("      in a package that has vitest and @backstitch/release; the file imports both")
    })
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
