/**
 * The requirements for every `ApiKeys` layer, as tests.
 *
 * A package with keys calls {@link suite} with its layer in a test file of its own.
 */
import * as CallerKeys from "@backstitch/runtime/CallerKeys"
import * as ApiKeys from "@backstitch/trace/ApiKeys"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"

const acme = Run.make("any", "acme").tenant
const other = Run.make("any", "other").tenant

/** Registers the suite for a layer. */
export const suite = <E>(name: string, layer: Layer.Layer<ApiKeys.ApiKeys, E>): void => {
  const isolated = Effect.provide(layer, { local: true })
  const ask = { tenant: acme, name: "Ada “the boss”", role: "approver", capacities: ["manager", "finance"] } as const

  describe(`ApiKeys (${name})`, () => {
    it.live("recognises a key by its text, with all that it says, and keeps no text", () =>
      Effect.gen(function* () {
        const { key, text } = yield* CallerKeys.create(ask)
        assert.deepStrictEqual(yield* CallerKeys.recognise(text), key)
        assert.deepInclude(key, { ...ask, revoked: null })
        assert.notInclude(JSON.stringify(yield* (yield* ApiKeys.ApiKeys).find(key.id)), text.slice(-64))
      }).pipe(isolated)
    )

    it.live("recognises no other text, and no text of another key", () =>
      Effect.gen(function* () {
        const [one, two] = [yield* CallerKeys.create(ask), yield* CallerKeys.create(ask)]
        const mixed = one.text.slice(0, 21) + two.text.slice(21)
        const cut = one.text.slice(0, -1)
        for (const text of ["", "bsk_", mixed, cut, `${one.text}0`, one.text.toUpperCase(), ` ${one.text}`]) {
          assert.isUndefined(yield* CallerKeys.recognise(text), text)
        }
      }).pipe(isolated)
    )

    it.live("lists the keys of one tenant, and revokes them for it alone (L15)", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys.ApiKeys
        const { key, text } = yield* CallerKeys.create(ask)
        yield* CallerKeys.create({ ...ask, tenant: other })
        assert.deepStrictEqual(
          (yield* keys.ofTenant(acme)).map(({ id }) => id),
          [key.id]
        )
        assert.strictEqual(yield* keys.count, 2)
        assert.strictEqual((yield* Effect.flip(CallerKeys.revoke(other, key.id)))._tag, "KeyUnknown")
        assert.isDefined(yield* CallerKeys.recognise(text))
        const first = yield* CallerKeys.revoke(acme, key.id)
        assert.isNumber(first.revoked)
        assert.isUndefined(yield* CallerKeys.recognise(text))
        assert.deepStrictEqual(yield* CallerKeys.revoke(acme, key.id), first)
        assert.deepInclude((yield* keys.ofTenant(acme)).map(CallerKeys.told)[0], { id: key.id, name: ask.name })
        assert.strictEqual(yield* keys.count, 1)
      }).pipe(isolated)
    )
  })
}
