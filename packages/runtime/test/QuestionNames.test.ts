import * as InvalidMove from "@backstitch/kernel/InvalidMove"
import * as Anomalies from "@backstitch/reducer/Anomalies"
import * as State from "@backstitch/reducer/State"
import type { OnsetQuestion } from "@backstitch/version-control/OnsetQuestion"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as QuestionNames from "../src/versioning/QuestionNames.ts"
import * as lab from "./lab.ts"

const policy: State.State = { ...State.empty, kernel: { policy: { "intent.refused:odd": { allowed: false } } } }

const check = (question: OnsetQuestion) => QuestionNames.check(question, policy, lab.pack)

describe("QuestionNames", () => {
  it("lets a question name each type, tool and anomaly that a run has seen, or could have seen", () => {
    for (const subject of ["action.request:book", "action.request", "goal.complete", "intent.refused:odd"]) {
      assert.isTrue(Result.isSuccess(check({ _tag: "PolicyFlip", subject })), subject)
    }
    for (const kind of [...Anomalies.kinds, InvalidMove.kind])
      assert.isTrue(Result.isSuccess(check({ _tag: "Anomaly", kind })))
    assert.isTrue(Result.isSuccess(check({ _tag: "Anomaly" })))
    assert.isTrue(Result.isSuccess(check({ _tag: "Predicate", id: "whatever" })))
  })

  it("refuses a misspelt name, and lists the names that it may stand for", () => {
    const refusal = (question: OnsetQuestion): string => {
      const checked = check(question)
      return Result.isFailure(checked) ? checked.failure.message : ""
    }
    assert.include(refusal({ _tag: "PolicyFlip", subject: "book" }), "Did you mean action.request:book?")
    assert.include(refusal({ _tag: "Anomaly", kind: "autor" }), "Did you mean author?")
    const nothing = refusal({ _tag: "PolicyFlip", subject: "" })
    assert.include(nothing, 'There is no subject of policy "". There are action.request')
  })
})
