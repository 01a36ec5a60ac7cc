/** Refuses a JSON body that nests too deeply, before it is parsed: a reader of it would overflow the stack. */
import * as Problem from "@backstitch/api/Problem"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Limits from "../Limits.ts"

const { bodyLevelsMax } = Limits.refusing

const tooDeep = Problem.make("RequestInvalid", 400, {
  detail: `The body nests more than ${bodyLevelsMax} levels deep. Flatten it`
})

/** Tells whether the body of a request is read as JSON. One without a type is. */
export const isJson = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  /^(?:application\/json\b|$)/i.test(headers["content-type"] ?? "")

/** Checks the body of the request, if it is JSON. */
export const check = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isJson(request)) return
  const text = yield* Effect.orDie(request.text)
  if (Canonical.extent(text).levels > bodyLevelsMax) return yield* Effect.fail(tooDeep)
})
