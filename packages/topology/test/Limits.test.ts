import { assert, describe, it } from "@effect/vitest"
import * as Limits from "../src/Limits.ts"

describe("Limits", () => {
  it("bounds what a state of a topology keeps", () => {
    const { answersKeptMax, draftWordsMax, idleCallsMax, objectsKeptMax } = Limits.pacing
    assert.isTrue([answersKeptMax, draftWordsMax, objectsKeptMax].every((each) => each > idleCallsMax))
  })
})
