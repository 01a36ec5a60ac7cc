import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { LogGraph } from "../src/index.ts"

const drawn = (branches: ReadonlyArray<LogGraph.RunLine>) =>
  [...LogGraph.rows(branches)].map((row) => (row.kind === "tick" ? `${row.lanes} ${row.run}@${row.tick}` : row.lanes))

const main = (last: number): LogGraph.RunLine => ({ id: "main", last })
const fork = (id: string, parent: string, tick: number, last: number): LogGraph.RunLine => ({
  id,
  last,
  parent: { id: parent, tick }
})

describe("LogGraph", () => {
  it("draws forks beside the run that they left, and joins them at the tick that they left", () => {
    assert.deepStrictEqual(drawn([main(4), fork("a", "main", 2, 4), fork("b", "a", 3, 5)]), [
      "* main@4",
      "* main@3",
      "| * a@4",
      "| | * b@5",
      "| | * b@4",
      "| |/",
      "| * a@3",
      "|/",
      "* main@2",
      "* main@1"
    ])
  })

  it("leaves the column of a run empty above its last tick", () => {
    assert.deepStrictEqual(drawn([main(1), fork("a", "main", 1, 2)]), ["  * a@2", " /", "* main@1"])
  })

  it("joins a fork of shared history where that history was committed", () => {
    // b was forked from a at a tick that a shares with main.
    assert.deepStrictEqual(drawn([main(3), fork("a", "main", 2, 3), fork("b", "a", 1, 2)]), [
      "* main@3",
      "| * a@3",
      "|/",
      "* main@2",
      "| * b@2",
      "|/",
      "* main@1"
    ])
  })

  it.prop(
    "shows every tick once, in the run that committed it, above those that it follows",
    { seeds: Schema.Array(Schema.Tuple([Schema.Natural, Schema.Natural, Schema.Natural])) },
    ({ seeds }) => {
      const branches: Array<LogGraph.RunLine> = [main(5)]
      for (const [index, [of, at, more]] of seeds.slice(0, 12).entries()) {
        const parent = branches[of % branches.length]!
        const tick = 1 + (at % parent.last)
        branches.push(fork(`r${index}`, parent.id, tick, tick + 1 + (more % 4)))
      }
      const seen = new Map<string, number>()
      for (const row of LogGraph.rows(branches)) {
        if (row.kind === "join") continue
        assert.isFalse(seen.has(`${row.run}@${row.tick}`))
        seen.set(`${row.run}@${row.tick}`, seen.size)
      }
      const own = branches.flatMap(({ id, last, parent }) =>
        Array.from({ length: last - (parent?.tick ?? 0) }, (_, index) => `${id}@${last - index}`)
      )
      assert.sameMembers([...seen.keys()], own)
      const ownerOf = (id: string, tick: number): string => {
        const { parent } = branches.find((branch) => branch.id === id)!
        return parent !== undefined && tick <= parent.tick ? ownerOf(parent.id, tick) : `${id}@${tick}`
      }
      for (const { id, last } of branches) {
        for (let tick = last; tick > 1; tick--) {
          assert.isBelow(seen.get(ownerOf(id, tick))!, seen.get(ownerOf(id, tick - 1))!)
        }
      }
    },
    { arbitrary: { runs: 300 } }
  )
})
