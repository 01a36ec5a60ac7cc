/** Begins a run from artifacts of others. */

import * as State from "@backstitch/reducer/State"
import * as AddressLookup from "@backstitch/runtime/AddressLookup"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as CherryPicking from "@backstitch/runtime/CherryPicking"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Seeding from "@backstitch/runtime/Seeding"
import * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as English from "@backstitch/wording/English"
import * as Effect from "effect/Effect"
import * as Clause from "../../input/Clause.ts"
import type { Globals, Server } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./seed.ts"

const prepare = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  const tenant = yield* StoreSession.tenant(globals)
  const from = yield* Effect.forEach(
    input.from,
    Effect.fnUntraced(function* (text) {
      const { field, run, tick } = yield* AddressLookup.artifact(text, tenant)
      if (tick === undefined) {
        const problem = `Name the tick in "${text}", as in ${run.id}@7${field === undefined ? "" : `:${field}`} or ${run.id}:head`
        return yield* new Usage({ problem })
      }
      return { field, run, tick }
    })
  )
  const pack = input.pack === undefined ? undefined : yield* PackFile.load(input.pack)
  return yield* Seeding.prepare({
    run: yield* StoreSession.run(input.run, globals),
    from,
    pack,
    goal: input.goal,
    clauses: yield* Clause.parse(input.clauses, pack?.specification)
  })
})

const { histories } = English.words

const answered = (
  prepared: Seeding.Prepared,
  imports: Seeding.ShownSeed["imports"] | undefined
): Printer.CommandAnswer => {
  const code = ExitCode.of((imports ?? []).every(CherryPicking.isCarriedOut))
  const view = () => print(prepared, imports ?? [], imports === undefined)
  return Printer.answer(Seeding.shown(prepared, imports), view, code)
}

const print = (
  { goal, intents, pack, run, sections, seeds }: Seeding.Prepared,
  imports: ReadonlyArray<CherryPicking.Picked>,
  dryRun: boolean
): void => {
  Terminal.print(`${Terminal.bold("SEED:")} run=${run.id} | pack=${pack.id} ${pack.version} | goal="${goal.text}"`)
  Terminal.print()
  const rows = seeds.map(({ digest, field, run: from, tick }) => [
    Terminal.name(field),
    valueOf(sections, field),
    `${from}@${tick}`,
    Terminal.dim(digest.slice(0, 18))
  ])
  TextTable.print(rows, {
    rail: "  ",
    header: ["FIELD", { name: "BEGINS WITH", see: "--json has all of it" }, "FROM", "DIGEST THERE"]
  })
  if (dryRun) listed(intents)
  for (const { field, open = [] } of seeds) {
    for (const action of open) {
      Terminal.print(`${Terminal.wary("WARNING:")} ${histories.seed.unsettled(action, field)}`)
    }
  }
  for (const imported of imports) {
    const { adopted, tick, verdict } = imported
    const place = `${verdict.source.run}@${verdict.source.tick} ${verdict.subject}`
    const why = CherryPicking.why(imported)
    if (why === undefined) {
      const at = tick === undefined && adopted !== undefined ? histories.seed.known(adopted) : `tick ${tick}`
      Terminal.print(`${Terminal.good("IMPORTED:")} ${place} | ${at}`)
    } else Terminal.print(`${Terminal.bad("NOT IMPORTED:")} ${place} | ${why}`)
  }
  Terminal.print()
  if (dryRun) Terminal.print(`${Terminal.good("FITS:")} ${histories.rehearsed}`)
  else {
    Terminal.print(`${Terminal.good("BEGUN:")} ${histories.seed.begun}`)
    Terminal.print(`${Terminal.dim("next")}  ${Spelling.of({ run: run.id, verb: "resume" })}`)
  }
}

/** Lists the intents that would be carried over; the new run decides which of them it accepts. */
const listed = (intents: Seeding.Prepared["intents"]): void => {
  if (intents.length === 0) return
  const rows = intents.map(({ run, tick, tool, type }) => [
    Terminal.name(tool ?? type),
    `${run.id}@${tick}`,
    tool === undefined ? "" : Terminal.wary(`calls ${tool}: --agent FILE is needed`)
  ])
  TextTable.print(rows, { rail: "  ", header: ["INTENT", "FROM", "NEEDS"] })
  Terminal.print(Terminal.dim(`  ${histories.seed.judged}`))
}

const valueOf = (sections: Seeding.Prepared["sections"], path: string): string => {
  const [section, name = ""] = path.split(".")
  const value = (section === "world" ? sections.world : sections.working)[name]
  return value === undefined ? "" : Canonical.encode(State.fieldToJson(value))
}

const rehearsing = (input: Input, globals: Globals) =>
  Effect.gen(function* () {
    return answered(yield* prepare(input, globals), undefined)
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const beginning = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  const prepared = yield* prepare(input, globals)
  const { imports } = yield* Seeding.begin(prepared)
  return answered(prepared, imports)
})

const noting = (input: Input, globals: Globals) =>
  beginning(input, globals).pipe(Effect.scoped, Effect.provide(StoreSession.writing(globals)))

const acting = Effect.fnUntraced(function* (input: Input, path: string, globals: Globals) {
  const file = yield* AgentFile.load(path, { undeclared: "permit" })
  return yield* beginning(input, globals).pipe(Effect.scoped, Effect.provide(StoreSession.acting(globals, file)))
})

/** The server begins it, from the same parts: what they were at their ticks does not change. */
const asking = (input: Input, server: Server, globals: Globals) =>
  Effect.gen(function* () {
    yield* ServerCall.refuse({ "--pack": input.pack }, "a server takes no pack from a caller")
    const prepared = yield* prepare(input, globals)
    const payload = {
      run: prepared.run.id,
      from: prepared.from.map(({ field, run, tick }) => ({ run: run.id, tick, ...defined({ field }) })),
      clauses: ServerCall.json(yield* Clause.parse(input.clauses, prepared.pack.specification)),
      ...defined({ agent: input.agent, goal: input.goal })
    }
    const { imports } = yield* ServerCall.ask(server, (api) => api.branches.seed({ headers: {}, payload }))
    return answered(prepared, imports)
  }).pipe(Effect.provide(StoreSession.reading(globals)))

/** Begins the run and, with an agent, also carries calls over. */
export const handler: Handler<Input> = (input, globals) =>
  input.dryRun
    ? rehearsing(input, globals)
    : globals.server !== undefined
      ? asking(input, globals.server, globals)
      : input.agent === undefined
        ? noting(input, globals)
        : acting(input, input.agent, globals)
