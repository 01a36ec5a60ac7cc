/** Runs the release gates. */
import * as CanaryRoute from "@backstitch/release/CanaryRoute"
import * as ReleaseCandidate from "@backstitch/release/ReleaseCandidate"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as JsonFile from "../../input/JsonFile.ts"
import * as StoreFile from "../../input/StoreFile.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as TenantSecret from "../../program/TenantSecret.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as ComparisonRuns from "../packs/ComparisonRuns.ts"
import * as CanaryChoice from "./CanaryChoice.ts"
import type { Input } from "./gate.ts"

/** Reads the candidate for promotion from its files. */
const candidate = Effect.fnUntraced(function* ({ pack, schema, table }: Input) {
  return yield* ReleaseCandidate.make({
    pack: pack === undefined ? undefined : yield* PackFile.load(pack),
    schema: schema === undefined ? undefined : yield* JsonFile.read(schema),
    table: table === undefined ? undefined : yield* JsonFile.read(table)
  })
})

const print = (gates: ReadonlyArray<ReleaseCandidate.Gated>, promoted: boolean): void => {
  for (const { against, gate, passed, ran } of gates) {
    const word = passed ? Terminal.good("passed ") : Terminal.bad("refused")
    Terminal.print(`${word}  ${Terminal.bold(gate.padEnd(17))}  ${Terminal.dim(ran)}`)
    for (const line of against) Terminal.print(`           ${line}`)
  }
  const failed = gates.filter(({ passed }) => !passed).length
  const word = promoted ? Terminal.good("PROMOTE:") : Terminal.bad("REFUSED:")
  Terminal.print(`\n${word} gates=${gates.length} | passed=${gates.length - failed} | refused=${failed}`)
}

/** Runs the gates and prints the obstacles to a promotion; 1 if there are any. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const { accepted, against, canaryShare, canaryTenant, reviewed, undrilled } = input
    const what = yield* candidate(input)
    const actionsMin = yield* CanaryChoice.numberOf("actions-min", input.actionsMin)
    const slack = yield* CanaryChoice.numberOf("slack", input.slack)
    const route = yield* CanaryChoice.route(input, globals)
    const tenant = yield* StoreSession.tenant(globals)
    const gates = yield* ComparisonRuns.over(
      against,
      { globals },
      Effect.fnUntraced(function* (runs) {
        const secret = yield* TenantSecret.suiting({ ...globals, store: against }, tenant)
        const canary = yield* CanaryRoute.split(route, runs)
        const limits = { accepted, reviewed, undrilled, actionsMin, slack }
        return yield* ReleaseCandidate.judge(what, { ...limits, runs, canary, secret })
      })
    )
    const promoted = Result.isSuccess(ReleaseCandidate.promote(gates))
    const { digest, id, version: edition } = what.pack ?? {}
    const pack = id === undefined ? null : { id, version: edition, digest }
    const view = () => {
      print(gates, promoted)
      if ((canaryTenant ?? canaryShare) === undefined) Terminal.print("Name --canary-tenant or --canary-share")
    }
    return Printer.answer({ against: StoreFile.told(against), pack, promoted, gates }, view, ExitCode.of(promoted))
  })
