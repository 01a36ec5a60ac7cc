/**
 * Receives deliveries over HTTP, only on this machine: a proxy of the user faces the provider.
 *
 * | status | for |
 * | --- | --- |
 * | 200 | a delivery that settled its action, was known, contained nothing new, or was repeated |
 * | 202 | a delivery that was taken in and whose action still waits |
 * | 401 | a wrong or missing signature, or a time that is not about now |
 * | 404 | a tool without a webhook, a key that no run has begun |
 * | 405, 413, 422 | no POST, a body over a megabyte, a body that the contract cannot read |
 * | 503 | a store that cannot be written, so that the provider delivers again |
 */
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as DeliveryHeaders from "@backstitch/runtime/DeliveryHeaders"
import * as DeliveryVerdict from "@backstitch/runtime/DeliveryVerdict"
import * as WebhookIntake from "@backstitch/runtime/WebhookIntake"
import type { Tenant } from "@backstitch/trace/Run"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Limits from "../../Limits.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as ProviderSecrets from "./ProviderSecrets.ts"

/** The webhook of a tool, and the run for which it is received. */
export interface About {
  readonly pack: TaskPack.TaskPack
  readonly tool: string | undefined
  readonly header: string | undefined
  readonly secrets: ReadonlyArray<string>
  readonly tenant: Tenant
}

interface Answer {
  readonly status: number
  readonly body: object
}

const { deliveryBytesMax, deliveryMillisMax } = Limits.refusing

/** Serves until the process is asked to stop, and answers the number of deliveries that it took in and refused. */
export const serve = Effect.fnUntraced(function* (port: number, about: About) {
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof answer>>>()
  const run = Effect.runPromiseWith(services)
  Terminal.acting()
  const count = { taken: 0, refused: 0 }
  const server = Http.createServer(
    { requestTimeout: deliveryMillisMax, headersTimeout: deliveryMillisMax },
    (request, response) => {
      void received(request)
        .then((got) => (got._tag === "Body" ? run(answer(request, got.body, about)) : got.answer))
        .then(({ body, status }) => {
          if (status < 300) count.taken++
          else count.refused++
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

const received = async (
  request: Http.IncomingMessage
): Promise<{ readonly _tag: "Body"; readonly body: Uint8Array } | { readonly _tag: "No"; readonly answer: Answer }> => {
  if (request.method !== "POST") return { _tag: "No", answer: no(405, "send a delivery with POST") }
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    // The body is still read to its end, or the sender would never see the answer.
    if (bytes <= deliveryBytesMax) chunks.push(chunk as Buffer)
  }
  if (bytes > deliveryBytesMax)
    return { _tag: "No", answer: no(413, `a delivery has at most ${deliveryBytesMax} bytes`) }
  return { _tag: "Body", body: Buffer.concat(chunks) }
}

const answer = Effect.fnUntraced(function* (request: Http.IncomingMessage, body: Uint8Array, about: About) {
  const { secrets, tenant } = about
  const path = pathOf(request.url ?? "/")
  const found = WebhookIntake.toolOf(about.pack, path === "" ? about.tool : path)
  if (Result.isFailure(found)) return no(404, "there is no webhook of that tool")
  const { tool, webhook } = found.success
  const given = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : []
  )
  const headers = DeliveryHeaders.renamed(new Map(given), webhook, about.header)
  if (!DeliveryHeaders.isSigned(headers, webhook)) return no(401, "a delivery comes with its signature")
  const taking = DeliveryVerdict.take({ tool, webhook, body, headers, run: undefined, tenant })
  const exit = yield* Effect.exit(taking.pipe(ProviderSecrets.provide(tool, webhook, secrets)))
  if (Exit.isFailure(exit)) {
    const failed = exit.cause.reasons.find(Cause.isFailReason)?.error
    Terminal.complain(failed === undefined ? String(Cause.squash(exit.cause)) : failed.message)
    return no(503, "it could not be taken in. Deliver it again later")
  }
  const { action, run, verdict, why } = exit.value
  Terminal.note(
    `${tool} ${run === "" ? "" : `of run ${run} `}${verdict.replace("_", " ")}${why === null ? "" : `: ${why}`}`
  )
  const status = DeliveryVerdict.statusOf(exit.value)
  return { status, body: { ok: status < 300, tool, verdict, action } } satisfies Answer
})

const no = (status: number, why: string): Answer => ({ status, body: { ok: false, why } })

/** The path of a request without its slash. An invalid address or escape names no tool. */
const pathOf = (address: string): string => {
  try {
    return decodeURIComponent(new URL(address, "http://127.0.0.1").pathname.slice(1))
  } catch {
    return address
  }
}
