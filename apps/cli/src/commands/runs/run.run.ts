/** Begins a run. */
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as LiveRun from "@backstitch/runtime/LiveRun"
import * as Receipt from "@backstitch/runtime/Receipt"
import * as Effect from "effect/Effect"
import * as Clause from "../../input/Clause.ts"
import * as StageFlag from "../../input/StageFlag.ts"
import * as StoreFile from "../../input/StoreFile.ts"
import * as ActingView from "../../output/runs/ActingView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as ModelSession from "../../program/ModelSession.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Table from "../../terminal/Table.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./run.ts"

/** Begins a run and lets its agent act. */
export const handler: Handler<Input> = Effect.fnUntraced(function* (input, globals) {
  const run = yield* StoreSession.run(input.run, globals)
  const dial = yield* StoreSession.dial(input.snapshots)
  const model = yield* ModelSession.open(input)
  const file = yield* AgentFile.load(input.agent, {
    ...AgentFile.beginning(input.stage, input.stages.length > 0),
    planner: model === undefined ? "own" : "given",
    topology: input.topology
  })
  const given = yield* Clause.parse(input.clauses, file.pack.specification)
  const { clauses = {}, goal, text } = file.agent
  const enforcement = yield* StageFlag.parse(input, file.pack)
  return yield* Effect.gen(function* () {
    const opening = {
      pack: file.pack,
      goal: input.goal ?? goal,
      text: input.goal ?? text,
      clauses: { ...clauses, ...given },
      enforcement
    }
    const begun = () => {
      globals.printer.tell(() => {
        Table.sentence(Terminal.bold("BOOT:"), `goal="${input.goal ?? text ?? goal}"`)
        Table.sentence(
          Terminal.bold("PACK:"),
          `${file.pack.id} ${file.pack.version} | digest=${file.pack.digest.slice(0, 12)}… | store=${StoreFile.told(globals.store)}`
        )
        ModelSession.tell(model, input)
        Terminal.print()
      })
    }
    const acted = yield* LiveRun.begin(run, opening, { begun, visit: ActingView.visit(globals.printer) })
    return ActingView.answer(acted, ExitCode.of(Receipt.isDone(acted.receipt)))
  }).pipe(Effect.provide(StoreSession.beginning(globals, ModelSession.acting(file, model), dial)))
})
