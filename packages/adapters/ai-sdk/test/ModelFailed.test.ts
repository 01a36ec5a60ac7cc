import { assert, describe, it } from "@effect/vitest"
import { APICallError } from "ai"
import * as ModelFailed from "../src/ModelFailed.ts"

const failed = (status?: number) => {
  const code = status === undefined ? {} : { statusCode: status }
  const about = { message: "no such model", url: "http://127.0.0.1", requestBodyValues: {}, ...code }
  return ModelFailed.from("a/model", new APICallError(about), 1000)
}

describe("ModelFailed", () => {
  it("names the model, tells what is known of the failure, and says what to do", () => {
    assert.strictEqual(
      failed(404).message,
      "the model a/model was refused with status 404 (no such model). " +
        "Nothing was proposed: look at the key, the address and the name of the model, and resume the run"
    )
    assert.strictEqual(failed(404).kind, "refused")
    assert.strictEqual(failed(200).kind, "no_answer")
    assert.include(failed().message, "cannot be reached")
    assert.include(ModelFailed.from("m", "odd", 1000).message, "gave no readable answer (odd)")
    assert.include(ModelFailed.from("m", AbortSignal.abort().reason, 1000).message, "did not answer within 1 s")
  })
})
