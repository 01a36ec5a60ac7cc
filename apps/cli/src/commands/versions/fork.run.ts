/** Forks a run. */

import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Forking from "@backstitch/runtime/Forking"
import * as LiveRun from "@backstitch/runtime/LiveRun"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Receipt from "@backstitch/runtime/Receipt"
import * as English from "@backstitch/wording/English"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as ActingView from "../../output/runs/ActingView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Table from "../../terminal/Table.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./fork.ts"

const make = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  const { run: parent, tick = input.from } = yield* StoreSession.place(input.run, globals)
  if (tick === undefined) {
    return yield* new Usage({ problem: `Name the last tick to share, as in ${parent.id}@6 or with --from 6` })
  }
  if (input.from !== undefined && input.from !== tick) {
    return yield* new Usage({ problem: `${input.run} and --from ${input.from} name two ticks. Name one` })
  }
  const forked = yield* Forking.fork({
    parent,
    at: tick,
    child: input.as === undefined ? undefined : yield* StoreSession.run(input.as, globals),
    reason: input.reason,
    pack: input.pack === undefined ? undefined : yield* PackFile.load(input.pack),
    policy: input.policy,
    toolPolicy: input.toolPolicy,
    budget: input.budget,
    behindUndone: input.behindUndone
  })
  globals.printer.tell(() => print(forked))
  return forked
})

const { histories } = English.words

const print = (forked: Forking.Forked): void => {
  const { at, behind, budget, compared, pack, parent, run } = forked
  Terminal.print(
    `${Terminal.bold("FORK:")} run=${run.id} | shares ${parent.id} up to tick ${at} | replay_verified=true | states_compared=${compared}`
  )
  for (const { action, before, tick, tool, undo } of behind) {
    const isGone = EffectStatus.isGone({ undo })
    const place = { run: parent.id, tick: at }
    const said = histories.behind({ act: `${tool} (${action})`, at: place, before, isGone, undoneAt: tick })
    Terminal.print(`${Terminal.bold("UNDONE:")} ${said}`)
  }
  if (pack !== undefined && Object.keys(budget.given).length > 0) {
    const given = Object.entries(budget.given).map(([name, amount]) => `${name} ${amount}`)
    const taken = Object.keys(budget.taken)
    const from = taken.length === 0 ? "" : ` | taken from ${parent.id}: ${taken.join(", ")}`
    Table.sentence(Terminal.bold("BUDGET:"), `${given.join(", ")}${from}`)
  }
  if (pack !== undefined) {
    Table.sentence(Terminal.bold("PACK:"), `${pack.id} ${pack.version} | digest=${pack.digest.slice(0, 12)}…`)
  }
}

const only = (input: Input, globals: Globals) =>
  Effect.gen(function* () {
    const { at, behind, budget, compared, head, pack, parent, reason, run } = yield* make(input, globals)
    const digest = pack?.digest ?? null
    const about = { run: run.id, parent: parent.id, at, reason, head, pack: digest, compared, behind, budget }
    return Printer.answer(about, () => {
      Terminal.print()
      Terminal.print(`${Terminal.dim("next")}  ${Spelling.of({ run: run.id, verb: "resume" })}`)
      Terminal.print(`      ${Spelling.of({ other: run.id, run: parent.id, verb: "diff" })}`)
    })
  }).pipe(Effect.provide(StoreSession.writing(globals)))

const andGoOn = (input: Input, path: string, globals: Globals) =>
  Effect.gen(function* () {
    const file = yield* AgentFile.load(path, { undeclared: "permit" })
    return yield* Effect.gen(function* () {
      const { at, run } = yield* make(input, globals)
      const begun = () => globals.printer.tell(() => Terminal.print())
      const acted = yield* LiveRun.proceed(run, at, { begun, visit: ActingView.visit(globals.printer) })
      return ActingView.answer(acted, ExitCode.of(Receipt.isDone(acted.receipt)))
    }).pipe(Effect.provide(StoreSession.acting(globals, file)))
  })

/** Forks a run and, with an agent, lets it continue at once. */
export const handler: Handler<Input> = (input, globals) =>
  input.agent === undefined ? only(input, globals) : andGoOn(input, input.agent, globals)
