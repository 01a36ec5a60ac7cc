/** Begins a run. */
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as LiveRun from "@backstitch/runtime/LiveRun"
import * as Receipt from "@backstitch/runtime/Receipt"
import { defined } from "@backstitch/trace/Defined"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Clause from "../../input/Clause.ts"
import type { Globals, Server } from "../../input/Globals.ts"
import * as ModelFlags from "../../input/ModelFlags.ts"
import * as StageFlag from "../../input/StageFlag.ts"
import * as StoreFile from "../../input/StoreFile.ts"
import * as ActingView from "../../output/runs/ActingView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as HostedWork from "../../program/HostedWork.ts"
import * as ModelSession from "../../program/ModelSession.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import * as CanaryChoice from "../releases/CanaryChoice.ts"
import type { Input } from "./run.ts"

/** The server begins it with an agent that it knows by name. */
const asking = Effect.fnUntraced(function* (input: Input, server: Server, globals: Globals) {
  const { agent, canary, canaryShare, canaryTenant, snapshots, stage, stages, topology } = input
  const stagesOf = { "--stage": stage === "full" ? undefined : stage, "--stage-of": stages }
  yield* ServerCall.refuse(stagesOf, "a server enforces the whole pack")
  yield* ServerCall.refuse({ "--topology": topology }, "check the pack of the agent where it is, with `audit`")
  const routed = { "--canary": canary, "--canary-share": canaryShare, "--canary-tenant": canaryTenant }
  yield* ServerCall.refuse(routed, "the operator of the server has chosen the packs of its agents")
  const settings = { "--snapshots": snapshots, ...ModelFlags.typed(input) }
  yield* ServerCall.refuse(settings, "the operator of the server has set it for its agents")
  const run = yield* StoreSession.run(input.run, globals)
  const { agents } = yield* ServerCall.ask(server, (api) => api.hosting.agents())
  const known = agents.find((each) => each.agent === agent)
  const clauses = ServerCall.json(yield* Clause.parse(input.clauses))
  const payload = { run: run.id, agent, clauses, ...defined({ goal: input.goal }) }
  yield* ServerCall.ask(server, (api) => api.hosting.start({ headers: {}, payload }))
  const { goal } = yield* ServerCall.ask(server, (api) => api.runs.show({ params: { run: run.id } })).pipe(
    Effect.map(({ body }) => body)
  )
  globals.printer.tell(() => {
    TextTable.sentence(Terminal.bold("BOOT:"), `goal="${goal}"`)
    if (known !== undefined) boot({ id: known.pack, ...known }, globals)
    ActingView.spawned(known?.agents)
    Terminal.print()
  })
  return yield* HostedWork.follow({ run, after: 0 }, server, globals)
})

/** The path of the canary's pack, if the run is one that the canary takes. */
const canaryOf = Effect.fnUntraced(function* (input: Input, run: Run, globals: Globals) {
  const route = yield* CanaryChoice.route(input, globals)
  const isNamed = (input.canaryShare ?? input.canaryTenant) !== undefined
  if (isNamed !== (input.canary !== undefined)) {
    const problem =
      "--canary names a pack, and --canary-share or --canary-tenant the runs that begin under it: give both"
    return yield* new Usage({ problem })
  }
  if (input.canary === undefined) return undefined
  // The gates are not loaded for other runs.
  const { takes } = yield* Effect.promise(() => import("@backstitch/release/CanaryRoute"))
  return (yield* Effect.fromResult(takes(route, run))) ? input.canary : undefined
})

const boot = (
  { digest, id, version }: { readonly id: string; readonly version: string; readonly digest: string },
  globals: Globals
): void =>
  TextTable.sentence(
    Terminal.bold("PACK:"),
    `${id} ${version} | digest=${digest.slice(0, 12)}… | store=${StoreFile.place(globals)}`
  )

/** Begins a run and lets its agent act. */
export const handler: Handler<Input> = Effect.fnUntraced(function* (input, globals) {
  if (globals.server !== undefined) return yield* asking(input, globals.server, globals)
  const run = yield* StoreSession.run(input.run, globals)
  const dial = yield* StoreSession.dial(input.snapshots)
  const model = yield* ModelSession.open(input)
  const canary = yield* canaryOf(input, run, globals)
  const file = yield* AgentFile.load(input.agent, {
    pack: canary,
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
        TextTable.sentence(Terminal.bold("BOOT:"), `goal="${input.goal ?? text ?? goal}"`)
        boot(file.pack, globals)
        ActingView.spawned(AgentFile.agents(file))
        if (canary !== undefined) TextTable.sentence(Terminal.bold("CANARY:"), `the run begins under ${canary}`)
        ModelSession.tell(model, input)
        Terminal.print()
      })
    }
    const acted = yield* LiveRun.begin(run, opening, { begun, visit: ActingView.visit(globals.printer) })
    return ActingView.answer(acted, ExitCode.of(Receipt.isDone(acted.receipt)))
  }).pipe(Effect.provide(StoreSession.beginning(globals, ModelSession.acting(file, model), dial)))
})
