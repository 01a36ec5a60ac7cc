import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import * as TelemetryExport from "../src/telemetry/TelemetryExport.ts"

const options = (environment: Record<string, string>, signals: TelemetryExport.Options["signals"] = ["traces"]) => ({
  environment,
  service: "test",
  version: "0",
  signals
})

const isTraced = Effect.contextWith((context: Context.Context<never>) =>
  Effect.succeed(Context.getOrUndefined(context, Tracer.Tracer) !== undefined)
)

describe("TelemetryExport", () => {
  it.live("exports where the environment names a collector of a signal that the program has", () =>
    Effect.gen(function* () {
      const named = { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://127.0.0.1:1/v1/logs" }
      assert.isFalse(TelemetryExport.isNamed(options({})))
      assert.isFalse(TelemetryExport.isNamed(options(named)))
      assert.isTrue(TelemetryExport.isNamed(options(named, ["logs"])))
      assert.isFalse(yield* Effect.provide(isTraced, TelemetryExport.layer(options({}))))
      const all = options({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_EXPORTER_OTLP_TIMEOUT: "20" })
      assert.isTrue(yield* Effect.provide(isTraced, TelemetryExport.layer(all)))
      const off = options({ ...all.environment, OTEL_SDK_DISABLED: "true" })
      assert.isFalse(yield* Effect.provide(isTraced, TelemetryExport.layer(off)))
    })
  )

  it.live("refuses a protocol that nothing is sent by, of all signals or of one, and says what to set", () =>
    Effect.gen(function* () {
      const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_EXPORTER_OTLP_TIMEOUT: "20" }
      for (const variable of ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"]) {
        const set = (protocol: string) => TelemetryExport.layer(options({ ...collector, [variable]: protocol }))
        const refused = yield* Effect.flip(Effect.provide(isTraced, set("grpc")))
        assert.include(refused.message, `${variable} is "grpc"`)
        assert.include(refused.message, "Set it to http/protobuf or http/json")
        for (const known of ["http/protobuf", "http/json", ""]) {
          assert.isTrue(yield* Effect.provide(isTraced, set(known)), known)
        }
      }
      const grpc = { ...collector, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }
      for (const unsent of [
        { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
        { ...grpc, OTEL_SDK_DISABLED: "true" },
        { ...grpc, OTEL_TRACES_EXPORTER: "none" }
      ]) {
        assert.isFalse(yield* Effect.provide(isTraced, TelemetryExport.layer(options(unsent))))
      }
      // A signal that the program does not have is sent by nobody.
      const other = { ...collector, OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "grpc" }
      assert.isTrue(yield* Effect.provide(isTraced, TelemetryExport.layer(options(other))))
    })
  )
})
