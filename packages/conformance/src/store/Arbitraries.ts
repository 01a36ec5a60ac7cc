/** Random commands for stores. There are few names and ticks, so that commands collide. */
import * as Schema from "effect/Schema"

const RunName = Schema.Literals(["main", "draft", "what-if"])
const TenantName = Schema.Literals(["north", "south"])
const Low = Schema.Literals([0, 1, 2, 3, 4])

/** A step of a commit, for one transition. */
export const CommitStep = Schema.TaggedUnion({
  Note: { note: Schema.Literals(["sun", "rain"]) },
  Start: {
    action: Schema.Literals(["a-1", "a-2"]),
    target: Schema.Literals(["seat/1", "seat/2"]),
    key: Schema.NullOr(Schema.Literals(["key-1", "key-2"]))
  },
  Settle: { action: Schema.Literals(["a-1", "a-2"]), target: Schema.Literals(["seat/1", "seat/2"]) }
})

/** A step of a commit, for one transition. */
export type CommitStep = typeof CommitStep.Type

const Steps = Schema.Array(CommitStep).check(Schema.isMinLength(1), Schema.isMaxLength(3))

/** One call of a store. `back` is how many commits ago the writer read the log. */
export const StoreCall = Schema.TaggedUnion({
  Append: { tenant: TenantName, run: RunName, back: Schema.Literals([0, 0, 0, 1, 2]), steps: Steps },
  Fork: { tenant: TenantName, run: RunName, parent: RunName, at: Low, isStale: Schema.Literals([false, false, true]) },
  Repeat: { back: Schema.Literals([1, 2, 3]) },
  Snapshot: { tenant: TenantName, run: RunName, tick: Low },
  Read: { tenant: TenantName, run: RunName, from: Low, to: Low, limit: Low },
  Page: { tenant: TenantName, after: Schema.NullOr(RunName), limit: Low }
})

/** One call of a store. */
export type StoreCall = typeof StoreCall.Type

/** A history of calls. */
export const Commands = Schema.Array(StoreCall).check(Schema.isMaxLength(25))
