/** Diagnoses a run. */
import * as RunDiagnosis from "@backstitch/runtime/RunDiagnosis"
import * as English from "@backstitch/wording/English"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./doctor.ts"

const { topologies } = English.words

const ticksOf = (ticks: ReadonlyArray<number>): string => `${ticks.length === 1 ? "tick" : "ticks"} ${ticks.join(", ")}`

const printCrack = ({ agent, evidence, name, response, say, tick }: RunDiagnosis.CrackShown): void => {
  const suspect = agent === undefined ? "" : ` | agent=${Terminal.name(agent)}`
  Terminal.print(`${Terminal.bad("CRACK:")}    ${name} | since tick ${tick}${suspect}`)
  Terminal.print(`          ${Terminal.line(say)}`)
  Terminal.print(`          evidence: ${ticksOf(evidence)}`)
  Terminal.print(`          first: ${response}`)
}

const printRepeat = ({ response, say }: RunDiagnosis.RepeatShown): void => {
  Terminal.print(`${Terminal.wary("REPEAT:")}   ${Terminal.line(say)}`)
  Terminal.print(`          first: ${response}`)
}

const print = (found: RunDiagnosis.RunDiagnosis): void => {
  const { by, cracks, isHealthy, repeats, run, say, tick } = found
  Terminal.print(
    `${Terminal.bold("DOCTOR:")}   run=${Terminal.name(run)} | ticks=${tick} | ${say}: ${topologies.basis[by]}`
  )
  for (const crack of cracks) printCrack(crack)
  for (const repeat of repeats) printRepeat(repeat)
  if (cracks.length + repeats.length === 0 && !isHealthy) {
    Terminal.print(`${Terminal.wary("UNSEEN:")}   ${topologies.unseen}`)
  }
  if (isHealthy) Terminal.print(`${Terminal.good("HEALTHY:")}  ${topologies.healthy}`)
}

/** Prints the topology, its cracks and repeated acts; 1 if there are any. */
export const handler: Handler<Input> = ({ run: name, wrong }, globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const found = yield* RunDiagnosis.of(run, { isWrong: wrong })
    return Printer.answer(found, () => print(found), ExitCode.of(found.isHealthy))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
