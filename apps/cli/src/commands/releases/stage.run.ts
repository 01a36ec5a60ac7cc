/** Says which stage of enforcement a run has reached. */
import * as RunStage from "@backstitch/runtime/RunStage"
import * as Effect from "effect/Effect"
import * as Limits from "../../Limits.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./stage.ts"

const { missingPartsMax: shown } = Limits.showing

const print = (run: string, { enforced, reached, stages }: RunStage.RunStage): void => {
  const name = reached === null ? "none" : `${reached} ${stages[reached]!.name}`
  Terminal.print(`${Terminal.bold("STAGE:")} run=${run} | reached=${name} | enforces=${stages[enforced]!.name}`)
  Terminal.print()
  const rows = stages.map(({ gives, holds, missing, stage, name: what }) => [
    `${stage} ${what}`,
    holds ? "holds" : missing.length === 0 ? "waits for the stage before" : `${missing.length} missing`,
    gives
  ])
  TextTable.print(rows, { header: ["STAGE", "STANDS", "GIVES"] })
  const next = stages.find(({ holds }) => !holds)
  if (next === undefined) return
  Terminal.print()
  Terminal.print(`${Terminal.wary("missing")} for stage ${next.stage}, ${next.name}:`)
  for (const { remedy, what, where } of next.missing.slice(0, shown)) {
    Terminal.print(`  ${where}: ${what}`)
    Terminal.print(`  ${Terminal.dim("next:")} ${remedy}`)
  }
  if (next.missing.length > shown) Terminal.print(`  … and ${next.missing.length - shown} more; --json has all`)
}

/** Prints the stages and what is missing for the next one. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(input.run, globals)
    const stage = yield* RunStage.look(run)
    return Printer.answer({ run: run.id, ...stage }, () => print(run.id, stage))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
