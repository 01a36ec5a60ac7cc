/** Reconstructs a state, or runs an agent again on recorded outputs. */
import * as State from "@backstitch/reducer/State"
import * as RecordedReplay from "@backstitch/release/RecordedReplay"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as FoldReplay from "@backstitch/runtime/FoldReplay"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as ReceiptView from "../../output/runs/ReceiptView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as SealingKey from "../../program/SealingKey.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as TenantSecret from "../../program/TenantSecret.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./replay.ts"

const folding = ({ mode, run: name, to }: Input, globals: Globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const replayed = yield* FoldReplay.replay(run, { isStrict: mode === "strict", to })
    if (replayed._tag === "Differing") {
      Terminal.complain(`${replayed.verdict.problem}`)
      return Printer.answer({ ...replayed.verdict, mode }, () => {}, ExitCode.failure)
    }
    const { compared, digest, state, tick } = replayed
    const document = { run: run.id, mode, tick, state_digest: digest, state: State.toJson(state) }
    return Printer.answer(document, () => {
      if (compared !== undefined)
        Terminal.note(`${Terminal.good("STRICT:")} ${compared} committed states came out again`)
      Terminal.lines(JSON.stringify(document.state, null, 2))
      Terminal.note(`${Terminal.bold("STATE:")} run=${run.id} | tick=${tick} | digest=${digest}`)
    })
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const recorded = (input: Input, globals: Globals) =>
  Effect.gen(function* () {
    if (input.agent === undefined) {
      return yield* new Usage({ problem: "The mode recorded runs an agent again: name it with --agent" })
    }
    if (globals.server !== undefined) {
      yield* ServerCall.refuse({ "--as": input.as }, "a replay is kept where the store is")
    }
    const run = yield* StoreSession.find(input.run, globals)
    const as = input.as === undefined ? undefined : yield* StoreSession.run(input.as, globals)
    const file = yield* AgentFile.load(input.agent, { undeclared: "permit" })
    // A kept replay claims names in the store. A dropped one needs no secret.
    const secret = as === undefined ? "recorded" : yield* TenantSecret.recognised(globals, run.tenant)
    const replaying = RecordedReplay.replay(run, file, { as, secret })
    const replayed = yield* as === undefined
      ? Effect.provide(replaying, SealingKey.apart(globals, run), { local: true })
      : Effect.provide(replaying, SealingKey.layer(globals))
    const view = () => {
      const where =
        replayed.partedAt === null ? "it did the same" : `it did something else from tick ${replayed.partedAt} on`
      Terminal.print(`${Terminal.bold("REPLAY:")} run=${run.id} | mode=recorded | ${where}`)
      ReceiptView.print({ ...replayed.replayed, next: as === undefined ? [] : replayed.replayed.next })
    }
    return Printer.answer(replayed, view, ExitCode.of(replayed.same))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

/** Reconstructs a state, or runs an agent again. */
export const handler: Handler<Input> = (input, globals) =>
  input.mode === "recorded" ? recorded(input, globals) : folding(input, globals)
