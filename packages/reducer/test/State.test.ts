import * as Digest from "@backstitch/trace/Digest"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Snapshot, State } from "../src/index.ts"
import * as Limits from "../src/Limits.ts"

const Small = Schema.Natural.check(Schema.isLessThanOrEqualTo(3))
const Key = Schema.Literals(["a", "b", "c", "d"])
const Shape = Schema.Struct({
  rows: Schema.Array(Schema.Tuple([Key, Small])).check(Schema.isMaxLength(8)),
  items: Schema.Array(Small).check(Schema.isMaxLength(40)),
  value: Schema.Struct({ x: Small, y: Schema.Array(Small).check(Schema.isMaxLength(3)) })
})

const stateOf = ({ items, rows, value }: typeof Shape.Type): State.State => ({
  world: { rows: Table.from(rows) },
  working: { items: List.from(items), value },
  kernel: { latches: { broken: 1 } }
})

const stored = (state: State.State) => {
  const nodes = new Map<Digest.Digest, string>()
  const text = Snapshot.write(state, {
    has: (digest) => nodes.has(digest),
    put: (digest, node) => nodes.set(digest, node)
  })
  return { nodes, text }
}

describe("State", () => {
  it.prop(
    "has one digest for one content, and another for another (L2)",
    [Shape, Shape],
    ([left, right]) => {
      const same = JSON.stringify(State.toJson(stateOf(left))) === JSON.stringify(State.toJson(stateOf(right)))
      assert.strictEqual(State.digest(stateOf(left)) === State.digest(stateOf(right)), same)
    },
    { arbitrary: { runs: 300 } }
  )

  it("does not depend on the order in which fields were set", () => {
    const left = { ...State.empty, working: { b: 1, a: { y: 1, x: 2 } } }
    const right = { ...State.empty, working: { a: { x: 2, y: 1 }, b: 1 } }
    assert.strictEqual(State.digest(left), State.digest(right))
  })

  it("tells a value, a table and a list of the same content apart", () => {
    const digests = [{}, Table.empty, List.empty, []].map((field) => State.digest({ ...State.empty, world: { field } }))
    assert.strictEqual(new Set(digests).size, 4)
  })

  it("tells the sections apart", () => {
    const digests = (["world", "working", "kernel"] as const).map((name) =>
      State.digest({ ...State.empty, [name]: { x: 1 } })
    )
    assert.strictEqual(new Set(digests).size, 3)
  })

  it("does not let a field's name pose as another field", () => {
    const left = { ...State.empty, world: { "a\nb": 1 } }
    const right = { ...State.empty, world: { a: 1, b: 1 } }
    assert.notStrictEqual(State.digest(left), State.digest(right))
  })

  it("has the digest that it had, after more sections of other fields were digested than are kept", () => {
    const states = Array.from({ length: 2 * Limits.pacing.writtenSectionsMax }, (_, index) => ({
      ...State.empty,
      world: { [`field_${index}`]: index }
    }))
    const digests = states.map(State.digest)
    assert.deepStrictEqual(states.map(State.digest), digests)
    assert.strictEqual(new Set(digests).size, states.length)
  })

  it("writes tables and lists as plain JSON for people", () => {
    const state = { world: { rows: Table.from([["k", 1]]) }, working: { items: List.from([1, 2]) }, kernel: {} }
    assert.deepStrictEqual(State.toJson(state), { kernel: {}, working: { items: [1, 2] }, world: { rows: { k: 1 } } })
  })
})

describe("Snapshot", () => {
  it.prop(
    "gives back the state that was written, digest included (L2)",
    [Shape],
    ([shape]) => {
      const { nodes, text } = stored(stateOf(shape))
      const read = Snapshot.read(text, (digest) => nodes.get(digest))
      assert.strictEqual(State.digest(read), State.digest(stateOf(shape)))
      assert.deepStrictEqual(State.toJson(read), State.toJson(stateOf(shape)))
    },
    { arbitrary: { runs: 200 } }
  )

  it("stores only the nodes that are not there yet", () => {
    const rows = Array.from({ length: 2_000 }, (_, index) => [`row-${index}`, { price: index }] as const)
    const before: State.State = { ...State.empty, world: { rows: Table.from(rows) } }
    const table = before.world["rows"] as Table.Table
    const after: State.State = { ...before, world: { rows: table.set("row-7", { price: -1 }) } }
    const { nodes } = stored(before)
    let added = 0
    Snapshot.write(after, { has: (digest) => nodes.has(digest), put: () => added++ })
    assert.isAbove(added, 0)
    assert.isAtMost(added, 6)
  })

  it("reads no node before it is touched", () => {
    const { nodes, text } = stored({ ...State.empty, world: { rows: Table.from([["k", 1]]) } })
    let reads = 0
    const state = Snapshot.read(text, (digest) => {
      reads++
      return nodes.get(digest)
    })
    assert.strictEqual(reads, 0)
    assert.strictEqual((state.world["rows"] as Table.Table).get("k"), 1)
    assert.isAbove(reads, 0)
  })

  it("names the roots from which all of it can be reached", () => {
    const state = {
      ...State.empty,
      world: { rows: Table.from([["k", 1]]), plain: 1 },
      working: { log: List.from([1]) }
    }
    const { nodes, text } = stored(state)
    const roots = Snapshot.roots(text)
    assert.sameMembers([...roots], [(state.world.rows as Table.Table).digest(), state.working.log.digest()])
    assert.isTrue(roots.every((root) => nodes.has(root)))
    assert.isTrue(roots.every(Digest.isDigest))
  })
})
