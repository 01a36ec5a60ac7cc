/**
 * An OTLP endpoint over HTTP, by default on this machine alone.
 *
 * The endpoint knows no passwords: behind a proxy of yours, the proxy decides who may send. Sizes, times, connections
 * and requests under way are bounded, so that a flood is refused and does not stop it.
 */
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Limits from "./Limits.ts"
import * as OtlpReceiver from "./OtlpReceiver.ts"
import type * as SpanIntake from "./SpanIntake.ts"

/** The settings of an endpoint. */
export interface Options {
  readonly intake: SpanIntake.SpanIntake
  /** 0 for any that is free. */
  readonly port: number
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined
  readonly onResponse?: ((response: OtlpReceiver.Response) => void) | undefined
}

/** Error for a port that cannot be listened on. */
export class PortUnusable extends Schema.TaggedError<PortUnusable>("@backstitch/opentelemetry/PortUnusable")(
  "PortUnusable",
  { host: Schema.String, port: Schema.Natural, problem: Schema.String }
) {
  override get message(): string {
    return `Port ${this.port} of ${this.host} cannot be listened on: ${this.problem}. Choose another one, or 0 for any`
  }
}

/** Serves until its scope is closed; requests under way are then still answered. Answers the port. */
export const serve = Effect.fn("OtlpServer.serve")(function* ({
  host = "127.0.0.1",
  intake,
  onResponse,
  port
}: Options) {
  const { collectorConnectionsMax, spansMillisMax } = Limits.refusing
  const server = Http.createServer(
    { requestTimeout: spansMillisMax, headersTimeout: spansMillisMax, connectionsCheckingInterval: 1_000 },
    listener(intake, onResponse)
  )
  server.maxConnections = collectorConnectionsMax
  yield* Effect.acquireRelease(listen(server, { host, port }), () => close(server))
  return (server.address() as AddressInfo).port
})

const listener = (intake: SpanIntake.SpanIntake, onResponse: Options["onResponse"]): Http.RequestListener => {
  let underWay = 0
  return (request, response) => {
    const write = (answer: OtlpReceiver.Response): void => {
      onResponse?.(answer)
      response.writeHead(answer.status, { ...answer.headers, "content-length": answer.body.length }).end(answer.body)
    }
    if (underWay >= Limits.refusing.collectorBodiesMax) {
      request.resume()
      write(OtlpReceiver.busy(request.headers["content-type"]))
      return
    }
    underWay++
    const taken = received(request).then((got) => Effect.runPromise(OtlpReceiver.answer(intake, got)))
    void taken
      .then(write)
      .catch(() => response.destroy())
      .finally(() => underWay--)
  }
}

const received = async (request: Http.IncomingMessage): Promise<OtlpReceiver.ReceivedRequest> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    // The body is still read to its end, or the sender would never see the answer.
    if (bytes <= Limits.refusing.spansBytesMax) chunks.push(chunk as Buffer)
    else chunks.length = 0
  }
  const { "content-encoding": encoding, "content-type": type } = request.headers
  return {
    method: request.method ?? "",
    path: (request.url ?? "/").split("?")[0] ?? "/",
    headers: { "content-encoding": encoding, "content-type": type },
    body: bytes > Limits.refusing.spansBytesMax ? undefined : Buffer.concat(chunks)
  }
}

const listen = (
  server: Http.Server,
  { host, port }: { readonly host: string; readonly port: number }
): Effect.Effect<void, PortUnusable> =>
  Effect.callback<void, PortUnusable>((resume) => {
    server.once("error", ({ message }) => resume(Effect.fail(new PortUnusable({ host, port, problem: message }))))
    server.listen(port, host, () => resume(Effect.void))
  })

const close = (server: Http.Server): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeIdleConnections()
  })
