import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Scopes from "../src/parts/Scopes.ts"
import * as WorkingPatch from "../src/parts/WorkingPatch.ts"
import * as State from "../src/state/State.ts"

type Self = Table.Table<Json>

const Place = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("value"), name: Schema.Literals(["a", "b"]) }),
  Schema.Struct({ kind: Schema.Literal("row"), key: Schema.Literals(["x", "y/~z"]) }),
  Schema.Struct({ kind: Schema.Literal("append") }),
  Schema.Struct({ kind: Schema.Literal("item"), index: Schema.Literals([0, 1, 2]) })
])

const Move = Schema.Struct({
  by: Schema.Literals(["A", "B", "run"]),
  place: Place,
  value: Schema.Literals([1, 2, 3])
})

const initial: State.Section = {
  a: 0,
  b: null,
  rows: Table.from<Json>([["x", { n: 0 }]]),
  items: List.from<Json>(["first", "second"])
}

const apply = (working: State.Section, { place, value }: typeof Move.Type): State.Section => {
  const rows = working["rows"] as Table.Table<Json>
  const items = working["items"] as List.List<Json>
  switch (place.kind) {
    case "value":
      return { ...working, [place.name]: value }
    case "row":
      return { ...working, rows: rows.set(place.key, { n: value }) }
    case "append":
      return { ...working, items: items.append(value) }
    case "item":
      return place.index < items.length ? { ...working, items: items.set(place.index, value) } : working
  }
}

/** The place that a scope is said to have written: a list counts as one. */
const placeOf = ({ place }: typeof Move.Type): string =>
  place.kind === "value" ? place.name : place.kind === "row" ? `rows/${place.key}` : "items"

const scope = { A: Scopes.nameOf("trip", "A"), B: Scopes.nameOf("trip", "B") } as const
const transition = (body: Partial<Transition["body"]>, tick: number): Transition => ({
  body: { author: "kernel", type: "action.result", ...body },
  stamp: { asOf: tick },
  envelope: { ts: tick },
  tick
})

const actions: JsonObject = {
  a1: { tick: 1, within: { trip: "A" } },
  a2: { tick: 2, undo: { within: { trip: "B" } } },
  a3: { tick: 3 }
}
const actionOf = { A: "a1", B: "a2", run: "a3" } as const
const stateOf = (working: State.Section, scopes: Self): State.State => ({
  world: { kept: 1 },
  working,
  kernel: { actions, [Scopes.part.name]: scopes }
})

const play = (moves: ReadonlyArray<typeof Move.Type>): State.State =>
  moves.reduce(
    (before, move, index) => {
      const working = apply(before.working, move)
      const reported = transition({ action: { id: actionOf[move.by] } }, 10 + index)
      return stateOf(working, Scopes.written(before.kernel[Scopes.part.name] as Self, before, working, reported))
    },
    stateOf(initial, Table.empty)
  )

/** Keeps the moves that change a value: a write of the same value is none. */
const effective = (moves: ReadonlyArray<typeof Move.Type>): ReadonlyArray<typeof Move.Type> => {
  let working = initial
  return moves.filter((move) => {
    const next = apply(working, move)
    const changes = State.sectionDigest(next) !== State.sectionDigest(working)
    working = next
    return changes
  })
}

const plan = (restore: Scopes.ScopeRestore): JsonObject => {
  const { digest, patch, scopes } = restore
  return { plan: { restore: { digest, patch }, scopes } }
}

describe("Scopes", () => {
  it.prop(
    "put back exactly the values that a scope wrote, as if it had never existed, or nothing if others wrote since",
    [Schema.Array(Move)],
    ([drawn]) => {
      const moves = effective(drawn)
      const state = play(moves)
      const { digest, overwritten, patch } = Scopes.restore(state, [scope.A])
      const restored = WorkingPatch.apply(state.working, patch)
      assert.strictEqual(State.sectionDigest(restored), digest)
      const firsts = new Map<string, number>()
      moves.forEach((move, index) => {
        if (move.by === "A" && !firsts.has(placeOf(move))) firsts.set(placeOf(move), index)
      })
      const others = moves.filter((move, index) => move.by !== "A" && index > (firsts.get(placeOf(move)) ?? Infinity))
      assert.strictEqual(overwritten.length > 0, others.length > 0)
      if (overwritten.length > 0) {
        assert.deepStrictEqual([patch, restored], [[], state.working])
        return
      }
      const without = moves.filter(({ by }) => by !== "A").reduce(apply, initial)
      assert.deepStrictEqual(State.sectionToJson(restored), State.sectionToJson(without))
      assert.strictEqual(digest, State.sectionDigest(without))
      assert.deepStrictEqual(
        WorkingPatch.apply(
          restored,
          patch.filter(({ op }) => op !== "remove")
        ),
        restored
      )
    },
    { arbitrary: { runs: 400 } }
  )

  it.prop(
    "put two scopes back together as if neither had been there",
    [Schema.Array(Move)],
    ([drawn]) => {
      const moves = effective(drawn).filter(({ by }) => by !== "run")
      const state = play(moves)
      const { overwritten, patch } = Scopes.restore(state, [scope.A, scope.B])
      assert.deepStrictEqual(overwritten, [])
      assert.deepStrictEqual(
        State.sectionToJson(WorkingPatch.apply(state.working, patch)),
        State.sectionToJson(initial)
      )
    },
    { arbitrary: { runs: 300 } }
  )

  it("remember whose actions they are, and forget them and their values once undone (decision 0031)", () => {
    const evolve = (self: Self, type: Transition["body"]["type"], body: Partial<Transition["body"]>, tick: number) =>
      Scopes.part.on[type]!(self, transition({ ...body, type }, tick), State.empty)
    const read = evolve(Table.empty, "action.request", { action: { id: "a1" }, data: { within: { trip: "A" } } }, 1)
    const write = { action: { id: "a2" }, data: { undo: { within: { trip: "A" } } } }
    const self = evolve(read, "action.started", write, 3)
    const working = { ...initial, a: 7 }
    const before = stateOf(initial, self)
    const wrote = Scopes.written(self, before, working, transition({ action: { id: "a1" } }, 4))
    const state = stateOf(working, wrote)
    const restore = Scopes.restore(state, [scope.A])
    assert.deepStrictEqual(restore.masks, ["a1", "a2"])
    assert.deepStrictEqual(restore.scopes, [{ epoch: 1, scope: scope.A }])
    assert.deepStrictEqual(restore.patch, [{ op: "replace", path: "/working/a", value: 0 }])
    const raised = evolve(wrote, "recovery.decided", { data: plan(restore) }, 5)
    const after = stateOf(initial, raised)
    const again = Scopes.restore(after, [scope.A])
    assert.deepStrictEqual([again.masks, again.patch, again.scopes[0]?.epoch], [[], [], 2])
    // What was asked for before the undoing is answered after it: it writes nothing.
    assert.isTrue(Scopes.isMasked(after, transition({ action: { id: "a1" } }, 6)))
    assert.isFalse(Scopes.isMasked(after, transition({ action: { id: "a2" } }, 6)))
    assert.isFalse(Scopes.isMasked(before, transition({ action: { id: "a1" } }, 4)))
    assert.strictEqual(evolve(raised, "run.fork", {}, 7), Table.empty)
    // Nobody is remembered of what belongs to no subtask, and a restore is nobody's write.
    assert.strictEqual(evolve(read, "action.request", { action: { id: "a3" }, data: {} }, 8), read)
    const restores = transition({ action: { id: "a1" }, type: "recovery.decided", data: plan(restore) }, 9)
    assert.strictEqual(Scopes.written(self, before, working, restores), self)
  })
})

describe("WorkingPatch", () => {
  it("is read from the transition that opens an undoing, and from no other", () => {
    const patch = [{ op: "remove", path: "/working/a" }] as const
    const data = { plan: { restore: { digest: "d", patch } } }
    assert.deepStrictEqual(WorkingPatch.of({ data, type: "recovery.decided" }), patch)
    assert.isUndefined(WorkingPatch.of({ data, type: "review.decided" }))
    assert.isUndefined(WorkingPatch.of({ data: { plan: "u1" }, type: "recovery.decided" }))
  })

  it("leaves alone unnamed places, missing ones, and everything outside of working", () => {
    const patch = [
      { op: "replace", path: "/world/kept", value: 2 },
      { op: "remove", path: "/working/items/0" },
      { op: "replace", path: "/working/items/9", value: 2 },
      { op: "add", path: "/working/a/deep", value: 2 }
    ] as const
    assert.deepStrictEqual(WorkingPatch.apply(initial, patch), initial)
    const path = WorkingPatch.pathOf("rows", "y/~z")
    assert.strictEqual(path, "/working/rows/y~1~0z")
    const added = WorkingPatch.apply(initial, [{ op: "add", path, value: 1 }])
    assert.strictEqual((added["rows"] as Table.Table<Json>).get("y/~z"), 1)
  })
})
