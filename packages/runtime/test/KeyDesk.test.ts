import * as ApiKeys from "@backstitch/trace/ApiKeys"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AdministrationLog from "../src/access/AdministrationLog.ts"
import * as CallerKeys from "../src/access/CallerKeys.ts"
import * as KeyDesk from "../src/access/KeyDesk.ts"
import * as lab from "./lab.ts"

const { tenant } = lab.trip

/** The acts on record, in their order. */
const acts = Effect.map(lab.transitions(AdministrationLog.runOf(tenant)), (all) =>
  all.flatMap(({ body }) => (body.type === "message.received" ? [body.data?.["content"]] : []))
)

describe("KeyDesk", () => {
  it.effect("has each act on record, and none about a key that is not there or is revoked already", () =>
    Effect.gen(function* () {
      const within = lab.as(lab.process(yield* lab.shared, {}))
      const asked = { by: "Ada", name: "Ben", role: "viewer", capacities: ["clerk"] } as const
      const { key, text } = yield* within(KeyDesk.create(tenant, asked))
      assert.strictEqual((yield* CallerKeys.recognise(text))?.id, key.id)

      const other = Run.make("any", "globex").tenant
      for (const revoking of [
        KeyDesk.revoke(tenant, { by: "Ada", key: "0123456789abcdef" }),
        KeyDesk.revoke(other, { by: "Mallory", key: key.id })
      ]) {
        assert.strictEqual((yield* Effect.flip(within(revoking)))._tag, "KeyUnknown")
      }
      const first = yield* within(KeyDesk.revoke(tenant, { by: "Ada", key: key.id }))
      const second = yield* within(KeyDesk.revoke(tenant, { by: "Cleo", key: key.id }))
      assert.deepStrictEqual(second, first)
      assert.isUndefined(yield* CallerKeys.recognise(text))

      assert.deepStrictEqual(yield* within(acts), [
        { act: "key.create", by: "Ada", key: key.id, holder: "Ben", role: "viewer", capacities: ["clerk"] },
        { act: "key.revoke", by: "Ada", key: key.id }
      ])
    }).pipe(Effect.provide(ApiKeys.layerMemory))
  )

  it.effect("makes a key that is in force once it is kept, however often, and that stays revoked", () =>
    Effect.gen(function* () {
      const within = lab.as(lab.process(yield* lab.shared, {}))
      const made = yield* within(KeyDesk.make(tenant, { by: "Ada", name: "Ben", role: "viewer", capacities: [] }))
      assert.isUndefined(yield* CallerKeys.recognise(made.text))
      assert.lengthOf(yield* within(acts), 1)
      for (let times = 0; times < 2; times++) {
        yield* CallerKeys.keep(tenant, made)
        assert.deepStrictEqual(CallerKeys.told((yield* CallerKeys.recognise(made.text))!), made.key)
      }
      yield* CallerKeys.revoke(tenant, made.key.id)
      yield* CallerKeys.keep(tenant, made)
      assert.isUndefined(yield* CallerKeys.recognise(made.text))
    }).pipe(Effect.provide(ApiKeys.layerMemory))
  )
})
