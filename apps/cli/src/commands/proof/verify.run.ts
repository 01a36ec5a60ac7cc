/** Verifies runs. */
import * as DecisionVerification from "@backstitch/runtime/DecisionVerification"
import * as RunVerification from "@backstitch/runtime/RunVerification"
import * as StoreVerification from "@backstitch/runtime/StoreVerification"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as HeadFlag from "../../input/HeadFlag.ts"
import * as VerificationView from "../../output/VerificationView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as TenantSecret from "../../program/TenantSecret.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as AnchorFlags from "./AnchorFlags.ts"
import type { Input } from "./verify.ts"

/** The entries of the log that a tree checkpoint of `--against` anchors. */
const anchorsOf = ({ against, ...how }: Input, globals: Globals) =>
  against === undefined ? Effect.succeed([]) : AnchorFlags.anchored({ against, ...how }, globals)

/** One run, with the given head and the entries of an anchored log. `verify` shows how far it is. */
const one = Effect.fnUntraced(function* <A, E, R>(
  { id, input }: { readonly id: string; readonly input: Input },
  globals: Globals,
  verify: (run: Run, kept: RunVerification.Options) => Effect.Effect<A, E, R>
) {
  const entries = yield* anchorsOf(input, globals)
  const run = yield* StoreSession.find(id, globals)
  const anchors = entries.filter((entry) => entry.run === run.id)
  const progress = Terminal.progress(`verify ${id}`)
  const kept = { head: input.head, anchors, progress: progress.at }
  return yield* Effect.ensuring(verify(run, kept), Effect.sync(progress.end))
})

const all = (input: Input, globals: Globals) =>
  Effect.gen(function* () {
    const why = "it verifies the store itself. Verify the runs by their names, which `runs` lists"
    yield* ServerCall.refuse({ "--all": globals.server !== undefined }, why)
    const { tell } = globals.printer
    const tenant = yield* StoreSession.tenant(globals)
    const progress = Terminal.progress("verify")
    const found = yield* StoreVerification.verify(tenant, {
      anchors: yield* anchorsOf(input, globals),
      onFault: (fault) => tell(() => VerificationView.fault(fault)),
      onRun: (verdict) => {
        progress.end()
        tell(() => VerificationView.run(verdict))
      },
      progress: (_, tick, of) => progress.at(tick, of)
    }).pipe(Effect.ensuring(Effect.sync(progress.end)))
    if (found.runs.length === 0 && found.faults.length === 0) {
      return yield* StoreSession.nothing(tenant, "nothing was verified")
    }
    const view = () => {
      for (const claim of found.claims) VerificationView.claim(claim)
      if (found.unvouched > 0) VerificationView.unvouched(tenant, found.unvouched)
    }
    return Printer.answer(found, view, ExitCode.of(found.consistent))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const single = (id: string, input: Input, globals: Globals) =>
  Effect.gen(function* () {
    const verdict = yield* one({ id, input }, globals, RunVerification.verify)
    return Printer.answer(verdict, () => VerificationView.run(verdict), ExitCode.of(RunVerification.isSound(verdict)))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

/** Strict replay checks the fold; deciding again checks the decisions. */
const redecided = (id: string, input: Input, globals: Globals) =>
  Effect.gen(function* () {
    const found = yield* TenantSecret.find(globals)
    const verdict = yield* one({ id, input }, globals, (run, kept) =>
      DecisionVerification.verify(run, { ...kept, secret: found?.secret })
    )
    const view = () => {
      VerificationView.run(verdict)
      if (verdict.redecided !== null) VerificationView.redecided(verdict.redecided, found?.place)
    }
    return Printer.answer(verdict, view, ExitCode.of(DecisionVerification.isSound(verdict)))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

/** Verifies one run or all of them. */
export const handler: Handler<Input> = (input, globals) => {
  const { against, all: every, by, head, log, policy, quorum, redecide, run, witness } = input
  const isHow = [by, log, policy, quorum].some((each) => each !== undefined) || witness.length > 0
  const isAlone = against === undefined && isHow
  if (!isAlone && run !== undefined && !every) {
    return Effect.andThen(HeadFlag.check(head), (redecide ? redecided : single)(run, input, globals))
  }
  if (!isAlone && every && run === undefined && head === undefined && !redecide) return all(input, globals)
  const problem = isAlone
    ? "--log, --by, --policy, --witness and --quorum say how to read the tree checkpoint of --against: name one"
    : "Name one run, with --head if you kept its link or with --redecide, or give --all alone or with --against"
  return Effect.fail(new Usage({ problem }))
}
