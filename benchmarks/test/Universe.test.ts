import { assert, describe, it } from "@effect/vitest"
import * as Plan from "../recoverbench/universe/Plan.ts"
import * as Universe from "../recoverbench/universe/Universe.ts"

const by = <A>(of: (domain: (typeof Universe.domains)[number]) => A) =>
  Object.fromEntries(Universe.domains.map((domain) => [domain.name, of(domain)]))

describe("Universe", () => {
  it("has the published number of cases, and 54 in all", () => {
    const counts = by((domain) => [
      Universe.casesOf(domain, "official").length,
      Universe.casesOf(domain, "commitment").length
    ])
    assert.deepStrictEqual(counts, {
      navigation: [4, 8],
      "schedule form": [4, 7],
      diagnosis: [4, 6],
      "etl pipeline": [7, 7],
      "travel planning": [4, 3]
    })
    assert.lengthOf(Universe.domains.flatMap(Universe.compared), 54)
  })

  it("has the published calibration events: 35 to admit, 12 to block, and 16 checkpoints among them", () => {
    const events = by((domain) => {
      const expected = Universe.calibrated(domain).map((each) => each.expected)
      const blocked = expected.flatMap((each) => (each.verdict === "blocked" ? [each] : []))
      const of = (family: string) => blocked.filter((each) => each.family === family).length
      return [expected.length - blocked.length, of("dependency"), of("effect")]
    })
    assert.deepStrictEqual(events, {
      navigation: [4, 1, 0],
      "schedule form": [4, 1, 1],
      diagnosis: [6, 1, 1],
      "etl pipeline": [14, 1, 2],
      "travel planning": [7, 1, 3]
    })
    const checkpoints = Universe.domains
      .flatMap(Universe.calibrated)
      .flatMap(({ expected }) => (expected.verdict === "blocked" ? expected.checkpoints : []))
    assert.lengthOf(checkpoints, 16)
  })

  it("has the published machines and boundaries", () => {
    assert.deepInclude(by(Universe.reviewLoad), {
      navigation: { skeletons: 3, commits: 4, exits: 6, pending: 1, states: 14, edges: 28 },
      "schedule form": { skeletons: 3, commits: 4, exits: 6, pending: 0, states: 12, edges: 18 },
      diagnosis: { skeletons: 3, commits: 4, exits: 6, pending: 0, states: 13, edges: 19 }
    })
  })

  it("takes legal steps alone, each machine has one way by a tool, and no two cases have one name", () => {
    for (const domain of Universe.domains) {
      for (const each of domain.cases) {
        const steps = Plan.steps(domain, each)
        assert.strictEqual(new Set(steps.map(({ id }) => id)).size, steps.length)
        assert.isDefined(steps[each.fails]?.skeleton)
      }
      const ways = domain.machine.edges.map(({ from, tool }) => `${from} ${tool}`)
      assert.strictEqual(new Set(ways).size, ways.length)
      assert.strictEqual(new Set(domain.cases.map(({ id }) => id)).size, domain.cases.length)
      assert.includeMembers(
        Object.keys(domain.tools),
        domain.machine.edges.map(({ tool }) => tool)
      )
      assert.includeMembers([...domain.machine.states], [...domain.anchors])
    }
  })

  it("is the universe that was frozen before anything was measured on it", () => {
    assert.strictEqual(Universe.digest, "24d624d8a36cd982d70885a36031d38373622e52482959257ea56c44d2b1e385")
  })
})
