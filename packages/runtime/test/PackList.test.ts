import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as PackList from "../src/projections/PackList.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"

const packOf = (version: string) =>
  Result.getOrThrow(TaskPack.make({ ...(lab.definition as Definition), version } as Definition))

const [first, second] = [packOf("1.0.0"), packOf("2.0.0")]

const begin = (run: Run.Run, pack: TaskPack.TaskPack | undefined) =>
  Effect.gen(function* () {
    const handle = yield* (yield* Coordinator.Coordinator).begin(run, { pack, goal: "goal" })
    yield* handle.flush
  }).pipe(Effect.scoped)

describe("PackList", () => {
  it.effect("has the packs of agents and those under which runs began, forks and runs without one included", () =>
    Effect.gen(function* () {
      const listed = yield* lab.as(lab.process(yield* lab.shared))(
        Effect.gen(function* () {
          yield* begin(lab.trip, first)
          yield* begin(Run.make("bare"), undefined)
          yield* Forking.fork({ parent: lab.trip, at: 1, child: Run.make("child"), reason: "to look" })
          return yield* PackList.ofTenant(lab.trip.tenant, new Map([["travel", second]]))
        })
      )
      const about = { pack: "acme.trips" }
      assert.deepStrictEqual(listed, [
        { ...about, digest: first.digest, version: "1.0.0", agents: [], runs: 2 },
        { ...about, digest: second.digest, version: "2.0.0", agents: ["travel"], runs: 0 }
      ])
    })
  )

  it.effect("shows a pack to a tenant that works under it, and to no other (L15)", () =>
    Effect.gen(function* () {
      yield* lab.as(lab.process(yield* lab.shared))(
        Effect.gen(function* () {
          yield* begin(lab.trip, first)
          const shown = yield* PackList.show(lab.trip.tenant, first.digest)
          assert.deepInclude(shown, { begun: ["trip"], version: "1.0.0", runs: 1 })
          assert.strictEqual(Result.getOrThrow(TaskPack.fromJson(shown.definition)).digest, first.digest)
          const { tenant } = Run.make("any", "beta")
          assert.deepStrictEqual(yield* PackList.ofTenant(tenant), [])
          for (const digest of [first.digest, "0".repeat(64)]) {
            const refused = yield* Effect.flip(PackList.show(tenant, digest))
            assert.deepInclude(refused, { _tag: "PackUnknown", digest })
          }
        })
      )
    })
  )
})
