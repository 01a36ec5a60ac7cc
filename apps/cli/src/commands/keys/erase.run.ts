/** Erases a person's sealed values. */
import * as SubjectErasure from "@backstitch/runtime/SubjectErasure"
import * as English from "@backstitch/wording/English"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./erase.ts"

const readWanted = Effect.fnUntraced(function* ({ everybody, run, subject }: Input, globals: Globals) {
  if ((subject === undefined) !== everybody) {
    return yield* new Usage({ problem: "Name whose values are erased with --subject, or all with --everybody" })
  }
  const tenant = yield* StoreSession.tenant(globals)
  const found: SubjectErasure.ErasureScope = {
    tenant,
    subject,
    run: run === undefined ? undefined : yield* StoreSession.find(run, globals)
  }
  return found
})

const readDecision = ({ as, by = "", reason = "" }: Input) =>
  by === "" || reason === ""
    ? new Usage({ problem: "An erasure commits the person who decides and the reason: give --by and --reason" })
    : Effect.succeed({ as, by, reason })

/** Names other runs whose acts have equal values: while those are known, so are the erased ones. */
const printSharing = (sharing: SubjectErasure.ErasurePlan["sharing"]): void => {
  if (sharing.length === 0) return
  const said = English.words.stores.sharing(sharing.map((run) => Terminal.name(run)))
  TextTable.sentence(Terminal.wary("EQUAL IN:"), said)
}

const unerased = (
  plan: SubjectErasure.ErasurePlan,
  view: () => void,
  code: ExitCode.ExitCode
): Printer.CommandAnswer => {
  const runs = plan.runs.map(({ run, values }) => ({ run: run.id, values: values.length }))
  const { isStopped: stopped, keys, sharing, values } = plan
  return Printer.answer({ erased: false, keys: keys.length, values, runs, sharing, stopped }, view, code)
}

const printPlan = ({ isStopped, keys, runs, sharing, values }: SubjectErasure.ErasurePlan): void => {
  if (isStopped) TextTable.sentence(Terminal.wary("STOPPED:"), English.words.stores.erasureStopped)
  const counts = `keys=${keys.length} | values=${values} | runs=${runs.length}`
  Terminal.print(`${Terminal.bold("WOULD ERASE:")} ${counts}`)
  if (runs.length > 0) {
    const rows = runs.map(({ run, values }) => [Terminal.name(run.id), String(values.length)])
    TextTable.print(rows, { header: ["RUN", TextTable.number("VALUES")] })
  }
  printSharing(sharing)
}

const printErased = (
  { keys, runs, sharing, unrecorded, values }: SubjectErasure.Erased,
  { isStopped }: SubjectErasure.ErasurePlan
): void => {
  if (isStopped) TextTable.sentence(Terminal.good("FINISHED:"), English.words.stores.erasureFinished)
  if (keys > 0) Terminal.print(`${Terminal.good("ERASED:")} keys=${keys} | values=${values}`)
  if (runs.length > 0) {
    const rows = runs.map(({ run, tick, values }) => [Terminal.name(run), String(tick), String(values)])
    TextTable.print(rows, { header: ["RUN", TextTable.number("TICK"), TextTable.number("VALUES")] })
  }
  for (const { run, why } of unrecorded) TextTable.sentence(Terminal.bad("NOT RECORDED:"), `run=${run} | ${why}`)
  printSharing(sharing)
}

/** Says what an erasure would destroy, or erases it. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const plan = yield* SubjectErasure.plan(yield* readWanted(input, globals))
    if (plan.keys.length === 0 && !plan.isStopped) {
      return unerased(plan, () => Terminal.print(`NOTHING: ${English.words.stores.nothingSealed}`), ExitCode.success)
    }
    if (input.dryRun) return unerased(plan, () => printPlan(plan), ExitCode.success)
    const said = yield* readDecision(input)
    if (!input.yes) {
      globals.printer.tell(() => printPlan(plan))
      Terminal.note("Nobody can bring back what is erased. Repeat with --yes")
      return unerased(plan, () => {}, ExitCode.failure)
    }
    const erased = yield* SubjectErasure.erase(plan, said)
    const { keys, runs, sharing, unrecorded, values } = erased
    const document = { erased: true, keys, values, runs, unrecorded, sharing, stopped: plan.isStopped }
    return Printer.answer(document, () => printErased(erased, plan), ExitCode.of(unrecorded.length === 0))
  }).pipe(Effect.provide(StoreSession.writing(globals)))
