/** Says why a subtask may not be rolled back by itself. */
import * as Effect from "effect/Effect"
import * as RecoveryView from "../../output/RecoveryView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as SubtaskSession from "../../program/SubtaskSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import type { Input } from "./whyBlocked.ts"

/** Judges the recovery of a subtask and prints the reasons; 1 where it is blocked. */
export const handler: Handler<Input> = ({ run: name, ...asked }, globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(name, globals)
    const judgment = yield* SubtaskSession.judgment(run, asked)
    return Printer.answer(judgment, () => RecoveryView.judgment(judgment), ExitCode.of(judgment.admitted))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
