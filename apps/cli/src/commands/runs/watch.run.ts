/** Follows runs. */
import * as FlatEvent from "@backstitch/runtime/FlatEvent"
import * as History from "@backstitch/runtime/History"
import * as StepFeed from "@backstitch/runtime/StepFeed"
import * as Branded from "@backstitch/trace/Branded"
import type { RunId } from "@backstitch/trace/Run"
import * as RunFeed from "@backstitch/trace/RunFeed"
import { TraceStore, TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Globals } from "../../input/Globals.ts"
import * as StoreFile from "../../input/StoreFile.ts"
import * as TickLine from "../../output/TickLine.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as Wrapping from "../../terminal/Wrapping.ts"
import type { Input } from "./watch.ts"

/** States are as large as the run; `show` prints them. */
const fields = FlatEvent.fields.filter((field) => field !== "state_before" && field !== "state_after")

const begin = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  const tenant = yield* StoreSession.tenant(globals)
  const { from, run: name } = input
  if (name === undefined) {
    if (from !== undefined) return yield* new Usage({ problem: "--from is a tick of a run: name the run, too" })
    const store = yield* TraceStore
    const runs = yield* store.runs(tenant)
    const told = `every run of tenant ${tenant} in ${StoreFile.told(globals.store)}, from now on`
    return { told, tenant, run: undefined, from: RunFeed.after(runs) }
  }
  const run = yield* StoreSession.find(name, globals)
  const { head } = yield* Effect.flatMap(History.History, (history) => history.info(run))
  const first = from ?? head.tick + 1
  if (first < 1) return yield* new History.TickOutOfRange({ run: run.id, tick: first, last: head.tick })
  return { told: `run ${run.id} from tick ${first} on`, tenant, run, from: new Map([[run.id, first]]) }
})

const printer =
  (isAll: boolean, { json }: Globals) =>
  ({ head, run, step }: StepFeed.Followed): void => {
    if (json) Terminal.record(FlatEvent.of(run, step, head, fields))
    else if (!isAll) Terminal.print(TickLine.render(step))
    else
      Terminal.print(Wrapping.cut(`${Terminal.name(`${run.id}@${head.tick}`)}  ${TickLine.told(step)}`, Terminal.width))
  }

/** Ends when a person or the system asks the process to. */
const asked = Effect.callback<void>((resume) => {
  const end = () => resume(Effect.void)
  const signals = ["SIGINT", "SIGTERM"] as const
  for (const signal of signals) process.once(signal, end)
  return Effect.sync(() => {
    for (const signal of signals) process.off(signal, end)
  })
})

/**
 * Prints what is committed until it is asked to end. A connection that is lost is made again, and nothing is left out.
 */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* (input, globals) {
    const { from, run, tenant, told } = yield* begin(input, globals)
    const next = new Map<RunId, number>(from)
    const print = printer(input.run === undefined, globals)
    const feed = Stream.suspend(() =>
      StepFeed.steps(run === undefined ? { tenant, from: next } : { run, from: next.get(run.id) })
    )
    const following = Stream.runForEach(feed, (followed) =>
      Effect.sync(() => {
        next.set(followed.run.id, followed.head.tick + 1)
        print(followed)
      })
    )
    const isPassing = (error: unknown) => Branded.isError(error, TraceStoreError) && error.isRetryable
    const lasting = following.pipe(
      Effect.tapError((error) =>
        Effect.sync(() => isPassing(error) && Terminal.complain(`${error.message}. Trying again`))
      ),
      Effect.retry({ schedule: Schedule.spaced("1 second"), while: isPassing })
    )
    if (!globals.json) Terminal.note(`Watching ${told}. Ctrl-C ends it`)
    // It can be asked to end from the first line on.
    yield* Effect.raceFirst(asked, lasting)
    return 0
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
