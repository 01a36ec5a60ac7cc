/**
 * Answers requests of the OpenTelemetry protocol: takes the spans of a body in, and says what became of them.
 *
 * A request is acknowledged once its spans are committed. If the store cannot commit them now, the sender is asked to
 * send them again, which is safe.
 */
import * as Branded from "@backstitch/trace/Branded"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Limits from "./Limits.ts"
import * as OtlpRequest from "./OtlpRequest.ts"
import type * as SpanIntake from "./SpanIntake.ts"

/** A request. Without a body, it was too large to be read. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: Uint8Array | undefined
}

/** An answer. `taken` tells what became of the spans, if they were read. */
export interface Response {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: Buffer
  readonly taken?: SpanIntake.IntakeCount | undefined
  readonly problem?: string | undefined
}

/** The path of spans. */
export const path = "/v1/traces"

/** Answers a request. */
export const answer = Effect.fn("OtlpReceiver.answer")(function* (
  intake: SpanIntake.SpanIntake,
  request: ReceivedRequest
) {
  const { body, headers, method } = request
  const form = OtlpRequest.formOf(headers["content-type"]) ?? "json"
  if (request.path !== path) return refused(form, 404, `nothing is taken at ${request.path}: send spans to ${path}`)
  if (method !== "POST") return refused(form, 405, `send spans by POST, not by ${method}`)
  if (body === undefined) {
    return refused(form, 413, `the body has more than ${Limits.refusing.spansBytesMax} bytes: send smaller batches`)
  }
  const sent = { body, contentType: headers["content-type"], encoding: headers["content-encoding"] }
  const read = yield* Effect.result(OtlpRequest.decode(sent))
  if (Result.isFailure(read)) return refused(form, read.failure.status, read.failure.message)
  const committed = yield* Effect.result(intake.take(read.success.spans))
  if (Result.isFailure(committed)) return unstored(form, committed.failure)
  const taken = committed.success
  return { ...respond(form, 200, OtlpRequest.accepted(form, taken)), taken } satisfies Response
})

/** The answer to a sender that comes while too much is under way. */
export const busy = (contentType: string | undefined): Response =>
  again(refused(OtlpRequest.formOf(contentType) ?? "json", 503, "too many requests are under way: send them again"))

const unstored = (form: OtlpRequest.Form, failure: SpanIntake.Uncommitted): Response => {
  const isPassing = Branded.isError(failure, TraceStore.TraceStoreError) && failure.reason !== "corrupt"
  return isPassing ? again(refused(form, 503, failure.message)) : refused(form, 500, failure.message)
}

const again = (response: Response): Response => ({
  ...response,
  headers: { ...response.headers, "retry-after": String(Math.ceil(Limits.pacing.sendAgainMillis / 1000)) }
})

const refused = (form: OtlpRequest.Form, status: number, problem: string): Response => ({
  ...respond(form, status, OtlpRequest.failed(form, problem)),
  problem
})

const respond = (form: OtlpRequest.Form, status: number, body: Buffer): Response => ({
  status,
  headers: { "content-type": form === "json" ? "application/json" : "application/x-protobuf" },
  body
})
