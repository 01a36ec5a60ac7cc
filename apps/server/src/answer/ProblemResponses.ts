/**
 * Answers every failed request with a problem: also one that no route has seen, and one that fails in a way that
 * nobody foresaw. The cause of that is logged under a number, and not sent.
 */
import * as Problem from "@backstitch/api/Problem"
import * as ProblemStatus from "@backstitch/api/ProblemStatus"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { HttpApiPayloadTooLarge, HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as Option from "effect/Option"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Limits from "../Limits.ts"
import * as ServerMetrics from "../upkeep/ServerMetrics.ts"
import * as AllowedMethods from "./AllowedMethods.ts"
import * as CallerGone from "./CallerGone.ts"
import { RequestTooLarge } from "./RequestTooLarge.ts"

/** Layer that answers with problems, for every route. */
export const layer = HttpRouter.middleware(
  Effect.map(
    AllowedMethods.AllowedMethods,
    (methods) => (route) =>
      inTime(route).pipe(
        Effect.map((response) => described(response)),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : answered(cause, methods.of)
        ),
        Effect.map(instructed),
        measured
      )
  ),
  { global: true }
)

/**
 * Bounds the time of an answer, and gives a read up once its caller has gone. Any other method may write, and is
 * carried through unless its route only reads.
 */
const inTime = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method }) => {
    const bounded = Effect.timeoutOption(answer, Limits.refusing.answerMillisMax)
    const answered = isRead(method) ? Effect.interruptible(bounded) : CallerGone.carried(bounded)
    return Effect.map(
      answered,
      Option.getOrElse(() => sent(late(method)))
    )
  })

const measured = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method }) => ServerMetrics.observed(answer, method))

/** Sends a problem. */
export const sent = (problem: Problem.TypedProblem): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(problem, { status: problem.status, contentType: Problem.contentType })

/** The problem of an answer that took too long. Only of a method that may write is it unknown what was done. */
export const late = (method: string): Problem.TypedProblem =>
  Problem.make("AnswerLate", 503, {
    detail: isRead(method)
      ? "The answer took too long. Ask again, or for less"
      : "The answer took too long. A write may have been made: look"
  })

const isRead = (method: string): boolean => method === "GET" || method === "HEAD"

/** Describes a response that says no more than its status. */
const described = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  if (response.status < 400 || response.headers["content-type"]?.startsWith(Problem.contentType) === true) {
    return response
  }
  switch (response.status) {
    case 413:
      return sent(tooLarge)
    case 415:
      return sent(
        Problem.make("ContentUnsuited", 415, { detail: "The body has another content type than the route takes" })
      )
    default:
      return sent(Problem.make("Defect", 500, { detail: "The server is at fault" }))
  }
}

/** Adds the header that a status asks for: how to be recognised, or when to come again. */
const instructed = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  switch (response.status) {
    case 401:
      return HttpServerResponse.setHeader(response, "www-authenticate", "Bearer")
    case 429:
      return HttpServerResponse.setHeader(
        response,
        "retry-after",
        String(Math.ceil(Limits.pacing.comeAgainMillis / 1000))
      )
    default:
      return response
  }
}

const answered = Effect.fnUntraced(function* (
  cause: Cause.Cause<unknown>,
  methodsOf: AllowedMethods.AllowedMethods["Service"]["of"]
) {
  const error = Cause.squash(cause)
  const otherwise = ofOtherMethod(error, methodsOf)
  if (otherwise !== undefined) return otherwise
  const problem = problemOf(error)
  if (problem !== undefined) return sent(problem)
  yield* Effect.logError("A request failed in a way that nobody foresaw", cause)
  return sent(
    Problem.make("Defect", 500, { detail: "Something happened that nobody foresaw. It is in the server's log" })
  )
})

/** The answer of a path that has other methods than that of the request, which may ask for them by OPTIONS. */
const ofOtherMethod = (
  error: unknown,
  methodsOf: AllowedMethods.AllowedMethods["Service"]["of"]
): HttpServerResponse.HttpServerResponse | undefined => {
  if (!HttpServerError.isHttpServerError(error) || error.reason._tag !== "RouteNotFound") return undefined
  const { method, url } = error.reason.request
  const methods = methodsOf(url)
  if (methods.length === 0) return undefined
  const allow = methods.join(", ")
  const detail = `This path does not take ${method}. It takes ${allow}`
  const response =
    method === "OPTIONS"
      ? HttpServerResponse.empty({ status: 204 })
      : sent(Problem.make("MethodUnsuited", 405, { detail }))
  return HttpServerResponse.setHeader(response, "allow", allow)
}

const tooLarge = Problem.of(new RequestTooLarge({}))

/** The problem of a foreseen failure: of the request, or of data that a pure function could not read. */
export const problemOf = (error: unknown): Problem.TypedProblem | undefined => {
  if (HttpApiSchemaError.is(error)) return unfit(error)
  if (HttpApiPayloadTooLarge.is(error)) return tooLarge
  if (HttpServerError.isHttpServerError(error)) return ofServer(error)
  return isKnown(error) ? Problem.of(error) : undefined
}

const ofServer = ({ reason }: HttpServerError.HttpServerError): Problem.TypedProblem | undefined => {
  switch (reason._tag) {
    case "RouteNotFound":
      return Problem.make("RouteUnknown", 404, { detail: "There is no such route. /openapi.json lists them all" })
    case "RequestParseError":
      return reason.reason === "BodyTooLarge"
        ? tooLarge
        : Problem.make("RequestInvalid", 400, { detail: "The body is no JSON, or broke off" })
    default:
      return undefined
  }
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const unfit = ({ cause, kind }: HttpApiSchemaError): Problem.TypedProblem | undefined => {
  if (kind === "Body" || kind === "ResponseHeaders") return undefined
  const issues = issuesOf(cause.issue).issues.map(({ message, path = [] }) => ({
    path: [kind.toLowerCase(), ...path.map((part) => (typeof part === "object" ? String(part.key) : String(part)))],
    message
  }))
  return Problem.make("RequestInvalid", 400, { detail: "The request does not have the form that is declared", issues })
}

const isKnown = (error: unknown): error is Problem.ListedError =>
  typeof error === "object" &&
  error !== null &&
  "message" in error &&
  "_tag" in error &&
  typeof error._tag === "string" &&
  ProblemStatus.statusOf(error._tag) !== undefined
