/** Goes on with a run, or says what is open. */
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as Receipt from "@backstitch/runtime/Receipt"
import * as Resuming from "@backstitch/runtime/Resuming"
import * as Effect from "effect/Effect"
import * as Emergency from "../../input/Emergency.ts"
import type { Globals } from "../../input/Globals.ts"
import * as PlanView from "../../output/PlanView.ts"
import * as ReceiptView from "../../output/ReceiptView.ts"
import * as Acting from "../../program/Acting.ts"
import type { Handler } from "../../program/Handler.ts"
import * as Holder from "../../program/Holder.ts"
import * as OnceMore from "../../program/OnceMore.ts"
import * as Session from "../../program/Session.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./resume.ts"

const look = (name: string, globals: Globals) =>
  Effect.gen(function* () {
    const run = yield* Session.find(name, globals)
    const plan = yield* Resuming.plan(run)
    const receipt = yield* Receipt.make(run, undefined)
    if (globals.json) Terminal.document({ ...ReceiptView.document(receipt), plan })
    else {
      if (plan.steps.length > 0) PlanView.print(run.id, plan, "rehearsed")
      ReceiptView.print(receipt)
    }
    return receipt.verified ? 0 : 1
  }).pipe(Effect.provide(Session.reading(globals)))

const goOn = Effect.fnUntraced(function* (path: string, input: Input, globals: Globals) {
  const { checkpoint, run: name, wait } = input
  const emergency = yield* Emergency.parse(input)
  const dial = yield* Session.dial(checkpoint)
  const file = yield* AgentFile.load(path, { undeclared: "permit" })
  return yield* Effect.gen(function* () {
    const run = yield* Session.find(name, globals)
    const history = yield* History.History
    const coordinator = yield* Coordinator.Coordinator
    yield* history.info(run)
    yield* Holder.hold(run, { wait })
    const { head } = yield* history.info(run)
    const plan = yield* Resuming.plan(run)
    const handle = yield* coordinator.reopen(run)
    const again = yield* OnceMore.parse(run, input.again)
    if (emergency !== undefined) yield* Emergency.check((yield* handle.position).state, run, emergency)
    if (!globals.json) PlanView.print(run.id, plan, "begun")
    return yield* Acting.act(handle, globals, head.tick, { plan, emergency, again })
  }).pipe(Effect.scoped, Effect.provide(Session.acting(globals, file, dial)))
})

/** Settles what a crash left open and lets the agent go on; without an agent, says what is open and asks nobody. */
export const handler: Handler<Input> = (input, globals) =>
  input.agent === undefined
    ? Effect.andThen(Effect.andThen(OnceMore.refuse(input.again), Emergency.refuse(input)), look(input.run, globals))
    : goOn(input.agent, input, globals)
