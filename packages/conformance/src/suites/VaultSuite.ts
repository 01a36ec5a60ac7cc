/**
 * The requirements for every `Vault` layer, as tests.
 *
 * A package with a vault calls {@link suite} with its layer in a test file of its own. The package itself has to
 * check that its files contain no erased data.
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

/** Registers the suite for a layer. */
export const suite = <E>(name: string, layer: Layer.Layer<Vault, E>): void => {
  const isolated = Effect.provide(layer, { local: true })

  describe(`Vault (${name})`, () => {
    it.live("keeps the first key of a subject for a lineage, and answers it to every later caller", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const first = keyOf("k1", "trip", anna)
        assert.deepStrictEqual(yield* vault.takeKey(tenant, first), first)
        assert.deepStrictEqual(yield* vault.takeKey(tenant, keyOf("k2", "trip", anna)), first)
        yield* vault.takeKey(tenant, keyOf("k3", "trip2", anna))
        yield* vault.takeKey(tenant, keyOf("k4", "trip", bela))
        const ids = (which: { readonly subject?: Digest.Digest; readonly run?: string }) =>
          Effect.map(vault.keys(tenant, which), (keys) => keys.map(({ id }) => id))
        assert.deepStrictEqual(yield* ids({}), ["k1", "k3", "k4"])
        assert.deepStrictEqual(yield* ids({ subject: anna }), ["k1", "k3"])
        assert.deepStrictEqual(yield* ids({ run: "trip" }), ["k1", "k4"])
        assert.deepStrictEqual(yield* ids({ run: "trip2", subject: anna }), ["k3"])
      }).pipe(isolated)
    )

    it.live("gives one key to many callers at once", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const take = (index: number) => vault.takeKey(tenant, keyOf(`k${index}`, "trip", anna))
        const taken = yield* Effect.forEach(Array.from({ length: 16 }).keys(), take, { concurrency: "unbounded" })
        assert.strictEqual(new Set(taken.map((key) => key?.id)).size, 1)
        assert.strictEqual((yield* vault.keys(tenant, {})).length, 1)
      }).pipe(isolated)
    )

    it.live("answers ciphertexts with their keys, and nothing that it does not hold", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const key = yield* vault.takeKey(tenant, keyOf("k1", "trip", anna))
        assert.isTrue(yield* vault.put(tenant, [sealedAs("passport", "k1"), sealedAs("birthday", "k1", true)]))
        const names = ["passport", "birthday", "unknown"].map(digest)
        const expected = [sealedAs("passport", "k1"), sealedAs("birthday", "k1", true)]
          .map((each) => ({ ...each, key: key! }))
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
        assert.isFalse(yield* vault.isStopped(tenant))
      }).pipe(isolated)
    )

    it.live("keeps no key again that it has erased, and takes others of that subject and lineage", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const [first, next] = [keyOf("k1", "trip", anna), keyOf("k2", "trip", anna)]
        yield* vault.takeKey(tenant, first)
        yield* vault.erase(tenant, ["k1", "never"])
        assert.isUndefined(yield* vault.takeKey(tenant, first))
        assert.deepStrictEqual(yield* vault.keys(tenant, {}), [])
        assert.deepStrictEqual(yield* vault.takeKey(tenant, next), next)
        assert.deepStrictEqual(yield* vault.takeKey(tenant, first), next)
        const never = keyOf("never", "trip2", anna)
        assert.deepStrictEqual(yield* vault.takeKey(tenant, never), never)
        assert.deepStrictEqual(yield* vault.takeKey(other, first), first)
      }).pipe(isolated)
    )

    it.live("recognises a value by one mark under every key, until the last key that has it is erased", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const [one, two, three] = [keyOf("k1", "trip", anna), keyOf("k2", "trip2", anna), keyOf("k3", "trip3", anna)]
        for (const key of [one, two, three]) yield* vault.takeKey(tenant, key)
        const given = (mark: string, ...names: ReadonlyArray<string>) =>
          names.map((name) => ({ value: digest(name), mark: digest(`${mark} of ${name}`) }))
        const [first, own] = [given("first", "passport", "birthday"), given("second", "address", "passport")]
        assert.deepStrictEqual(
          yield* vault.recognise(tenant, "k1", first),
          first.map(({ mark }) => mark)
        )
        assert.deepStrictEqual(yield* vault.recognise(tenant, "k2", own), [own[0]!.mark, first[0]!.mark])
        assert.deepStrictEqual(yield* vault.recognise(tenant, "k2", given("third", "passport")), [first[0]!.mark])
        assert.deepStrictEqual(yield* vault.sharing(tenant, ["k1"]), [two])
        assert.deepStrictEqual(yield* vault.sharing(tenant, ["k1", "k2"]), [])
        assert.deepStrictEqual(yield* vault.sharing(tenant, ["k3"]), [])
        yield* vault.erase(tenant, ["k1"])
        const names = ["passport", "birthday", "address"].map(digest)
        const byValue = (all: ReadonlyArray<{ readonly value: string }>) =>
          all.toSorted((left, right) => (left.value < right.value ? -1 : 1))
        assert.deepStrictEqual(
          byValue(yield* vault.recognised(tenant, [...names, ...names])),
          byValue([first[0]!, own[0]!])
        )
        assert.deepStrictEqual(yield* vault.recognised(other, names), [])
        yield* vault.erase(tenant, ["k2"])
        assert.deepStrictEqual(yield* vault.recognised(tenant, names), [])
        assert.isUndefined(yield* vault.recognise(tenant, "k1", first))
        assert.deepStrictEqual(
          yield* vault.recognise(tenant, "k3", given("fourth", "passport")),
          given("fourth", "passport").map(({ mark }) => mark)
        )
      }).pipe(isolated)
    )

    it.live("gives a value one mark, in any number of lineages at once (L6)", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const names = Array.from({ length: 12 }, (_, index) => `k${index}`)
        for (const name of names) yield* vault.takeKey(tenant, keyOf(name, name, anna))
        const marks = yield* Effect.forEach(
          names,
          (name) => vault.recognise(tenant, name, [{ value: digest("passport"), mark: digest(name) }]),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(marks.flat()).size, 1)
      }).pipe(isolated)
    )

    it.live("is copied with one lineage, and with nothing of any other", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        for (const [id, run] of [
          ["k1", "trip"],
          ["k2", "trip2"]
        ] as const) {
          yield* vault.takeKey(tenant, keyOf(id, run, anna))
          yield* vault.put(tenant, [sealedAs(`passport ${id}`, id)])
        }
        const [known, fresh] = ["known", "fresh"].map((name) => ({ value: digest(name), mark: digest(`${name} mark`) }))
        yield* vault.recognise(tenant, "k2", [known!])
        const copy = yield* copied(vault, tenant, "trip")
        const ids = (yield* copy.keys(tenant, {})).map(({ id }) => id)
        assert.deepStrictEqual(ids, ["k1"])
        const names = ["passport k1", "passport k2"].map(digest)
        assert.strictEqual((yield* copy.get(tenant, names)).length, 1)
        const given = [{ ...known!, mark: digest("another") }, fresh!]
        assert.deepStrictEqual(yield* copy.recognise(tenant, "k1", given), [known!.mark, fresh!.mark])
        yield* copy.erase(tenant, ids)
        assert.strictEqual((yield* vault.get(tenant, names)).length, 2)
        assert.deepStrictEqual(yield* vault.recognised(tenant, [fresh!.value]), [])
      }).pipe(isolated)
    )

    it.live("belongs to one tenant, whatever another keeps under the same names (L15)", () =>
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
