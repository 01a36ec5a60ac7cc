/** Telemetry of a program, as far as spans of actions need it. */

/**
 * The API of OpenTelemetry, as the program has it, and a tracer of its SDK. Of both only the shape is named here, so
 * that no package of OpenTelemetry is needed.
 */
export interface Telemetry {
  /** The module `@opentelemetry/api`. */
  readonly api: { readonly ROOT_CONTEXT: object; readonly context: object; readonly trace: object }
  /** Such as `api.trace.getTracer("my-agent")`. */
  readonly tracer: { readonly startSpan: (name: string) => object }
}
