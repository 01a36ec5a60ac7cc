/** Takes a failed subtask back to a checkpoint, or tells what that would be. */
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as ErrorText from "@backstitch/runtime/ErrorText"
import * as LiveRun from "@backstitch/runtime/LiveRun"
import * as SubtaskRecovery from "@backstitch/runtime/SubtaskRecovery"
import { defined } from "@backstitch/trace/Defined"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import type { Globals, Server } from "../../input/Globals.ts"
import * as RecoveryView from "../../output/RecoveryView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as SubtaskSession from "../../program/SubtaskSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./recover.ts"

const look = ({ run: name, ...question }: Input, globals: Globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const judgment = yield* SubtaskSession.judgment(run, question)
    const view = () => {
      RecoveryView.judgment(judgment)
      if (judgment.admitted) Terminal.print(Terminal.dim("nothing was done: --yes with --agent does it"))
    }
    return Printer.answer({ ...judgment, done: false }, view, ExitCode.of(judgment.admitted))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const act = Effect.fnUntraced(function* (path: string, because: string, input: Input, globals: Globals) {
  const file = yield* AgentFile.load(path, { undeclared: "permit" })
  return yield* Effect.gen(function* () {
    const run = yield* StoreSession.find(input.run, globals)
    const asked = { ...SubtaskRecovery.askedOf(input), because, by: input.by }
    return answer(yield* Effect.catchTag(LiveRun.restore(run, asked), "NoSuchSubtask", SubtaskSession.missing))
  }).pipe(Effect.provide(StoreSession.acting(globals, file)))
})

/** The server takes the subtask back, with the tools of the agent that has the run, or of one that it knows by name. */
const asking = Effect.fnUntraced(function* (reason: string, input: Input, server: Server, globals: Globals) {
  const { agent, by, instance, policy } = input
  yield* ServerCall.signed(server, by, "--by")
  const found = StoreSession.find(input.run, globals)
  const { id: run } = yield* Effect.provide(found, StoreSession.reading(globals))
  const payload = { policy, reason, ...defined({ agent, instance }) }
  return answer(yield* ServerCall.ask(server, (api) => api.recovery.recover({ params: { run }, headers: {}, payload })))
})

const answer = (restored: LiveRun.Restored): Printer.CommandAnswer => {
  const { done, outcome, run } = restored
  const view = () => {
    RecoveryView.print(run, restored)
    if (outcome?._tag === "Done")
      Terminal.print(`${Terminal.good("RESTORED:")} run=${run} | the agent goes on with resume`)
    else if (outcome !== null) notRestored(run, outcome)
  }
  return Printer.answer(restored, view, ExitCode.of(done))
}

/** Prints why a restore that was admitted was not done. */
const notRestored = (run: string, outcome: Exclude<Outcome, { readonly _tag: "Done" }>): void => {
  const why = outcome._tag === "Failed" ? ErrorText.of(outcome.error) : Wording.why(outcome)
  TextTable.sentence(Terminal.bad("NOT RESTORED:"), `run=${run} | ${why}`)
  const steps = outcome._tag === "Failed" ? "" : Spelling.all(Wording.next(outcome), { run })
  if (steps !== "") Terminal.print(`${Terminal.dim("next:")} ${steps}`)
}

const unexplained = Effect.fail(new Usage({ problem: "--yes needs --reason TEXT, which is put on record" }))

const toolless = Effect.fail(new Usage({ problem: "--yes needs --agent FILE: effects are undone by its tools" }))

/** Tells what a recovery would do, or carries it out with `--yes`. */
export const handler: Handler<Input> = (input, globals) => {
  const { agent, reason, yes } = input
  const { server } = globals
  if (!yes) return look(input, globals)
  if (server !== undefined) return reason === undefined ? unexplained : asking(reason, input, server, globals)
  if (agent === undefined) return toolless
  return reason === undefined ? unexplained : act(agent, reason, input, globals)
}
