import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AdministrationLog from "../src/access/AdministrationLog.ts"
import * as lab from "./lab.ts"

describe("AdministrationLog", () => {
  it.effect("records the acts of a tenant in one run, each durable when it is answered", () =>
    Effect.gen(function* () {
      const within = lab.as(lab.process(yield* lab.shared, {}))
      const { tenant } = lab.trip
      for (const act of ["key.create", "key.revoke"] as const) {
        yield* within(AdministrationLog.record(tenant, { act, by: "Ada", about: { key: "k1" } }))
      }
      const all = yield* within(lab.transitions(AdministrationLog.runOf(tenant)))
      const said = all.flatMap(({ body }) => (body.type === "message.received" ? [body.data?.["content"]] : []))
      assert.deepStrictEqual(said, [
        { act: "key.create", by: "Ada", key: "k1" },
        { act: "key.revoke", by: "Ada", key: "k1" }
      ])
    })
  )
})
