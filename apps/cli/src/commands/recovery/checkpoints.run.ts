/** Lists the checkpoints of a run's subtasks. */
import * as SubtaskRecovery from "@backstitch/runtime/SubtaskRecovery"
import * as SubtaskReport from "@backstitch/runtime/SubtaskReport"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as SubtaskSession from "../../program/SubtaskSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./checkpoints.ts"

const print = (checkpoints: ReadonlyArray<SubtaskReport.CheckpointShown>): void => {
  if (checkpoints.length === 0) {
    Terminal.print("No subtask has begun")
    return
  }
  const rows = checkpoints.map(({ instance, kind, latest, state, tick }) => [
    Terminal.name(instance),
    kind,
    String(tick),
    state,
    latest ? "latest" : ""
  ])
  TextTable.print(rows, { header: ["SUBTASK", "KIND", TextTable.number("AFTER TICK"), "STATE", ""] })
}

/** Lists the checkpoints of each subtask, the latest last. */
export const handler: Handler<Input> = ({ run: name }, globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const checkpoints = SubtaskReport.checkpoints(
      yield* Effect.catchTag(SubtaskRecovery.lift(run), "NoSubtasks", SubtaskSession.missing)
    )
    return Printer.answer({ run: run.id, checkpoints }, () => print(checkpoints))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
