/** Sends the spans and measures of an agent's actions to an OpenTelemetry collector, if the environment names one. */
import * as TelemetryExport from "@backstitch/runtime/TelemetryExport"
import type * as Layer from "effect/Layer"
import { version } from "../terminal/Version.ts"

/** Layer that exports; empty if the environment names no collector. */
export const layer: Layer.Layer<never, TelemetryExport.ProtocolUnsupported> = TelemetryExport.layer({
  environment: process.env,
  service: "backstitch",
  version,
  signals: ["traces", "metrics"]
})
