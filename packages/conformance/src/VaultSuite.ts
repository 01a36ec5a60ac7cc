/**
 * What every `Vault` layer must do.
 *
 * A package that keeps sealed values calls {@link suite} with its layer in a
 * test file of its own. What no file may hold after an erasure is for that
 * package to look for: files are its own.
 *
 * @since 0.1.0
 */
import * as Digest from "@backstitch/trace/Digest"
import * as Run from "@backstitch/trace/Run"
import { type Ciphertext, copied, type SubjectKey, Vault } from "@backstitch/trace/Vault"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"

const { tenant } = Run.make("trip", "vaults")
const other = Run.make("trip", "others").tenant

const digest = (text: string) => Digest.ofBytes(text)
const anna = digest("anna")
const bela = digest("bela")

const keyOf = (id: string, run: string, subject: Digest.Digest): SubjectKey => ({
  id,
  run,
  subject,
  wrapped: Buffer.from(`wrapped ${id}`).toString("base64")
})

const sealedAs = (name: string, key: string, shown = false): Ciphertext => ({
  commitment: digest(name),
  key,
  text: Buffer.from(`ciphertext of ${name}`).toString("base64"),
  shown
})

/**
 * Registers the suite for a layer.
 *
 * @category constructors
 * @since 0.1.0
 */
export const suite = <E>(name: string, layer: Layer.Layer<Vault, E>): void => {
  const isolated = Effect.provide(layer, { local: true })

  describe(`Vault (${name})`, () => {
    it.live("keeps the first key of a subject for a lineage, and answers it to whoever comes later", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const first = keyOf("k1", "trip", anna)
        assert.deepStrictEqual(yield* vault.takeKey(tenant, first), first)
        assert.deepStrictEqual(yield* vault.takeKey(tenant, keyOf("k2", "trip", anna)), first)
        yield* vault.takeKey(tenant, keyOf("k3", "", anna))
        yield* vault.takeKey(tenant, keyOf("k4", "trip", bela))
        const ids = (which: { readonly subject?: Digest.Digest; readonly run?: string }) =>
          Effect.map(vault.keys(tenant, which), (keys) => keys.map(({ id }) => id))
        assert.deepStrictEqual(yield* ids({}), ["k1", "k3", "k4"])
        assert.deepStrictEqual(yield* ids({ subject: anna }), ["k1", "k3"])
        assert.deepStrictEqual(yield* ids({ run: "trip" }), ["k1", "k4"])
        assert.deepStrictEqual(yield* ids({ run: "", subject: anna }), ["k3"])
      }).pipe(isolated)
    )

    it.live("gives one key to many who take it at once", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const take = (index: number) => vault.takeKey(tenant, keyOf(`k${index}`, "trip", anna))
        const taken = yield* Effect.forEach(Array.from({ length: 16 }).keys(), take, { concurrency: "unbounded" })
        assert.strictEqual(new Set(taken.map(({ id }) => id)).size, 1)
        assert.strictEqual((yield* vault.keys(tenant, {})).length, 1)
      }).pipe(isolated)
    )

    it.live("answers ciphertexts with their keys, and nothing of what it does not keep", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const key = yield* vault.takeKey(tenant, keyOf("k1", "trip", anna))
        assert.isTrue(yield* vault.put(tenant, [sealedAs("passport", "k1"), sealedAs("birthday", "k1", true)]))
        const names = ["passport", "birthday", "unknown"].map(digest)
        const expected = [sealedAs("passport", "k1"), sealedAs("birthday", "k1", true)]
          .map((each) => ({ ...each, key }))
          .sort((left, right) => (left.commitment < right.commitment ? -1 : 1))
        assert.deepStrictEqual(yield* vault.get(tenant, [...names, ...names]), expected)
        assert.deepStrictEqual(yield* vault.get(tenant, []), [])
      }).pipe(isolated)
    )

    it.live("keeps the first ciphertext of a commitment, and never forgets that it is shown", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        yield* vault.takeKey(tenant, keyOf("k1", "trip", anna))
        yield* vault.put(tenant, [sealedAs("passport", "k1", true)])
        const again = { ...sealedAs("passport", "k1"), text: "YW5vdGhlcg==" }
        assert.isTrue(yield* vault.put(tenant, [again]))
        const [kept] = yield* vault.get(tenant, [digest("passport")])
        assert.deepInclude(kept, { text: sealedAs("passport", "k1").text, shown: true })
      }).pipe(isolated)
    )

    it.live("erases a key with all that is sealed under it, and takes nothing more under it", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        yield* vault.takeKey(tenant, keyOf("k1", "trip", anna))
        yield* vault.takeKey(tenant, keyOf("k2", "trip", bela))
        yield* vault.put(tenant, [sealedAs("passport", "k1"), sealedAs("name", "k2")])
        assert.deepStrictEqual(yield* vault.sealedUnder(tenant, ["k1"]), [digest("passport")])
        yield* vault.erase(tenant, ["k1"])
        assert.deepStrictEqual(yield* vault.sealedUnder(tenant, ["k1"]), [])
        assert.deepStrictEqual(
          (yield* vault.keys(tenant, {})).map(({ id }) => id),
          ["k2"]
        )
        assert.isFalse(yield* vault.put(tenant, [sealedAs("phone", "k2"), sealedAs("address", "k1")]))
        const names = ["passport", "name", "phone", "address"].map(digest)
        assert.deepStrictEqual(
          (yield* vault.get(tenant, names)).map(({ commitment }) => commitment),
          [digest("name")]
        )
        yield* vault.erase(tenant, ["k1"])
      }).pipe(isolated)
    )

    it.live("is copied with one lineage, and the copy with nothing else", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        for (const [id, run] of [
          ["k1", "trip"],
          ["k2", "trip2"],
          ["k3", ""]
        ] as const) {
          yield* vault.takeKey(tenant, keyOf(id, run, anna))
          yield* vault.put(tenant, [sealedAs(`passport ${id}`, id)])
        }
        const copy = yield* copied(vault, tenant, "trip")
        const ids = (yield* copy.keys(tenant, {})).map(({ id }) => id)
        assert.deepStrictEqual(ids, ["k1", "k3"])
        const names = ["passport k1", "passport k2", "passport k3"].map(digest)
        assert.strictEqual((yield* copy.get(tenant, names)).length, 2)
        yield* copy.erase(tenant, ids)
        assert.strictEqual((yield* vault.get(tenant, names)).length, 3)
      }).pipe(isolated)
    )

    it.live("is of one tenant, whatever another keeps under the same names (L15)", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        yield* vault.takeKey(tenant, keyOf("k1", "trip", anna))
        yield* vault.put(tenant, [sealedAs("passport", "k1")])
        assert.deepStrictEqual(yield* vault.keys(other, {}), [])
        assert.deepStrictEqual(yield* vault.get(other, [digest("passport")]), [])
        assert.deepStrictEqual(yield* vault.sealedUnder(other, ["k1"]), [])
        assert.isFalse(yield* vault.put(other, [sealedAs("passport", "k1")]))
        yield* vault.erase(other, ["k1"])
        assert.strictEqual((yield* vault.get(tenant, [digest("passport")])).length, 1)
        yield* vault.takeKey(other, { ...keyOf("k1", "trip", anna), wrapped: "b3RoZXI=" })
        assert.isTrue(yield* vault.put(other, [{ ...sealedAs("passport", "k1"), text: "b3RoZXI=" }]))
        assert.strictEqual((yield* vault.get(tenant, [digest("passport")]))[0]?.text, sealedAs("passport", "k1").text)
      }).pipe(isolated)
    )
  })
}
