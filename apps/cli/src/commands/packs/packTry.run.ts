/** Tries a pack on recorded runs. */
import * as PackTrial from "@backstitch/release/PackTrial"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Effect from "effect/Effect"
import * as StoreFile from "../../input/StoreFile.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as TenantSecret from "../../program/TenantSecret.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import * as ComparisonRuns from "./ComparisonRuns.ts"
import type { Input } from "./packTry.ts"

const print = ({ changes, totals }: PackTrial.Trial, pack: string): void => {
  if (changes.length > 0) {
    const rows = changes.map(({ after, before, kind, run, tick, tool }) => [
      `${run}@${tick}`,
      kind === "refused" || kind === "violated" ? Terminal.bad(kind) : Terminal.wary(kind),
      Terminal.name(tool ?? ""),
      before,
      after
    ])
    TextTable.print(rows, { header: ["TICK", "WOULD BE", "TOOL", "RECORDED PACK", "THIS PACK"] })
    Terminal.print()
  }
  const counts = Object.entries(totals).map(([kind, count]) => `${kind}=${count}`)
  const word = changes.length === 0 ? Terminal.good("TRIED:") : Terminal.wary("TRIED:")
  Terminal.print(`${word} ${pack} | ${counts.join(" | ")}`)
}

/** Prints the decisions that differ under another pack, by run and tick; 1 if there are any. */
export const handler: Handler<Input> = ({ against, file, runs }, globals) =>
  Effect.gen(function* () {
    const pack = yield* PackFile.load(file)
    const tenant = yield* StoreSession.tenant(globals)
    const trial = yield* ComparisonRuns.over(against, { globals, runs }, (found) =>
      Effect.flatMap(TenantSecret.suiting({ ...globals, store: against }, tenant), (secret) =>
        PackTrial.all(found, { pack, secret })
      )
    )
    const { digest, id, version } = pack
    const document = { pack: id, version, digest, against: StoreFile.told(against), ...trial }
    return Printer.answer(document, () => print(trial, `${id} ${version}`), ExitCode.of(trial.changes.length === 0))
  })
