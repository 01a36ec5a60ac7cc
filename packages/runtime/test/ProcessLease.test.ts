import { spawnSync } from "node:child_process"
import { hostname } from "node:os"
import * as Leases from "@backstitch/trace/Leases"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ProcessLease from "../src/run/ProcessLease.ts"
import * as lab from "./lab.ts"

/** The name of a process that has ended. */
const ended = (host = hostname()): string => `process ${spawnSync(process.execPath, ["--version"]).pid} on ${host}`

describe("ProcessLease", () => {
  it("knows of this machine's processes alone whether they have ended", () => {
    assert.isTrue(ProcessLease.isGone(ended()))
    assert.isFalse(ProcessLease.isGone(ProcessLease.holder()))
    for (const other of [ended("elsewhere"), "process one", ""]) assert.isFalse(ProcessLease.isGone(other))
  })

  it.effect("takes the lease of a process that has ended at once, and waits for no other", () =>
    Effect.gen(function* () {
      const leases = yield* Leases.Leases
      yield* leases.acquire(lab.trip, { holder: ended(), ttlMillis: 60_000 })
      assert.strictEqual((yield* Effect.scoped(ProcessLease.take(lab.trip))).holder, ProcessLease.holder())
      yield* leases.acquire(lab.trip, { holder: ended("elsewhere"), ttlMillis: 60_000 })
      assert.strictEqual((yield* Effect.flip(Effect.scoped(ProcessLease.take(lab.trip))))._tag, "RunLeased")
    }).pipe(Effect.provide(Leases.layerMemory, { local: true }))
  )
})
