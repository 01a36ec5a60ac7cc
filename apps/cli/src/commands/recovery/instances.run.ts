/** Lists the subtasks of a run. */
import * as SubtaskRecovery from "@backstitch/runtime/SubtaskRecovery"
import * as SubtaskReport from "@backstitch/runtime/SubtaskReport"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as SubtaskSession from "../../program/SubtaskSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./instances.ts"

/** An effect that failed is as little there as one that was undone. */
const words = { open: "open", stands: "stands", undone: "not there" } as const

const print = (instances: ReadonlyArray<SubtaskReport.InstanceShown>): void => {
  if (instances.length === 0) {
    Terminal.print("No subtask has begun")
    return
  }
  const rows = instances.map(({ effects, instance, phase, state, steps, writes }) => [
    Terminal.name(instance),
    phase,
    state,
    String(steps),
    effects.map(({ action, standing }) => `${action} ${words[standing]}`).join(", "),
    writes.join(", ")
  ])
  TextTable.print(rows, { header: ["SUBTASK", "PHASE", "STATE", TextTable.number("STEPS"), "EFFECTS", "WROTE"] })
}

/** Lists each occurrence of a subtask, in the order in which they began. */
export const handler: Handler<Input> = ({ run: name }, globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const instances = SubtaskReport.instances(
      yield* Effect.catchTag(SubtaskRecovery.lift(run), "NoSubtasks", SubtaskSession.missing)
    )
    return Printer.answer({ run: run.id, instances }, () => print(instances))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
