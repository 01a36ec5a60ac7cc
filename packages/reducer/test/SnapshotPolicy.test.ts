import * as ToolContract from "@backstitch/contracts/ToolContract"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as SnapshotPolicy from "../src/snapshot/SnapshotPolicy.ts"

const Step = Schema.Struct({
  class: Schema.NullOr(Schema.Literals(ToolContract.sideEffects)),
  cost: Schema.Natural,
  likelihood: Schema.Finite,
  since: Schema.Natural,
  every: Schema.Literals([1, 2, 16]),
  strategy: Schema.Literals(["Full", "Delta", "Hybrid"])
})
const contract = (sideEffect: ToolContract.SideEffect) => ({ ...ToolContract.unknown("tool"), class: sideEffect })
const quiet = { contract: undefined, cost: 0, likelihood: 0, since: 0 }

describe("SnapshotPolicy", () => {
  it.prop(
    "keeps a snapshot before every effectful call, whatever the strategy and the cost",
    [Step],
    ([drawn]) => {
      const { every, strategy } = drawn
      const policy = { costMax: 1e9, strategy: strategy === "Hybrid" ? { _tag: strategy, every } : { _tag: strategy } }
      const step = { ...drawn, contract: drawn.class === null ? undefined : contract(drawn.class) }
      const write = SnapshotPolicy.decide(policy as SnapshotPolicy.SnapshotPolicy, step)
      if (strategy === "Full" && write === "delta") return false
      if (strategy === "Delta" && write === "full") return false
      return drawn.class === null || drawn.class === "read_only" || write !== "nothing"
    },
    { arbitrary: { runs: 400 } }
  )

  it("lets cheap work pass, and writes once too much would be lost, sooner if a crash is likely", () => {
    const most = 10
    const policy: SnapshotPolicy.SnapshotPolicy = { costMax: most, strategy: { _tag: "Hybrid", every: 16 } }
    const write = (cost: number, likelihood: number) => SnapshotPolicy.decide(policy, { ...quiet, cost, likelihood })
    assert.deepStrictEqual(
      [write(0.4 * most, 0), write(0.6 * most, 0), write(0.6 * most, 0.9), write(most, 0)],
      ["nothing", "nothing", "delta", "delta"]
    )
  })

  it("writes a whole one every N, and differences between", () => {
    const policy: SnapshotPolicy.SnapshotPolicy = { costMax: 0, strategy: { _tag: "Hybrid", every: 3 } }
    const writes = [0, 1, 2, 3].map((since) => SnapshotPolicy.decide(policy, { ...quiet, since }))
    assert.deepStrictEqual(writes, ["delta", "delta", "full", "full"])
  })
})
