/** The lines of a run about itself: its deliveries, the attempts of its authors, and its progress by each step. */
import { writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const pack = `pack: acme.plans
version: 1.0.0
progress: { subgoals: [route, budget], weights: { completion: 1, constraints: 0, survival: 0 } }
`
const artifact = (name: string, subgoal: string) => ({
  id: subgoal,
  propose: { type: "artifact.write", data: { name, subgoal }, confidence: 0.94 }
})
const overstep = { type: "kernel.anomaly", data: {}, confidence: 0.6 }
const steps = [artifact("plan.md", "route"), artifact("plan.md", "budget"), { id: "cheat", propose: overstep }]

beforeAll(async () => {
  writeFileSync(shell.path("plans.yaml"), pack)
  const agent = `export default { pack: "plans.yaml", goal: "a plan", tools: {}, steps: ${JSON.stringify(steps)} }\n`
  writeFileSync(shell.path("plans.mjs"), agent)
})

describe("what a run prints of itself", () => {
  it("names each artifact once, and says of an anomaly who attempted what", async () => {
    const { out } = await shell.run(["run", "plan", "--agent", "plans.mjs"])
    assert.match(out, /TICK 04 {2}kernel\.anomaly .*author: agent attempted kernel\.anomaly/)
    assert.match(out, /run=plan \| artifact=plan\.md \| transitions=\d+ \| replay_verified=true/)
    assert.deepStrictEqual((await shell.json("resume plan")).document.artifacts, ["plan.md"])
    assert.notInclude(out, "SPAWN")
  })

  it("names the first artifacts, and counts the others", async () => {
    const many = Array.from({ length: 7 }, (_, index) => artifact(`a\n${index}`, `s${index}`))
    const agent = `export default { pack: "plans.yaml", goal: "many", tools: {}, steps: ${JSON.stringify(many)} }\n`
    writeFileSync(shell.path("many.mjs"), agent)
    const { out } = await shell.run(["run", "many", "--agent", "many.mjs"])
    assert.match(out, /\| artifact=a 0 \| artifact=a 1 .*\| artifact=a 4 \| and 2 more \| transitions=8/)
    assert.lengthOf((await shell.json("resume many")).document.artifacts, 7)
  })

  it("prints the progress by each transition if it is asked for, also of a part and of one tick", async () => {
    const { out } = await shell.run(["show", "plan", "--progress"])
    assert.match(out, /TICK 02 {2}artifact\.write +confidence=0\.94 {2}progress=\+0\.50/)
    assert.match(out, /TICK 04 {2}kernel\.anomaly .*progress=\+0\.00/)
    const part = (await shell.json("show plan --progress --from 3 --fields tick")).document
    assert.deepStrictEqual(part.transitions[0], { tick: 3, progress: { score: 1, change: 0.5 } })
    assert.deepStrictEqual((await shell.json("show plan@2 --progress --fields tick")).document, {
      tick: 2,
      progress: { score: 0.5, change: 0.5 }
    })
    assert.notInclude((await shell.run(["show", "plan"])).out, "progress=")
    assert.strictEqual((await shell.run(["show", "plan", "--progress", "--html", "plan.html"])).code, 2)
  })
})
