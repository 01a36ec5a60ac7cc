import * as RevisionReading from "@backstitch/runtime/RevisionReading"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import * as GoalApi from "../src/groups/GoalApi.ts"

describe("GoalApi", () => {
  it("takes changes of the form that a trace records, and no others", async () => {
    const changes = await Effect.runPromise(
      Arbitrary.sampleEffect(Arbitrary.schema(Schema.toType(GoalApi.RevisionChange)), { count: 200, seed: 1, size: 12 })
    )
    assert.strictEqual(new Set(changes.map(({ change }) => change)).size, 4)
    for (const change of changes) {
      const { changes: read } = Effect.runSync(RevisionReading.parse([change]))
      assert.deepStrictEqual(read as unknown, [change])
    }
    const decode = Schema.decodeUnknownResult(GoalApi.RevisionChange)
    for (const wrong of [{ change: "forget" }, { change: "set", clause: "city" }, { change: "withdraw", clause: "" }]) {
      assert.strictEqual(decode(wrong)._tag, "Failure")
    }
  })
})
