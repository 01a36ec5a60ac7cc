/** The cost of a step, counted in nodes of a stored state: it grows with the change, not with the history. */
import * as Snapshot from "@backstitch/reducer/Snapshot"
import { assert, describe, it } from "@effect/vitest"
import { Bench } from "./lab.ts"

/** A process that goes on with a run of so many bookings, and counts the nodes that each of its steps reads. */
const resumed = (bookings: number): ((step: (bench: Bench) => void) => number) => {
  const bench = new Bench({ changes: { budgets: {}, violations: [] } })
  for (let each = 0; each < bookings; each++) bench.books(`LX${each}`)
  const nodes = new Map<string, string>()
  const has = (digest: string) => nodes.has(digest)
  const text = Snapshot.write(bench.state, { has, put: (digest, node) => nodes.set(digest, node) })
  let count = 0
  const state = Snapshot.read(text, (digest) => {
    count++
    return nodes.get(digest)
  })
  bench.at = { ...bench.at, state }
  return (step) => {
    const before = count
    step(bench)
    return count - before
  }
}

describe("the nodes of a stored state that a step reads", () => {
  it("are hardly more after three hundred bookings than after thirty", () => {
    const books = (bench: Bench) => void bench.books("LH1")
    const [few, many] = [resumed(30)(books), resumed(300)(books)]
    assert.isAbove(few, 0)
    assert.isAtMost(many, 2 * few)
  })

  it("are all actions of a kind the first time that something may undo one of them, and few from then on", () => {
    const unbooks = (id: string) => (bench: Bench) => void bench.proposes({ tool: "unbook", params: { id } })
    const reads = resumed(300)
    const first = reads(unbooks("LX1"))
    const second = reads(unbooks("LX2"))
    assert.isAbove(first, 300)
    assert.isAtMost(second, 20)
  })
})
