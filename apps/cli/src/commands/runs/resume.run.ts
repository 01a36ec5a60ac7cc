/** Continues a run, or lists what is open. */
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as EmergencyCheck from "@backstitch/runtime/EmergencyCheck"
import * as History from "@backstitch/runtime/History"
import * as Receipt from "@backstitch/runtime/Receipt"
import * as RepeatedCall from "@backstitch/runtime/RepeatedCall"
import * as ResumePreview from "@backstitch/runtime/ResumePreview"
import * as Effect from "effect/Effect"
import * as AgainFlag from "../../input/AgainFlag.ts"
import * as EmergencyFlag from "../../input/EmergencyFlag.ts"
import type { Globals } from "../../input/Globals.ts"
import * as ReceiptView from "../../output/ReceiptView.ts"
import * as ResumeView from "../../output/ResumeView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as LiveRun from "../../program/LiveRun.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import type { Input } from "./resume.ts"

const look = (name: string, globals: Globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const plan = yield* ResumePreview.plan(run)
    const receipt = yield* Receipt.make(run, undefined)
    const view = () => {
      if (plan.steps.length > 0) ResumeView.print(run.id, plan, "rehearsed")
      ReceiptView.print(receipt)
    }
    return Printer.answer({ ...ReceiptView.document(receipt), plan }, view, receipt.verified ? 0 : 1)
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const goOn = Effect.fnUntraced(function* (path: string, input: Input, globals: Globals) {
  const { run: name, snapshots, wait } = input
  const emergency = yield* EmergencyFlag.parse(input)
  const tick = yield* AgainFlag.parse(input.again)
  const dial = yield* StoreSession.dial(snapshots)
  const file = yield* AgentFile.load(path, { undeclared: "permit" })
  return yield* Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const history = yield* History.History
    const coordinator = yield* Coordinator.Coordinator
    yield* history.info(run)
    yield* LiveRun.lease(run, { wait })
    const { head } = yield* history.info(run)
    const plan = yield* ResumePreview.plan(run)
    const handle = yield* coordinator.reopen(run)
    const again = tick === undefined ? undefined : yield* RepeatedCall.at(run, tick)
    if (emergency !== undefined) yield* EmergencyCheck.check((yield* handle.position).state, run, emergency)
    globals.printer.tell(() => ResumeView.print(run.id, plan, "begun"))
    return yield* LiveRun.act(handle, globals, head.tick, { plan, emergency, again })
  }).pipe(Effect.scoped, Effect.provide(StoreSession.acting(globals, file, dial)))
})

/**
 * Settles what a crash left open and lets the agent continue; without an agent, lists what is open and asks nothing.
 */
export const handler: Handler<Input> = (input, globals) =>
  input.agent === undefined
    ? Effect.andThen(
        Effect.andThen(AgainFlag.refuse(input.again), EmergencyFlag.refuse(input)),
        look(input.run, globals)
      )
    : goOn(input.agent, input, globals)
