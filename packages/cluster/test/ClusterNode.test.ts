import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as ClusterNode from "../src/ClusterNode.ts"
import * as Limits from "../src/Limits.ts"

describe("ClusterNode", () => {
  it("renews its shards several times before it has lost them, and keeps as many runs as there are", () => {
    const { maxResidentEntities, shardLockExpiration, shardLockRefreshInterval } = ClusterNode.sharding
    const [expires, renews] = [shardLockExpiration, shardLockRefreshInterval].map((each) => Duration.toMillis(each!))
    assert.strictEqual(expires, Limits.pacing.shardLockMillis)
    assert.isAtMost(renews! * 3, expires!)
    assert.strictEqual(maxResidentEntities, "unbounded")
  })
})
