/** Diagnoses a run. */
import * as RunDiagnosis from "@backstitch/runtime/RunDiagnosis"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as English from "@backstitch/wording/English"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./doctor.ts"

const { topologies } = English.words

const ticksOf = (ticks: ReadonlyArray<number>): string => `${ticks.length === 1 ? "tick" : "ticks"} ${ticks.join(", ")}`

const printCrack = ({ agent, cured, evidence, name, response, say, tick, treated }: RunDiagnosis.CrackShown): void => {
  const suspect = agent === undefined ? "" : ` | agent=${Terminal.name(agent)}`
  const label = cured === undefined ? Terminal.bad("CRACK:") : Terminal.wary("CRACK:")
  Terminal.print(`${label}    ${name} | since tick ${tick}${suspect}`)
  Terminal.print(`          ${Terminal.line(say)}`)
  Terminal.print(`          evidence: ${ticksOf(evidence)}`)
  if (treated !== undefined) Terminal.print(`          treated: ${cured}, at tick ${treated.tick}`)
  Terminal.print(`          first: ${response}`)
}

const printQuestion = ({ say, tick }: RunDiagnosis.QuestionShown): void => {
  Terminal.print(`${Terminal.wary("ASKED:")}    a person, since tick ${tick}`)
  Terminal.print(`          ${Terminal.line(say)}`)
}

const printRepeat = ({ response, say }: RunDiagnosis.RepeatShown): void => {
  Terminal.print(`${Terminal.wary("REPEAT:")}   ${Terminal.line(say)}`)
  Terminal.print(`          first: ${response}`)
}

const printDouble = ({ response, say }: RunDiagnosis.DoubleShown): void => {
  Terminal.print(`${Terminal.bad("DOUBLE:")}   ${Terminal.line(say)}`)
  Terminal.print(`          first: ${response}`)
}

const printViolation = ({ isAnswered, next, predicate, response, say }: RunDiagnosis.ViolationShown): void => {
  const label = isAnswered ? Terminal.bad("VIOLATED:") : Terminal.wary("UNSURE:  ")
  Terminal.print(`${label} ${Terminal.name(predicate)} | ${Terminal.line(say)}`)
  Terminal.print(`          first: ${response}: ${Spelling.of(next)}`)
}

const printHeld = ({ action, next, response, tool, why }: RunDiagnosis.HeldShown): void => {
  const held = action === null ? Terminal.name(tool) : `${action} (${Terminal.name(tool)})`
  Terminal.print(`${Terminal.wary("HELD:")}     ${held} | ${Terminal.line(why)}`)
  Terminal.print(`          first: ${response}: ${Spelling.of(next)}`)
}

const printWait = ({ response, say }: RunDiagnosis.WaitShown): void => {
  Terminal.print(`${Terminal.wary("WAITS:")}    ${Terminal.line(say)}`)
  Terminal.print(`          first: ${response}`)
}

/** The document, with its next steps as commands. */
const document = (found: RunDiagnosis.RunDiagnosis) => ({
  ...found,
  violations: Spelling.rows(found.violations),
  held: Spelling.rows(found.held)
})

const print = (found: RunDiagnosis.RunDiagnosis): void => {
  const { by, cracks, doubles, held, isHealthy, question, repeats, run, say, suspect, tick, violations, waits } = found
  Terminal.print(
    `${Terminal.bold("DOCTOR:")}   run=${Terminal.name(run)} | ticks=${tick} | ${say}: ${topologies.basis[by]}`
  )
  for (const crack of cracks) printCrack(crack)
  if (question !== null) printQuestion(question)
  for (const double of doubles) printDouble(double)
  for (const repeat of repeats) printRepeat(repeat)
  for (const violation of violations) printViolation(violation)
  for (const each of held) printHeld(each)
  for (const each of waits) printWait(each)
  if (suspect === null && !isHealthy) Terminal.print(`${Terminal.wary("UNSEEN:")}   ${topologies.unseen}`)
  if (isHealthy) Terminal.print(`${Terminal.good("HEALTHY:")}  ${topologies.healthy}`)
}

const foundIn = (suspect: RunDiagnosis.Suspect | null): string | undefined =>
  suspect?.treated === undefined ? suspect?.name : `${suspect.name}, treated`

/** One line for each run. What stands in a line is the first suspect; the run alone shows all. */
const printAll = (found: ReadonlyArray<RunDiagnosis.RunDiagnosis>): void => {
  const rows = found.map(({ isHealthy, run, say, suspect, tick }) => [
    Terminal.name(run),
    String(tick),
    say,
    foundIn(suspect) ?? (isHealthy ? "healthy" : "unseen"),
    suspect === null ? "" : String(suspect.since),
    suspect?.response ?? ""
  ])
  const header = ["RUN", TextTable.number("TICKS"), "LOOKS LIKE", "FOUND", TextTable.number("SINCE"), "FIRST"]
  TextTable.print(rows, { header })
  const ill = found.filter(({ isHealthy }) => !isHealthy).length
  Terminal.print(`\n${Terminal.bold("DOCTOR:")} runs=${found.length} | with a finding=${ill}`)
}

/** The runs that are named, or all of the tenant. */
const chosen = Effect.fnUntraced(function* ({ all, runs }: Input, globals: Globals) {
  if (all && runs.length > 0) return yield* new Usage({ problem: "Name runs, or give --all: not both" })
  if (!all && runs.length === 0) {
    return yield* new Usage({ problem: "Name the run to diagnose, or several; --all diagnoses every run of the store" })
  }
  if (!all) return yield* Effect.forEach(runs, (name) => StoreSession.find(name, globals))
  const store = yield* TraceStore.TraceStore
  return (yield* store.runs(yield* StoreSession.tenant(globals))).map(({ run }) => run)
})

/**
 * Prints the topology, its cracks, acts that were repeated or done twice, violated predicates, what waits for a person,
 * and agents that are waited for; 1 if there are any in any run.
 */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const found = yield* RunDiagnosis.ofAll(yield* chosen(input, globals), { isWrong: input.wrong })
    const code = ExitCode.of(found.every(({ isHealthy }) => isHealthy))
    const [only, ...more] = found
    return only !== undefined && more.length === 0 && !input.all
      ? Printer.answer(document(only), () => print(only), code)
      : Printer.answer({ runs: found.map(document) }, () => printAll(found), code)
  }).pipe(Effect.provide(StoreSession.reading(globals)))
