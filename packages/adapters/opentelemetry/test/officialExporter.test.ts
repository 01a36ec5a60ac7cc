import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Repeats from "@backstitch/ledger/Repeats"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as OtlpReceiver from "../src/OtlpReceiver.ts"
import * as OtlpServer from "../src/OtlpServer.ts"
import * as SpanIntake from "../src/SpanIntake.ts"
import * as lab from "./lab.ts"

const script = fileURLToPath(new URL("./exporterProcess.ts", import.meta.url))

const traces = 4

/** Sends the spans of all traces from a process; answers how it ended. */
const send = (url: string, form: string, onStart: (child: ChildProcess) => void = () => {}) =>
  Effect.callback<number | NodeJS.Signals | null>((resume) => {
    const child = spawn(process.execPath, [script, url, form, String(traces)], {
      stdio: ["ignore", "ignore", "inherit"]
    })
    onStart(child)
    child.once("exit", (code, signal) => resume(Effect.succeed(signal ?? code)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Serves while `use` runs, and shows each answer before it is sent. */
const serving = <A, E, R>(
  use: (url: string, seen: Array<OtlpReceiver.Response>) => Effect.Effect<A, E, R>,
  onResponse: (seen: ReadonlyArray<OtlpReceiver.Response>) => void = () => {}
) =>
  Effect.gen(function* () {
    const seen: Array<OtlpReceiver.Response> = []
    const port = yield* OtlpServer.serve({
      intake: yield* SpanIntake.make({}),
      port: 0,
      onResponse: (response) => {
        seen.push(response)
        onResponse(seen)
      }
    })
    return yield* use(`http://127.0.0.1:${port}/v1/traces`, seen)
  }).pipe(Effect.scoped, Effect.provide(lab.memory, { local: true }))

describe("the official exporter", () => {
  for (const form of ["json", "protobuf"]) {
    it.live(`sends spans as ${form}, and each trace becomes a run in which the repeated act is named`, () =>
      serving((url, seen) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* send(url, form), 0)
          assert.isTrue(seen.every(({ status, taken }) => status === 200 && taken?.refused === 0))
          for (let trace = 1; trace <= traces; trace++) {
            const run = yield* lab.transitions(trace)
            assert.deepStrictEqual(lab.told(run), lab.whole)
            assert.strictEqual(Repeats.of(run, ToolContract.unknown).length, 1)
          }
        })
      )
    )
  }

  it.live(
    "is killed after a batch was committed and before it was acknowledged, sends again, and doubles nothing",
    () => {
      let child: ChildProcess | undefined
      return serving(
        (url, seen) =>
          Effect.gen(function* () {
            const ended = yield* send(url, "protobuf", (started) => {
              child = started
            })
            assert.strictEqual(ended, "SIGKILL")
            const before = seen.length
            assert.strictEqual(yield* send(url, "json"), 0)
            assert.isAbove(seen.length, before)
            for (let trace = 1; trace <= traces; trace++) {
              assert.deepStrictEqual(lab.told(yield* lab.transitions(trace)), lab.whole)
            }
          }),
        (seen) => {
          if (seen.length === 2) child?.kill("SIGKILL")
        }
      )
    }
  )
})
