import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Topology from "@backstitch/contracts/Topology"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as TopologyCheck from "../src/topology/TopologyCheck.ts"

const declared = (topology: Parameters<typeof TaskPack.make>[0]["topology"]) =>
  Result.getOrThrow(TaskPack.make({ pack: "acme.press", version: "1.0.0", ...(topology && { topology }) })).topology

const problem = (
  topology: Parameters<typeof TaskPack.make>[0]["topology"],
  asked: Topology.TopologyKind | undefined,
  hasRoles = true
) => TopologyCheck.problem(declared(topology), { asked, hasRoles }) ?? ""

describe("TopologyCheck", () => {
  it("refuses a topology that the pack does not declare, and says how to declare it", () => {
    for (const kind of Topology.kinds) assert.match(problem(undefined, kind), new RegExp(`declares no .*kind: ${kind}`))
    assert.match(problem({ kind: "debate", rounds: 3 }, "pipeline"), /declares a debate, and not a pipeline/)
  })

  it("refuses a topology without the limit that its detector needs", () => {
    assert.match(problem("debate", undefined), /nothing would see its first crack: declare topology.rounds/)
    assert.match(problem("plan_execute", "plan_execute"), /declare topology.plan/)
    assert.match(problem("react", "react", false), /declare topology.steps/)
  })

  it("takes a loop as it is where nobody asks for its topology, and roles only with several agents", () => {
    assert.strictEqual(problem("react", undefined, false), "")
    assert.strictEqual(problem(undefined, undefined, false), "")
    assert.strictEqual(problem({ kind: "debate", rounds: 3 }, "debate"), "")
    assert.match(problem({ kind: "debate", rounds: 3 }, "debate", false), /the agent has no roles/)
    assert.match(problem({ kind: "react", steps: 3 }, undefined), /has a planner and no roles/)
    assert.match(problem(undefined, undefined), /the agent has roles/)
  })
})
