/**
 * Takes a request to a receiver of webhooks in, and makes the response to its provider.
 *
 * | answer | of |
 * | --- | --- |
 * | 200 | what was settled, was known, told nothing new, or came again |
 * | 202 | what was taken in and still waits |
 * | 401 | another signature, none, or a time that is not about now |
 * | 404 | a tool without a webhook, a key that nobody has begun |
 * | 405, 413, 422 | anything but a POST, a body of more than a megabyte, one that the contract cannot read |
 * | 503 | a store that cannot be written: a provider delivers again |
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Tenant } from "@backstitch/trace/Run"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Limits from "../Limits.ts"
import * as DeliveryHeaders from "./DeliveryHeaders.ts"
import * as DeliverySecrets from "./DeliverySecrets.ts"
import * as DeliveryVerdict from "./DeliveryVerdict.ts"
import * as WebhookIntake from "./WebhookIntake.ts"

/** Bytes that a body has at most. */
export const bytesMax = Limits.refusing.deliveryBytesMax

/** A request as it came. The path is that of its address; a body of more than {@link bytesMax} is left out. */
export interface DeliveryRequest {
  readonly method: string
  readonly path: string
  readonly headers: Iterable<readonly [name: string, value: string]>
  readonly body: Uint8Array | undefined
}

/** The contract of the receiver, and the tool where a request names none in its path, as `/TOOL`. */
export interface Receiver {
  readonly pack: TaskPack.TaskPack
  readonly tenant: Tenant
  readonly tool?: string | undefined
  /** The header of the signature, where it is not the one of its form. */
  readonly header?: string | undefined
  /** Secrets in place of the variables that the contract names. */
  readonly secrets?: ReadonlyArray<string> | undefined
}

/** The response: its status, its JSON body, and a line for those who operate the receiver. */
export interface Response {
  readonly status: number
  readonly body: object
  readonly note?: string
}

/** Takes a request in, and answers it. A failure is answered, too: the provider delivers again. */
export const answer = Effect.fn("DeliveryResponse.answer")(function* (request: DeliveryRequest, receiver: Receiver) {
  const { header, pack, secrets = [], tenant } = receiver
  const { body, method } = request
  if (method !== "POST") return refused(405, "send a delivery with POST")
  if (body === undefined) return refused(413, `a delivery has at most ${bytesMax} bytes`)
  const path = unescaped(request.path.replace(/^\//, ""))
  const found = WebhookIntake.toolOf(pack, path === "" ? receiver.tool : path)
  if (Result.isFailure(found)) return refused(404, "there is no webhook of that tool")
  const { tool, webhook } = found.success
  const headers = DeliveryHeaders.renamed(new Map(request.headers), webhook, header)
  if (!DeliveryHeaders.isSigned(headers, webhook)) return refused(401, "a delivery comes with its signature")
  const taking = DeliveryVerdict.take({ tool, webhook, body, headers, run: undefined, tenant })
  const exit = yield* Effect.exit(taking.pipe(DeliverySecrets.provide({ tool, webhook }, secrets)))
  if (Exit.isFailure(exit)) {
    const failed = exit.cause.reasons.find(Cause.isFailReason)?.error
    const note = failed === undefined ? String(Cause.squash(exit.cause)) : failed.message
    return { ...refused(503, "it could not be taken in. Deliver it again later"), note }
  }
  const { action, run, verdict, why } = exit.value
  const said = `${tool} ${run === "" ? "" : `of run ${run} `}${verdict.replace("_", " ")}`
  const status = DeliveryVerdict.statusOf(exit.value)
  const response: Response = {
    status,
    body: { ok: status < 300, tool, verdict, action },
    note: why === null ? said : `${said}: ${why}`
  }
  return response
})

const refused = (status: number, why: string): Response => ({ status, body: { ok: false, why } })

/** A path without its escapes. Of one that is wrongly escaped, no tool is called so. */
const unescaped = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
