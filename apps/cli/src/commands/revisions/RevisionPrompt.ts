/** Reads changes of a run's goal from the lines of stdin, and injects each as it comes. */
import { createInterface } from "node:readline"
import * as StoredRevision from "@backstitch/runtime/StoredRevision"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as RevisionProblem from "./RevisionProblem.ts"
import * as RevisionText from "./RevisionText.ts"

/** Says which changes may be typed. */
export const told = `Type a change of the goal to revise it: ${RevisionText.forms}`

/** Injects one line: changes with semicolons between them. */
const injected = Effect.fnUntraced(
  function* (run: Run, line: string) {
    const { pack } = yield* StoredRevision.underWay(run)
    const changes = yield* Effect.forEach(line.split(";"), (text) => RevisionText.parse(text, pack.specification))
    yield* StoredRevision.inject(run, { changes, said: line })
  },
  Effect.catchTag(["GoalReached", "GoalUndeclared"], RevisionProblem.usage)
)

/** Injects each line, and complains of one that is none, until the input ends. Then it waits. */
export const follow = (run: Run, globals: Globals) =>
  Effect.gen(function* () {
    const input = createInterface({ input: process.stdin })
    yield* Effect.addFinalizer(() => Effect.sync(() => input.close()))
    const lines = input[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = yield* Effect.promise(() => lines.next())
      if (done === true) return yield* Effect.never
      if (value.trim() === "") continue
      yield* Effect.match(injected(run, value), {
        onFailure: ({ message }) => Terminal.complain(message),
        onSuccess: () => {}
      })
    }
  }).pipe(Effect.scoped, Effect.provide(StoreSession.writing(globals)))
