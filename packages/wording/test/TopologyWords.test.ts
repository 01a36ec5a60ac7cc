import * as Topology from "@backstitch/contracts/Topology"
import * as Crack from "@backstitch/topology/Crack"
import { assert, describe, it } from "@effect/vitest"
import * as English from "../src/English.ts"
import type { TopologyWords } from "../src/said/TopologyWords.ts"

const { cracks, kinds, profiles, responses, signals }: TopologyWords = English.words.topologies

describe("TopologyWords", () => {
  it("say each signal with its facts and without them, in a sentence of its own", () => {
    const whole = { agent: "ann", evidence: [3, 9], subject: "t7", tick: 9 }
    for (const facts of [whole, { evidence: [], tick: 9 }]) {
      const told = Object.values(signals).map((say) => say(facts))
      assert.strictEqual(new Set(told).size, told.length)
      for (const each of told) assert.notMatch(each, /undefined|NaN/)
    }
    assert.strictEqual(signals.never_reported(whole), "ann has task t7 since tick 3, and never reported")
  })

  it("have a name and a response for every crack, and a profile for every topology", () => {
    for (const name of Crack.names) assert.isTrue(cracks[name] !== "" && responses[name] !== "")
    for (const kind of Topology.kinds) assert.match(`${kinds[kind]} ${profiles[kind].recovery}`, /^an? .+ .+/)
  })
})
