/** Explains a tick. */
import * as Explanation from "@backstitch/runtime/Explanation"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Effect from "effect/Effect"
import * as ExplainView from "../../output/runs/ExplainView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import type { Input } from "./explain.ts"

/** Explains the result of a tick. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const { run, tick } = yield* StoreSession.place(input.run, globals)
    if (tick === undefined) return yield* new Usage({ problem: `Name the tick to explain, as in ${run.id}@7` })
    const pack = input.pack === undefined ? undefined : yield* PackFile.load(input.pack)
    const explanation = yield* Explanation.explain(run, tick, { pack })
    return Printer.answer(ExplainView.document(explanation), () => ExplainView.print(explanation, input.pack))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
