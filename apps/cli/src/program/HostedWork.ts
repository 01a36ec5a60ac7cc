/**
 * Follows the work of a server's agent on a run until it is at rest: it has ended, or waits for somebody.
 *
 * Each transition is fetched, checked and printed here, as if the agent had acted in this process. The run goes on
 * without this program.
 */

import * as History from "@backstitch/runtime/History"
import type * as LiveRun from "@backstitch/runtime/LiveRun"
import * as Receipt from "@backstitch/runtime/Receipt"
import * as StepFeed from "@backstitch/runtime/StepFeed"
import * as Steps from "@backstitch/runtime/Steps"
import type { Run } from "@backstitch/trace/Run"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Globals, Server } from "../input/Globals.ts"
import * as Limits from "../Limits.ts"
import * as ActingView from "../output/runs/ActingView.ts"
import * as ServerCall from "../server/ServerCall.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import type * as Printer from "../terminal/Printer.ts"
import * as Terminal from "../terminal/Terminal.ts"
import type { Foreseen } from "./Handler.ts"
import * as StoreSession from "./StoreSession.ts"

/** Work that is begun: the run, the tick after which it acts, and further fields of the document. */
export interface BegunWork {
  readonly run: Run
  readonly after: number
  readonly more?: { readonly [name: string]: unknown }
}

/** Follows the work, and answers with the receipt. */
export const follow = Effect.fnUntraced(function* (
  { after, more, run }: BegunWork,
  server: Server,
  globals: Globals
): Effect.fn.Return<Printer.CommandAnswer, Foreseen> {
  const committed: Array<LiveRun.LiveTransition> = []
  const visit = ActingView.visit(globals.printer)
  const seen = (step: Step): void => {
    const { body, tick } = step.transition
    committed.push({ tick, transition_type: body.type, ...(step.tool === undefined ? {} : { tool: step.tool }) })
    visit(step)
  }
  const lost = ({ message }: Foreseen) => Terminal.complain(`${message}. Trying again`)
  const following = StepFeed.follow({ run, from: after + 1 }, ({ step }) => seen(step), lost)
  const rest = yield* Effect.provide(
    Effect.raceFirst(Effect.andThen(following, Effect.never), resting(run, server)),
    StoreSession.reading(globals)
  )
  return yield* Effect.gen(function* () {
    const { head } = yield* (yield* History.History).info(run)
    yield* Steps.walk(run, { from: (committed.at(-1)?.tick ?? after) + 1, to: head.tick }, seen)
    const isOver = rest.doing === "ended" && rest.next === null
    const receipt = yield* Receipt.make(run, undefined, { after, isOver })
    const acted: LiveRun.Acted = { receipt, committed, unbroken: undefined }
    const goesOn = rest.next === null ? {} : { goesOn: rest.next }
    return ActingView.answer(acted, ExitCode.of(Receipt.isDone(receipt)), { ...more, ...goesOn })
  }).pipe(Effect.provide(StoreSession.reading(globals)))
})

/**
 * Waits until a run is at rest, and answers its standing. One that has just been given to an agent may wait a moment
 * before that goes on.
 */
const resting = Effect.fnUntraced(function* (run: Run, server: Server) {
  for (let before = "", same = 0; ; ) {
    const hosted = yield* looked(run, server)
    const { doing, tick } = hosted
    const now = `${doing} at tick ${tick}`
    same = now === before ? same + 1 : 0
    before = now
    if (same >= looks[doing]) return hosted
    yield* Effect.sleep(Limits.pacing.hostedLookMillis)
  }
})

/** Looks at what the server does for a run, again while it does not answer. */
const looked = ({ id: run }: Run, server: Server) =>
  Effect.retry(
    ServerCall.ask(server, (api) => api.hosting.show({ params: { run } })),
    { schedule: Schedule.spaced(Limits.pacing.hostedLookMillis), while: ({ _tag }) => _tag === "ServerSilent" }
  )

/** The looks at which a run is seen alike before it is at rest. */
const looks = {
  ended: 0,
  cancelled: 0,
  failed: 0,
  waiting: 2,
  elsewhere: Limits.pacing.hostedLooksMax,
  queued: Number.POSITIVE_INFINITY,
  working: Number.POSITIVE_INFINITY
} as const
