/** Rolling out builds as real processes that crash, never get ready, fail, or are other builds. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Client from "../tools/Client.ts"
import * as Deployments from "../tools/Deployments.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import * as lab from "./lab.ts"

let world: WorldProcess.WorldProcess
beforeAll(async () => {
  world = await WorldProcess.start()
})
afterAll(() => world.stop())

const wanted: Deployments.Rollout = {
  tag: "v2",
  artifact: "sha-2",
  environment: "production",
  regions: ["eu", "us"],
  approval: "change-7"
}

/** A cluster with an approved change, and its other entries. */
const rollsOut = async (name: string, records: ReadonlyArray<readonly [string, string, JsonObject]> = []) => {
  const client = Client.make(world.url, "deployments", name)
  await client.enter("tags", "v2", { artifact: "sha-2" })
  await client.enter("approvals", "change-7", { expired: false })
  for (const record of records) await client.enter(...record)
  return lab.act(Deployments.deploy(client), wanted)
}

describe.concurrent("a rollout", { timeout: 240_000 }, () => {
  it("is confirmed when the replicas of every region say that they are the build", async () => {
    lab.isReconciled(await rollsOut("plain"))
  })

  it("starts processes that end at once: crash_loop", async () => {
    const trial = await rollsOut("crash", [["artifacts", "sha-2", { fault: "crashes" }]])
    assert.deepStrictEqual(lab.isHeldFor(trial, "crash_loop", "partial_application"), { restarts: 6 })
  })

  it("starts processes that never get ready: not_ready", async () => {
    const trial = await rollsOut("unready", [["artifacts", "sha-2", { fault: "never_ready" }]])
    assert.deepStrictEqual(lab.isHeldFor(trial, "not_ready", "partial_application"), { ready: 0, replicas: 2 })
  })

  it("is taken back by the controller: rolled_back", async () => {
    const trial = await rollsOut("back", [
      ["artifacts", "sha-2", { fault: "crashes" }],
      ["settings", "main", { rollsBackTo: "sha-1" }]
    ])
    assert.deepStrictEqual(lab.isHeldFor(trial, "rolled_back", "no_op_failure"), { rolledBack: true })
    assert.isDefined(trial.evidence.find(({ indicator }) => indicator === "wrong_artifact"))
  })

  it("runs another build, since the tag was moved: wrong_artifact", async () => {
    const trial = await rollsOut("moved", [["tags", "v2", { artifact: "sha-3" }]])
    assert.deepStrictEqual(lab.isHeldFor(trial, "wrong_artifact", "value_mismatch"), { artifact: "sha-3" })
  })

  it("finds no room in one of its regions: partial_regions", async () => {
    const trial = await rollsOut("full", [["regions", "us", { full: true }]])
    assert.deepStrictEqual(lab.isHeldFor(trial, "partial_regions", "partial_application"), { regions: ["eu"] })
  })

  it("answers requests with errors: error_budget_burnt", async () => {
    const trial = await rollsOut("fails", [["artifacts", "sha-2", { fault: "fails" }]])
    assert.deepStrictEqual(lab.isHeldFor(trial, "error_budget_burnt", "value_mismatch"), { errorRate: 1 })
  })

  it("goes ahead on an approval that has expired: no_approval", async () => {
    const trial = await rollsOut("expired", [["approvals", "change-7", { expired: true }]])
    assert.deepStrictEqual(lab.isHeldFor(trial, "no_approval", "wrong_target_modified"), { approval: null })
  })
})
