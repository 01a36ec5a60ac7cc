/** Continues a run, or lists what is open. */
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as History from "@backstitch/runtime/History"
import * as LiveRun from "@backstitch/runtime/LiveRun"
import * as Receipt from "@backstitch/runtime/Receipt"
import * as ResumePreview from "@backstitch/runtime/ResumePreview"
import * as Effect from "effect/Effect"
import * as AgainFlag from "../../input/AgainFlag.ts"
import * as EmergencyFlag from "../../input/EmergencyFlag.ts"
import type { Globals, Server } from "../../input/Globals.ts"
import * as ModelFlags from "../../input/ModelFlags.ts"
import * as ActingView from "../../output/runs/ActingView.ts"
import * as ReceiptView from "../../output/runs/ReceiptView.ts"
import * as ResumeView from "../../output/runs/ResumeView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as HostedWork from "../../program/HostedWork.ts"
import * as LackedAgents from "../../program/LackedAgents.ts"
import * as ModelSession from "../../program/ModelSession.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as AlarmFlag from "./AlarmFlag.ts"
import type { Input } from "./resume.ts"

const look = (name: string, globals: Globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const plan = yield* ResumePreview.plan(run)
    const receipt = yield* Receipt.make(run, undefined)
    const lacking = yield* LackedAgents.of(globals, run)
    const view = () => {
      if (plan.steps.length > 0) ResumeView.print(run.id, plan, "rehearsed")
      ReceiptView.print(receipt)
      LackedAgents.print(lacking)
    }
    const document = { ...ReceiptView.document(receipt), plan, ...LackedAgents.field(lacking) }
    return Printer.answer(document, view, ExitCode.of(Receipt.isDone(receipt)))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const goOn = Effect.fnUntraced(function* (path: string, input: Input, globals: Globals) {
  const { run: name, snapshots, wait } = input
  const past = yield* AlarmFlag.parse(input)
  const emergency = past === undefined ? yield* EmergencyFlag.parse(input) : undefined
  const tick = yield* AgainFlag.parse(input.again)
  const dial = yield* StoreSession.dial(snapshots)
  const model = yield* ModelSession.open(input)
  const planner = model === undefined ? "own" : "given"
  const file = yield* AgentFile.load(path, { planner, undeclared: "permit" })
  return yield* Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const begun = (plan: LiveRun.Resumed["plan"]) =>
      globals.printer.tell(() => {
        ResumeView.print(run.id, plan, "begun", { pack: file.pack, agents: AgentFile.agents(file) })
      })
    const wanted = { again: tick, emergency, past, waiting: wait ? ActingView.waiting(run) : undefined }
    const resumed = yield* LiveRun.resume(run, wanted, { begun, visit: ActingView.visit(globals.printer) })
    return ActingView.answer(resumed, ExitCode.of(Receipt.isDone(resumed.receipt)), { plan: resumed.plan })
  }).pipe(Effect.provide(StoreSession.acting(globals, ModelSession.acting(file, model), dial)))
})

/** The server lets an agent that it knows by name go on. */
const asking = Effect.fnUntraced(function* (agent: string, input: Input, server: Server, globals: Globals) {
  const { again, breakGlass, by, past, reason, snapshots, wait } = input
  yield* ServerCall.refuse({ "--again": again }, "repeat the act where the store is")
  yield* ServerCall.refuse({ "--break-glass": breakGlass }, "break it where the store is")
  yield* ServerCall.refuse({ "--past": past }, "go on past the alarm where the store is, or revise the goal")
  yield* ServerCall.refuse({ "--by": by, "--reason": reason }, "the key says who lets the agent go on. Leave it out")
  yield* ServerCall.refuse({ "--wait": wait }, "the run is followed until it is at rest. Leave it out")
  const settings = { "--snapshots": snapshots, ...ModelFlags.typed(input) }
  yield* ServerCall.refuse(settings, "the operator of the server has set it for its agents")
  const { after, plan, run } = yield* Effect.gen(function* () {
    const run = yield* StoreSession.find(input.run, globals)
    const { head } = yield* (yield* History.History).info(run)
    return { after: head.tick, plan: yield* ResumePreview.plan(run), run }
  }).pipe(Effect.provide(StoreSession.reading(globals)))
  const params = { run: run.id }
  const unlisted = Effect.orElseSucceed(() => ({ agents: [] }))
  // Lines about the agent are no reason to leave the run as it is.
  const { agents } = yield* unlisted(ServerCall.ask(server, (api) => api.hosting.agents()))
  yield* ServerCall.ask(server, (api) => api.hosting.resume({ params, headers: {}, payload: { agent } }))
  const known = agents.find((each) => each.agent === agent)
  const acting = known && { agents: known.agents, pack: { ...known, id: known.pack } }
  globals.printer.tell(() => ResumeView.print(run.id, plan, "begun", acting))
  return yield* HostedWork.follow({ run, after, more: { plan } }, server, globals)
})

/** Refuses flags that say how an agent goes on, if none does. */
const idle = ({ snapshots, wait }: Input): Effect.Effect<void, Usage> => {
  const flag = wait ? "--wait" : snapshots === undefined ? undefined : "--snapshots"
  return flag === undefined
    ? Effect.void
    : Effect.fail(new Usage({ problem: `${flag} is for an agent that goes on: name it with --agent FILE` }))
}

/**
 * Settles what a crash left open and lets the agent continue; without an agent, lists what is open and asks nothing.
 */
export const handler: Handler<Input> = (input, globals) =>
  input.agent === undefined
    ? Effect.andThen(
        Effect.all([
          AgainFlag.refuse(input.again),
          AlarmFlag.refuse(input),
          EmergencyFlag.refuse(input),
          ModelFlags.refuse(input),
          idle(input)
        ]),
        look(input.run, globals)
      )
    : globals.server === undefined
      ? goOn(input.agent, input, globals)
      : asking(input.agent, input, globals.server, globals)
