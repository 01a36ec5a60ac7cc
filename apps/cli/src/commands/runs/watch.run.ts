/** Follows runs. */
import * as FlatEvent from "@backstitch/runtime/FlatEvent"
import * as StepFeed from "@backstitch/runtime/StepFeed"
import type * as RunFeed from "@backstitch/trace/RunFeed"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as StoreFile from "../../input/StoreFile.ts"
import * as TickLine from "../../output/TickLine.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as Wrapping from "../../terminal/Wrapping.ts"
import * as RevisionPrompt from "../revisions/RevisionPrompt.ts"
import type { Input } from "./watch.ts"

const begin = Effect.fnUntraced(function* ({ from, revise, run }: Input, globals: Globals) {
  yield* ServerCall.refuse({ "--revise": globals.server !== undefined && revise }, "revise the goal where the store is")
  if (run !== undefined) return yield* StepFeed.select({ run: yield* StoreSession.find(run, globals), from })
  if (from !== undefined) return yield* new Usage({ problem: "--from is a tick of a run: name the run, too" })
  if (revise) return yield* new Usage({ problem: "--revise changes the goal of a run: name the run, too" })
  return yield* StepFeed.select({ tenant: yield* StoreSession.tenant(globals) })
})

const told = (selection: RunFeed.Selection, globals: Globals): string =>
  "run" in selection
    ? `run ${selection.run.id} from tick ${selection.from} on`
    : `every run of tenant ${selection.tenant} in ${StoreFile.place(globals)}, from now on`

const line = ({ head, run, step }: StepFeed.Followed): string =>
  Wrapping.cut(`${Terminal.name(`${run.id}@${head.tick}`)}  ${TickLine.told(step)}`, Terminal.width)

/** Ends when a person or the system stops the process. */
const asked = Effect.callback<void>((resume) => {
  const end = () => resume(Effect.void)
  const signals = ["SIGINT", "SIGTERM"] as const
  for (const signal of signals) process.once(signal, end)
  return Effect.sync(() => {
    for (const signal of signals) process.off(signal, end)
  })
})

/** Prints commits until it is stopped. A lost connection is made again, and no commit is left out. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* (input, globals) {
    const selection = yield* begin(input, globals)
    const print = (followed: StepFeed.Followed): void => {
      const { head, run, step } = followed
      globals.printer.line(
        () => FlatEvent.of(run, step, head, FlatEvent.fieldsByDefault),
        () => Terminal.print(input.run === undefined ? line(followed) : TickLine.render(step))
      )
    }
    globals.printer.tell(() => Terminal.note(`Watching ${told(selection, globals)}. Ctrl-C ends it`))
    // It can be stopped from the first line on.
    const onLost = ({ message }: TraceStoreError) => Terminal.complain(`${message}. Trying again`)
    const following = StepFeed.follow(selection, print, onLost)
    if (!input.revise || !("run" in selection)) yield* Effect.raceFirst(asked, following)
    else {
      globals.printer.tell(() => Terminal.note(RevisionPrompt.told))
      yield* Effect.raceFirst(asked, Effect.raceFirst(following, RevisionPrompt.follow(selection.run, globals)))
    }
    return Printer.written()
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
