/** Receives the webhooks of a test. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"

/** A message that was sent. */
export interface Received {
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** A receiver on loopback that keeps what it is sent. */
export const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const received: Array<Received> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString()
      })
      request.on("end", () => {
        const named = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const)
        received.push({ headers: new Map(named), body })
        response.writeHead(204).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, server }
  }),
  ({ server }) => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
)
