/** Forks a run. */

import * as Duration from "@backstitch/contracts/Duration"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Forking from "@backstitch/runtime/Forking"
import * as History from "@backstitch/runtime/History"
import * as LiveRun from "@backstitch/runtime/LiveRun"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Receipt from "@backstitch/runtime/Receipt"
import { defined } from "@backstitch/trace/Defined"
import * as English from "@backstitch/wording/English"
import * as Effect from "effect/Effect"
import type { Globals, Server } from "../../input/Globals.ts"
import * as ActingView from "../../output/runs/ActingView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as HostedWork from "../../program/HostedWork.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./fork.ts"

/** The run, and the tick up to which it is shared. */
const named = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  const { run: parent, tick = input.from } = yield* StoreSession.place(input.run, globals)
  if (tick === undefined) {
    return yield* new Usage({ problem: `Name the last tick to share, as in ${parent.id}@6 or with --from 6` })
  }
  if (input.from !== undefined && input.from !== tick) {
    return yield* new Usage({ problem: `${input.run} and --from ${input.from} name two ticks. Name one` })
  }
  const child = input.as === undefined ? undefined : yield* StoreSession.run(input.as, globals)
  const { behindUndone, budget, policy, reason, toolPolicy } = input
  return { parent, at: tick, child, reason, policy, toolPolicy, budget, behindUndone }
})

const make = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  const asked = yield* named(input, globals)
  const pack = input.pack === undefined ? undefined : yield* PackFile.load(input.pack)
  const forked = yield* Forking.fork({ ...asked, pack })
  globals.printer.tell(() => print(Forking.shown(forked), forked.pack))
  return forked
})

const { histories } = English.words

const print = (forked: Forking.ShownFork, pack: TaskPack.TaskPack | undefined): void => {
  const { at, behind, budget, compared, parent, run } = forked
  Terminal.print(
    `${Terminal.bold("FORK:")} run=${run} | shares ${parent} up to tick ${at} | replay_verified=true | states_compared=${compared}`
  )
  for (const { action, before, tick, tool, undo } of behind) {
    const isGone = EffectStatus.isGone({ undo })
    const place = { run: parent, tick: at }
    const said = histories.behind({ act: `${tool} (${action})`, at: place, before, isGone, undoneAt: tick })
    Terminal.print(`${Terminal.bold("UNDONE:")} ${said}`)
  }
  const elapsed = pack?.budget.elapsedMillis
  if (pack !== undefined && (elapsed !== undefined || Object.keys(budget.given).length > 0)) {
    const amounts = Object.entries(budget.given).map(([name, amount]) => `${name} ${amount}`)
    const time = elapsed === undefined ? [] : [`elapsed ${Duration.format(elapsed)} since ${parent} began`]
    const given = [...amounts, ...time]
    const taken = Object.keys(budget.taken)
    const from = taken.length === 0 ? "" : ` | taken from ${parent}: ${taken.join(", ")}`
    TextTable.sentence(Terminal.bold("BUDGET:"), `${given.join(", ")}${from}`)
  }
  if (pack !== undefined) {
    TextTable.sentence(Terminal.bold("PACK:"), `${pack.id} ${pack.version} | digest=${pack.digest.slice(0, 12)}…`)
  }
}

const answered = (forked: Forking.ShownFork): Printer.CommandAnswer =>
  Printer.answer(forked, () => {
    Terminal.print()
    Terminal.print(`${Terminal.dim("next")}  ${Spelling.of({ run: forked.run, verb: "resume" })}`)
    Terminal.print(`      ${Spelling.of({ other: forked.run, run: forked.parent, verb: "diff" })}`)
  })

const only = (input: Input, globals: Globals) =>
  Effect.map(make(input, globals), (forked) => answered(Forking.shown(forked))).pipe(
    Effect.provide(StoreSession.writing(globals))
  )

/** The server makes the fork and, with an agent that it knows by name, lets it go on. */
const asking = (input: Input, server: Server, globals: Globals) =>
  Effect.gen(function* () {
    yield* ServerCall.refuse({ "--pack": input.pack }, "a server takes no pack from a caller")
    const { child, parent, ...asked } = yield* named(input, globals)
    const params = { run: parent.id }
    const { at, ...rest } = asked
    const payload = { at, ...defined({ ...rest, run: child?.id }) }
    const forked = yield* ServerCall.ask(server, (api) => api.versions.fork({ params, headers: {}, payload }))
    const run = yield* StoreSession.run(forked.run, globals)
    // Its pack is named on the record, which is fetched and checked here.
    yield* (yield* History.History).info(run)
    const pack = forked.pack === null ? undefined : yield* (yield* PackLibrary.PackLibrary).pack(forked.pack)
    globals.printer.tell(() => print(forked, pack))
    return { forked, run }
  }).pipe(
    Effect.provide(StoreSession.reading(globals)),
    Effect.flatMap(({ forked, run }) => {
      const { agent } = input
      if (agent === undefined) return Effect.succeed(answered(forked))
      return Effect.gen(function* () {
        const params = { run: run.id }
        yield* ServerCall.ask(server, (api) => api.hosting.resume({ params, headers: {}, payload: { agent } }))
        globals.printer.tell(() => Terminal.print())
        return yield* HostedWork.follow({ run, after: forked.at }, server, globals)
      })
    })
  )

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
  globals.server !== undefined
    ? asking(input, globals.server, globals)
    : input.agent === undefined
      ? only(input, globals)
      : andGoOn(input, input.agent, globals)
