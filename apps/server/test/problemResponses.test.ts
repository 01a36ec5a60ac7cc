import { assert, describe, it } from "@effect/vitest"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { late, problemOf } from "../src/answer/ProblemResponses.ts"

const request = HttpServerRequest.fromWeb(new Request("http://localhost/v1/runs", { method: "POST", body: "{" }))

const unread = (reason: "BodyTooLarge" | "Parse" | undefined) => {
  const why = reason === undefined ? {} : { reason }
  const error = new HttpServerError.HttpServerError({
    reason: new HttpServerError.RequestParseError({ request, ...why })
  })
  const problem = problemOf(error)
  return [problem?.status, problem?.tag]
}

describe("the problem of a body that was not read", () => {
  it("says that it is too large only if it is", () => {
    assert.deepStrictEqual(unread("BodyTooLarge"), [413, "RequestTooLarge"])
    assert.deepStrictEqual(unread("Parse"), [400, "RequestInvalid"])
    assert.deepStrictEqual(unread(undefined), [400, "RequestInvalid"])
  })

  it("speaks of a write only if the late request may have written", () => {
    assert.notInclude(late("GET").detail, "write")
    assert.notInclude(late("HEAD").detail, "write")
    assert.include(late("POST").detail, "A write may have been made")
  })

  it("is none if nobody foresaw the error", () => {
    assert.isUndefined(problemOf(new Error("odd")))
  })
})
