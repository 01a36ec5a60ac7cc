/** Receives deliveries over HTTP, on this machine alone: a proxy of yours faces the provider. */
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as DeliveryResponse from "@backstitch/runtime/DeliveryResponse"
import * as Effect from "effect/Effect"
import * as Limits from "../../Limits.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"

const { deliveryMillisMax } = Limits.refusing

/** Serves until the process is asked to stop, and answers the number of deliveries that it took in and refused. */
export const serve = Effect.fnUntraced(function* (port: number, about: DeliveryResponse.Receiver) {
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof DeliveryResponse.answer>>>()
  const run = Effect.runPromiseWith(services)
  Terminal.acting()
  const count = { taken: 0, refused: 0 }
  const server = Http.createServer(
    { requestTimeout: deliveryMillisMax, headersTimeout: deliveryMillisMax },
    (request, response) => {
      void received(request)
        .then((got) => run(DeliveryResponse.answer(got, about)))
        .then(({ body, note, status }) => {
          if (status < 300) count.taken++
          else count.refused++
          if (note !== undefined) (status < 500 ? Terminal.note : Terminal.complain)(note)
          response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`)
        })
        .catch(() => response.destroy())
    }
  )
  yield* listening(server, port)
  const { port: open } = server.address() as AddressInfo
  Terminal.note(`listening on http://127.0.0.1:${open}/ for POST /TOOL. Stop it with Ctrl-C`)
  yield* stopped(server)
  const counts = `taken=${count.taken} | refused=${count.refused}`
  return Printer.answer(count, () => Terminal.print(`${Terminal.bold("RECEIVED:")} ${counts}`))
})

const listening = (server: Http.Server, port: number): Effect.Effect<void, Usage> =>
  Effect.callback<void, Usage>((resume) => {
    server.once("error", (cause) => {
      resume(Effect.fail(new Usage({ problem: `Port ${port} cannot be listened on: ${cause.message}` })))
    })
    server.listen(port, "127.0.0.1", () => resume(Effect.void))
  })

/** Stops a server once the requests under way have been answered. */
const stopped = (server: Http.Server): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const stop = () => {
      server.close(() => resume(Effect.void))
      server.closeIdleConnections()
    }
    process.once("SIGINT", stop)
    process.once("SIGTERM", stop)
  })

const received = async (request: Http.IncomingMessage): Promise<DeliveryResponse.DeliveryRequest> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    // The body is still read to its end, or the sender would never see the answer.
    if (bytes <= DeliveryResponse.bytesMax) chunks.push(chunk as Buffer)
  }
  return {
    method: request.method ?? "",
    path: pathOf(request.url ?? "/"),
    headers: Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : []
    ),
    body: bytes > DeliveryResponse.bytesMax ? undefined : Buffer.concat(chunks)
  }
}

/** The path of an address; text that is no address is taken as it is. */
const pathOf = (address: string): string =>
  URL.canParse(address, "http://127.0.0.1") ? new URL(address, "http://127.0.0.1").pathname : address
