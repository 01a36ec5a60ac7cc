/** A collector of OpenTelemetry on this machine, which keeps everything that it is sent. */
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"

/** A span as it was sent. */
export interface Span {
  readonly name: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>
}

/** Listens until the scope is closed. */
export const collect = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const bodies: Array<{ readonly path: string; readonly text: string }> = []
      const server = Http.createServer(async (request, response) => {
        let text = ""
        for await (const piece of request) text += String(piece)
        bodies.push({ path: request.url ?? "", text })
        response.writeHead(200, { "content-type": "application/json" }).end("{}")
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, bodies }
    }),
    ({ server }) =>
      Effect.promise(() => {
        server.closeAllConnections()
        return new Promise((resolve) => server.close(resolve))
      })
  ),
  ({ bodies, server }) => ({
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Everything that came, as text, of one signal or of all. */
    text: (signal = ""): string =>
      bodies
        .filter(({ path }) => path.endsWith(signal))
        .map(({ text }) => text)
        .join("\n"),
    spans: (): ReadonlyArray<Span> =>
      bodies
        .filter(({ path }) => path === "/v1/traces")
        .flatMap(({ text }) => {
          const { resourceSpans } = JSON.parse(text) as {
            resourceSpans: ReadonlyArray<{ scopeSpans: ReadonlyArray<{ spans: ReadonlyArray<Span> }> }>
          }
          return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        })
  })
)
