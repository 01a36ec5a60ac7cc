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

/** Checks the body of the request, if it is JSON. One without a type is read as JSON. */
export const check = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!/^(?:application\/json\b|$)/i.test(request.headers["content-type"] ?? "")) return
  const text = yield* Effect.orDie(request.text)
  if (Canonical.extent(text).levels > bodyLevelsMax) return yield* Effect.fail(tooDeep)
})
