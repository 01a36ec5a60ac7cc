import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import * as NewsType from "../src/projections/NewsType.ts"

describe("NewsType", () => {
  it("is one of a closed list, of which each says what and what came of it", () => {
    const is = Schema.is(NewsType.NewsType)
    assert.isTrue(NewsType.all.every((type) => is(type) && /^[a-z]+\.[a-z]+$/.test(type)))
    assert.isFalse(is("webhook.test"))
  })
})
