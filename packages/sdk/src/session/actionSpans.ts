/** Writes the spans of actions to the OpenTelemetry SDK of the program. */
import * as OfficialTracer from "@backstitch/runtime/OfficialTracer"
import * as Layer from "effect/Layer"
import type { Telemetry } from "./Telemetry.ts"

/** Has spans written there; without telemetry, none is. */
export const layer = (telemetry: Telemetry | undefined): Layer.Layer<never> =>
  telemetry === undefined
    ? Layer.empty
    : OfficialTracer.layer(
        telemetry.api as OfficialTracer.OfficialApi,
        telemetry.tracer as OfficialTracer.OfficialTracer
      )

const numbers = new WeakMap<object, number>()
let last = 0

/** A number for a tracer, by which settings are told apart. */
export const numberOf = ({ tracer }: Telemetry): number => {
  const number = numbers.get(tracer) ?? ++last
  numbers.set(tracer, number)
  return number
}
