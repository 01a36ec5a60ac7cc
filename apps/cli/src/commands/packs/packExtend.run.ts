/** Extends the pack of a run. */
import * as PackExtending from "@backstitch/runtime/PackExtending"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as JsonFile from "../../input/JsonFile.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./packExtend.ts"

/** Reads the additions. Who approved them is said on the command line, by the person who runs it. */
const additions = Effect.fnUntraced(function* (file: string) {
  const read = yield* JsonFile.read(file)
  if (!Canonical.isObject(read as Canonical.Json)) {
    return yield* new Usage({ problem: `${file} holds no JSON object. Write one with adds_required, for example` })
  }
  const { approved_by, ...adds } = read as Canonical.JsonObject
  if (approved_by === undefined) return adds
  return yield* new Usage({
    problem: `${file} says approved_by. Leave it out, and name who approved with --approved-by`
  })
})

/** Proposes the extension, and tells from when it is in force, or why it is not. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* ({ approvedBy, file, run: asked }, globals) {
    if (approvedBy === undefined) {
      return yield* new Usage({
        problem: "A pack in force grows with approval: name who approved it with --approved-by"
      })
    }
    const adds = yield* additions(file)
    const run = yield* StoreSession.find(asked, globals)
    const outcome = yield* PackExtending.extend(run, adds, approvedBy)
    const said =
      outcome._tag === "Done"
        ? `${Terminal.good("COMMITTED:")} run=${run.id} | tick=${outcome.tick} | approved_by=${approvedBy}`
        : `${Terminal.bad("REFUSED:")} ${Wording.why(outcome)}`
    const isDone = outcome._tag === "Done"
    return Printer.answer({ run: run.id, accepted: isDone, outcome }, () => Terminal.print(said), ExitCode.of(isDone))
  },
  (effect, _, globals) => effect.pipe(Effect.scoped, Effect.provide(StoreSession.writing(globals)))
)
