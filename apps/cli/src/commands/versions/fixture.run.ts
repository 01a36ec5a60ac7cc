/** Writes a regression test of a run. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join, relative, resolve, sep } from "node:path"
import * as Fixture from "@backstitch/release/Fixture"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./fixture.ts"

const write = (folder: string, files: { readonly [name: string]: string }) =>
  Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true })
      return Object.entries(files).map(([name, text]) => {
        const path = join(folder, name)
        writeFileSync(path, text)
        return path
      })
    },
    catch: (cause) => FileProblem.unwritten(folder, cause)
  })

/** A module is named from where the test stands, with forward slashes. */
const fromHere = (folder: string, file: string): string => {
  const path = relative(resolve(folder), resolve(file)).split(sep).join("/")
  return path.startsWith(".") ? path : `./${path}`
}

/** Writes a test and its trace. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* (input, globals) {
    const run = yield* StoreSession.find(input.run, globals)
    const folder = input.out ?? "."
    const trace = `${run.id}.trace.jsonl`
    const agent = input.agent === undefined ? undefined : { file: input.agent, from: fromHere(folder, input.agent) }
    const { outcome, test, trace: text } = yield* Fixture.make(run, { trace, agent })
    const files = yield* write(folder, { [`${run.id}.test.ts`]: test, [trace]: text })
    return Printer.answer({ run: run.id, files, outcome }, () => {
      Terminal.print(`${Terminal.bold("FIXTURE:")} run=${run.id} | ticks=${outcome.ticks} | ${files.join(" and ")}`)
      if (typeof outcome.partedAt === "number") {
        Terminal.print(
          `${Terminal.wary("DIFFERS:")} the agent does something else from tick ${outcome.partedAt} on, and the test says so`
        )
      }
      Terminal.print(`${Terminal.dim("next")}  npx vitest run ${files[0]}, with vitest installed`)
    })
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
