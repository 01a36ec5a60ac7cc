import * as Replay from "@backstitch/reducer/Replay"
import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Changes, Fork } from "../src/index.ts"
import * as Lab from "./lab.ts"

const parent = Run.make("main")
const child = Run.make("retry")
const fold = Lab.fold()
const bodies = [Lab.started, Lab.set({ total: 1 }), Lab.note("think"), Lab.set({ total: 2 })]
const transitions = Lab.seal(bodies, { run: "main", digests: fold })
const genesis = HashChain.genesis(parent)
const replayedTo = (at: number) =>
  Result.getOrThrow(Replay.strict(fold, { head: genesis, state: State.empty }, transitions.slice(0, at)))
const draftAt = (head: HashChain.Head, changes?: Fork.Changes) =>
  Fork.draft({ asOf: 2_000, changes, child, head, last: 4, parent, reason: "try again", ts: 2_000 })

const failure = <E>(result: Result.Result<unknown, E>): E => Result.getOrThrow(Result.flip(result))

describe("Fork", () => {
  it.prop(
    "leaves the parent's state as it was: a fork and then nothing has the same digest (L2)",
    [Schema.Natural.check(Schema.isBetween({ minimum: 1, maximum: 4 }))],
    ([at]) => {
      const { head, state } = replayedTo(at)
      const sealed = HashChain.seal(head, Result.getOrThrow(draftAt(head)))
      const forked = fold.evolve(state, Transition.open(sealed))
      assert.strictEqual(State.digest(forked), State.digest(state))
      assert.deepStrictEqual([...Changes.between(state, forked)], [])
      const verified = HashChain.verify(genesis, [...transitions.slice(0, at), sealed])
      assert.deepStrictEqual(Result.getOrThrow(verified), HashChain.headOf(sealed))
    },
    { arbitrary: { runs: 20 } }
  )

  it("names its parent, the tick, the link there, the reason and the changes", () => {
    const { head } = replayedTo(2)
    const draft = Result.getOrThrow(draftAt(head, { pack: "cd".repeat(32), policy: "require source verification" }))
    assert.deepStrictEqual(draft.body, {
      author: "kernel",
      data: {
        at: 2,
        child: "retry",
        link: head.link,
        pack: "cd".repeat(32),
        parent: "main",
        policy: "require source verification",
        reason: "try again",
        seen: 4
      },
      type: "run.fork"
    })
  })

  it("refuses a tick that the parent does not have, and names the range that it has", () => {
    const last = HashChain.headOf(transitions[3]!)
    for (const tick of [0, 5, 1.5, -1]) assert.strictEqual(failure(draftAt({ ...last, tick }))._tag, "ForkOutOfRange")
    const beyond = failure(draftAt({ ...last, tick: 9 }))
    assert.strictEqual(beyond.message, "Run main has no tick 9. Fork from a tick from 1 to 4")
    const empty = new Fork.ForkOutOfRange({ run: "main", at: 1, last: 0 })
    assert.include(empty.message, "no transition yet")
  })

  it("names the tick at which a shared history does not fold to what was committed", () => {
    const unsound = new Fork.ForkUnsound({ run: "main", tick: 3, committed: "ab".repeat(32), folded: "cd".repeat(32) })
    assert.include(unsound.message, "at tick 3 the state digest is cdcdcdcdcdcd… and abababababab… was committed")
  })

  it("permits what it would make a beginning of, before the fork has a name or a share", () => {
    const permit = (at: number, named?: Run.Run) => Fork.permit({ parent, at, child: named, last: 4 })
    assert.isTrue(Result.isSuccess(permit(4)))
    assert.isTrue(Result.isSuccess(permit(1, child)))
    for (const at of [0, 5, 1.5, Number.NaN]) assert.strictEqual(failure(permit(at))._tag, "ForkOutOfRange", String(at))
    assert.strictEqual(failure(permit(1, parent))._tag, "ForkOfItself")
  })

  it("refuses its parent's own name", () => {
    const head = HashChain.headOf(transitions[1]!)
    const error = failure(Fork.draft({ asOf: 1, child: parent, head, last: 4, parent, reason: "x", ts: 1 }))
    assert.strictEqual(error._tag, "ForkOfItself")
  })
})
