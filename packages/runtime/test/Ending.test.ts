import { assert, describe, it } from "@effect/vitest"
import * as Ending from "../src/topology/Ending.ts"

describe("Ending", () => {
  it("asks about what a crew has lost twice, with its last error, and hands an outcome on", () => {
    const asked = Ending.ofCrew({ _tag: "Asked", tasks: ["t1", "t2"], errors: { t2: "no paper" } })
    assert.deepStrictEqual(asked, Ending.ask("lost_handoff", ["t1", "t2"], "no paper"))
    const refused = { _tag: "Refused", tick: 7, checks: [] } as const
    assert.deepStrictEqual(Ending.ofCrew({ _tag: "Stopped", outcome: refused }), Ending.stopped(refused))
    assert.isUndefined(Ending.stopped(undefined))
  })
})
