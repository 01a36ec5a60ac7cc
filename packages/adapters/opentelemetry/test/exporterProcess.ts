/**
 * A process that ends spans in the official SDK and sends them with its exporter: `URL FORM TRACES`. The ids of the
 * spans are the same in every such process, so that one that is started again sends the same spans again.
 */
import { ROOT_CONTEXT } from "@opentelemetry/api"
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as spans from "./spans.ts"

const [url = "", form, traces = "1"] = process.argv.slice(2)
const settings = { url, timeoutMillis: 5_000 }
const exporter = form === "json" ? new JsonExporter(settings) : new ProtobufExporter(settings)

let current: spans.Made | undefined
const idGenerator = {
  generateTraceId: () => spans.traceOf(current?.trace ?? 0),
  generateSpanId: () => (current?.id ?? 0).toString(16).padStart(16, "0")
}

const processor = new BatchSpanProcessor(exporter, { maxExportBatchSize: 3, scheduledDelayMillis: 10 })
const provider = new BasicTracerProvider({ idGenerator, spanProcessors: [processor] })
const tracer = provider.getTracer("test")

const begin = 1_700_000_000_000
for (let trace = 1; trace <= Number(traces); trace++) {
  for (const made of spans.paysTwice(trace)) {
    current = made
    const { at = 0, attributes, error } = made
    const span = tracer.startSpan("step", { attributes, root: true, startTime: begin + at }, ROOT_CONTEXT)
    if (error !== undefined) span.recordException(new Error(error))
    if (error !== undefined) span.setStatus({ code: 2, message: error })
    span.end(begin + at + 5)
  }
}
await provider.forceFlush()
await provider.shutdown()
