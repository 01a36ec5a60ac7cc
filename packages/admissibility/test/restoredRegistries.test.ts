import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Entry } from "../src/instance/Entry.ts"
import * as Registry from "../src/registry/Registry.ts"
import * as RecoveryPolicy from "../src/rollback/RecoveryPolicy.ts"
import * as RollbackAdmission from "../src/rollback/RollbackAdmission.ts"
import { effect, Move, registryOf, shapes, step, stepsOf } from "./lab.ts"

/** A step, and an instance that is asked to go back after it; its effects are undone, or their undo is refused. */
const Moves = Schema.Array(
  Schema.Struct({
    ...Move.fields,
    back: Schema.NullOr(Schema.Struct({ which: Schema.Literals([0, 1, 2, 3, 4, 5]), isUndone: Schema.Boolean }))
  })
)

/** A step that was done, the steps whose values it read, and whether it went back with all its effects. */
interface Done {
  readonly tick: number
  readonly owner: Entry
  readonly from: ReadonlyArray<Done>
  readonly writes: ReadonlyArray<string>
  isGone: boolean
}

const options = { policy: RecoveryPolicy.policies.exit, now: 0 }
const entriesOf = ({ entries }: Registry.Registry) => [...entries.values()]

/** Lifts a step, and notes whose values it read: the newest that did not go back. */
const does = (registry: Registry.Registry, all: ReadonlyArray<Done>, lifted: ReturnType<typeof step>): Done => {
  Registry.lift(registry, [lifted])
  const from = lifted.reads.flatMap(
    (key) => all.findLast(({ isGone, writes }) => !isGone && writes.includes(key)) ?? []
  )
  const owner = entriesOf(registry).find(({ steps }) => steps.includes(lifted.tick))!
  return { tick: lifted.tick, owner, from, writes: lifted.writes, isGone: false }
}

/** Takes an instance back where that is admitted, after a look at who would lose what it relies on. */
const goesBack = (registry: Registry.Registry, all: ReadonlyArray<Done>, owner: Entry, isUndone: boolean): void => {
  const decided = RollbackAdmission.restore(registry, owner, options)
  if (decided._tag === "Blocked") return
  const { checkpoint, owes } = decided
  const going = all.filter((each) => each.owner === owner && each.tick > checkpoint.tick && !each.isGone)
  const others = all.filter((each) => each.owner !== owner && !each.isGone)
  assert.isFalse(others.some(({ from }) => from.some((each) => going.includes(each))))
  const putBack = new Set(going.flatMap(({ writes }) => writes))
  assert.isFalse(others.some(({ tick, writes }) => tick > checkpoint.tick && writes.some((key) => putBack.has(key))))
  Registry.restore(registry, owner, checkpoint)
  if (!isUndone && owes.length > 0) return
  for (const { action } of owes) Registry.settle(registry, { action, standing: "undone", tick: checkpoint.tick })
  for (const each of going) each.isGone = true
}

describe("a registry in which instances have gone back", () => {
  it.prop(
    "admits no rollback under those that rely on a value, whatever went back before it (L10, corollary 1)",
    [Moves],
    ([moves]) => {
      const registry = Registry.make(shapes)
      const all: Array<Done> = []
      for (const [index, lifted] of stepsOf(moves).entries()) {
        all.push(does(registry, all, lifted))
        const back = moves[index]?.back ?? undefined
        const owner = back && entriesOf(registry)[back.which]
        if (back !== undefined && owner !== undefined) goesBack(registry, all, owner, back.isUndone)
      }
    },
    { arbitrary: { runs: 1000 } }
  )

  it("knows that a consumer read a value before its checkpoint, though it read it again after that", () => {
    const registry = registryOf([
      step(1, "a", { writes: ["k1"] }),
      step(2, "b", { reads: ["k1"], commit: true }),
      step(3, "b", { reads: ["k1"] })
    ])
    const [producer, consumer] = entriesOf(registry)
    Registry.restore(registry, consumer!, consumer!.checkpoints.at(-1)!)
    assert.deepInclude(RollbackAdmission.restore(registry, producer!, options), { _tag: "Blocked" })
  })

  it("keeps what an instance wrote until the effects that went back with it are undone", () => {
    const registry = registryOf([step(1, "a", { writes: ["k1"], effect: effect("e1") })])
    const [producer] = entriesOf(registry)
    const [entry] = producer!.checkpoints
    Registry.restore(registry, producer!, entry!)
    Registry.lift(registry, [step(2, "b", { reads: ["k1"], commit: true })])
    assert.deepInclude(RollbackAdmission.restore(registry, producer!, options), { _tag: "Blocked" })
    Registry.settle(registry, { action: "e1", standing: "undone", tick: 3 })
    assert.deepStrictEqual([...producer!.writes], [])
    assert.deepInclude(RollbackAdmission.restore(registry, producer!, options), { _tag: "Admitted" })
  })
})
