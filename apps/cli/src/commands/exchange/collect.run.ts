/** Receives spans until it is stopped. */
import type * as OtlpReceiver from "@backstitch/opentelemetry/OtlpReceiver"
import * as OtlpServer from "@backstitch/opentelemetry/OtlpServer"
import * as SpanIntake from "@backstitch/opentelemetry/SpanIntake"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./collect.ts"

/** The port at which OpenTelemetry sends spans over HTTP, unless it is told another. */
const standardPort = 4318

/** Receives spans, and prints how many were taken. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const { prefix } = input
    const pack = input.pack === undefined ? undefined : yield* PackFile.load(input.pack, { impure: "keep" })
    const intake = yield* SpanIntake.make({ pack, prefix, tenant: globals.tenant })
    Terminal.acting()
    const count = { taken: 0, ignored: 0, refused: 0, requestsRefused: 0 }
    const runs = new Set<string>()
    const onResponse = ({ problem, taken }: OtlpReceiver.Response): void => {
      if (problem !== undefined) {
        count.requestsRefused++
        Terminal.complain(problem)
      }
      if (taken === undefined) return
      count.taken += taken.taken
      count.ignored += taken.ignored
      count.refused += taken.refused
      if (taken.why !== undefined) Terminal.complain(`${taken.refused} spans were refused: ${taken.why}`)
      for (const run of taken.runs) {
        if (!runs.has(run)) Terminal.note(`run ${run} has begun`)
        runs.add(run)
      }
    }
    const port = yield* OtlpServer.serve({ intake, port: input.port ?? standardPort, onResponse })
    Terminal.note(`listening on http://127.0.0.1:${port}/v1/traces. Stop it with Ctrl-C`)
    yield* stopped
    const document = { runs: runs.size, ...count }
    const counts = Object.entries(document).map(([name, each]) => `${name}=${each}`)
    return Printer.answer(document, () => Terminal.print(`${Terminal.bold("COLLECTED:")} ${counts.join(" | ")}`))
  }).pipe(Effect.scoped, Effect.provide(StoreSession.importing(globals)))

const stopped = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.once("SIGINT", stop)
  process.once("SIGTERM", stop)
})
