/**
 * Keeps the values behind commitments, outside of the chain: the ciphertexts, and the wrapped keys of their subjects.
 *
 * A vault cannot read its content: keys are wrapped by a key of the tenant, which is kept elsewhere, and subjects are
 * stored as digests under that key. Erasing means destroying a key with all its values, for ever: the id of an erased
 * key is remembered, and the key is never accepted again. A ciphertext is stored before its commitment is appended,
 * so a crash leaves at most a ciphertext that no trace names, which is erased with its key.
 *
 * @source docs/decisions/0028
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Digest } from "../bytes/Digest.ts"
import type { Tenant } from "../chain/Run.ts"
import type { TraceStoreError } from "./TraceStore.ts"

/** The wrapped key of a subject for one lineage of runs. `run` is the first run of the lineage. */
export interface SubjectKey {
  readonly id: string
  readonly run: string
  readonly subject: Digest
  readonly wrapped: string
}

/** A value under the key with the given id. `shown` means that a contract lets planners see it. */
export interface Ciphertext {
  readonly commitment: Digest
  readonly key: string
  readonly text: string
  readonly shown: boolean
}

/** A ciphertext with its key. */
export interface Kept extends Omit<Ciphertext, "key"> {
  readonly key: SubjectKey
}

/**
 * The pair by which a value is recognised across lineages. `mark` is random and is stored in traces; `value` is a
 * digest of the value under the key of the tenant, and is stored only here.
 */
export interface Recognition {
  readonly value: Digest
  readonly mark: Digest
}

/** Selects keys of a tenant: by subject, by lineage, by both, or all. */
export interface Which {
  readonly subject?: Digest | undefined
  readonly run?: string | undefined
}

/** Service that keeps keys and ciphertexts. */
export class Vault extends Context.Service<
  Vault,
  {
    /**
     * Keeps a key unless its subject has one for that lineage, and answers the kept one. An erased key is not kept,
     * so there may be none.
     */
    readonly takeKey: (tenant: Tenant, key: SubjectKey) => Effect.Effect<SubjectKey | undefined, TraceStoreError>
    /** Answers the selected keys, in the order of their ids. */
    readonly keys: (tenant: Tenant, which: Which) => Effect.Effect<ReadonlyArray<SubjectKey>, TraceStoreError>
    /**
     * Keeps all values; if a key is gone, keeps none and answers `false`. Existing values stay, and a `shown` is
     * never lost.
     */
    readonly put: (tenant: Tenant, sealed: ReadonlyArray<Ciphertext>) => Effect.Effect<boolean, TraceStoreError>
    /**
     * Keeps, under a key, the marks by which values are recognised, and answers them: known marks under any key, and
     * the given marks for new values. Nothing if the key is gone.
     */
    readonly recognise: (
      tenant: Tenant,
      key: string,
      given: ReadonlyArray<Recognition>
    ) => Effect.Effect<ReadonlyArray<Digest> | undefined, TraceStoreError>
    /** Answers the recognitions of the given values that are known, each once. */
    readonly recognised: (
      tenant: Tenant,
      values: ReadonlyArray<Digest>
    ) => Effect.Effect<ReadonlyArray<Recognition>, TraceStoreError>
    /** Answers the other keys that recognise a value which a given key recognises, too, in the order of their ids. */
    readonly sharing: (
      tenant: Tenant,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SubjectKey>, TraceStoreError>
    /** Answers the ciphertexts and keys of the given commitments that are kept, in the order of their commitments. */
    readonly get: (
      tenant: Tenant,
      commitments: ReadonlyArray<Digest>
    ) => Effect.Effect<ReadonlyArray<Kept>, TraceStoreError>
    /** Answers the commitments of all values that are sealed under keys, in their order. */
    readonly sealedUnder: (
      tenant: Tenant,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Digest>, TraceStoreError>
    /**
     * Destroys keys with all their values, so that no file of the store contains either any more. It also finishes an
     * erasure that was stopped, for which no keys need to be given.
     */
    readonly erase: (tenant: Tenant, keys: ReadonlyArray<string>) => Effect.Effect<void, TraceStoreError>
    /** Tells whether an erasure was stopped after its keys were deleted: files of the store may contain them yet. */
    readonly isStopped: (tenant: Tenant) => Effect.Effect<boolean, TraceStoreError>
  }
>()("@backstitch/trace/Vault") {}

/** Creates a vault that exists only within the current process. */
export const makeMemory: Effect.Effect<Vault["Service"]> = Effect.sync(() => {
  const tenants = new Map<Tenant, Shelf>()
  const of = (tenant: Tenant): Shelf => {
    const known = tenants.get(tenant) ?? { keys: new Map(), sealed: new Map(), marks: [], erased: new Set() }
    tenants.set(tenant, known)
    return known
  }
  return Vault.of({
    takeKey: (tenant, key) =>
      Effect.sync(() => {
        const { erased, keys } = of(tenant)
        const known = [...keys.values()].find(({ run, subject }) => run === key.run && subject === key.subject)
        if (known !== undefined || erased.has(key.id)) return known
        keys.set(key.id, key)
        return key
      }),
    keys: (tenant, which) => Effect.sync(() => [...of(tenant).keys.values()].filter(isMeant(which)).sort(by("id"))),
    put: (tenant, sealed) =>
      Effect.sync(() => {
        const { keys, sealed: kept } = of(tenant)
        if (sealed.some(({ key }) => !keys.has(key))) return false
        for (const each of sealed) {
          const known = kept.get(each.commitment) ?? each
          kept.set(each.commitment, { ...known, shown: known.shown || each.shown })
        }
        return true
      }),
    recognise: (tenant, key, given) =>
      Effect.sync(() => {
        const { keys, marks } = of(tenant)
        if (!keys.has(key)) return undefined
        return given.map(({ mark, value }) => {
          const known = marks.filter((each) => each.value === value)
          const own = known[0]?.mark ?? mark
          if (!known.some((each) => each.key === key)) marks.push({ key, mark: own, value })
          return own
        })
      }),
    recognised: (tenant, values) =>
      Effect.sync(() => {
        const { marks } = of(tenant)
        return [...new Set(values)].flatMap((value) => {
          const known = marks.find((each) => each.value === value)
          return known === undefined ? [] : [{ mark: known.mark, value }]
        })
      }),
    sharing: (tenant, ids) =>
      Effect.sync(() => {
        const { keys, marks } = of(tenant)
        const values = new Set(marks.flatMap(({ key, value }) => (ids.includes(key) ? [value] : [])))
        const others = marks.flatMap(({ key, value }) => (values.has(value) && !ids.includes(key) ? [key] : []))
        return [...new Set(others)].sort().map((id) => keys.get(id)!)
      }),
    get: (tenant, commitments) =>
      Effect.sync(() => {
        const { keys, sealed } = of(tenant)
        const found = [...new Set(commitments)].flatMap((commitment) => sealed.get(commitment) ?? [])
        return found.sort(by("commitment")).map((each): Kept => ({ ...each, key: keys.get(each.key)! }))
      }),
    sealedUnder: (tenant, keys) =>
      Effect.sync(() =>
        [...of(tenant).sealed.values()]
          .filter(({ key }) => keys.includes(key))
          .map(({ commitment }) => commitment)
          .sort()
      ),
    erase: (tenant, ids) =>
      Effect.sync(() => {
        const shelf = of(tenant)
        for (const id of ids) if (shelf.keys.delete(id)) shelf.erased.add(id)
        for (const [commitment, { key }] of shelf.sealed) if (ids.includes(key)) shelf.sealed.delete(commitment)
        shelf.marks = shelf.marks.filter(({ key }) => !ids.includes(key))
      }),
    isStopped: () => Effect.succeed(false)
  })
})

/**
 * Copies the values of a lineage into a vault in memory, for trials. Recognitions from other lineages are read from
 * the original.
 */
export const copied = Effect.fnUntraced(function* (vault: Vault["Service"], tenant: Tenant, run: string) {
  const copy = yield* makeMemory
  const keys = yield* vault.keys(tenant, { run })
  for (const key of keys) yield* copy.takeKey(tenant, key)
  const commitments = yield* vault.sealedUnder(
    tenant,
    keys.map(({ id }) => id)
  )
  const kept = yield* vault.get(tenant, commitments)
  yield* copy.put(
    tenant,
    kept.map(({ key, ...rest }) => ({ ...rest, key: key.id }))
  )
  return Vault.of({
    ...copy,
    recognise: Effect.fnUntraced(function* (tenant, key, given) {
      const values = given.map(({ value }) => value)
      const known = new Map((yield* vault.recognised(tenant, values)).map(({ mark, value }) => [value, mark]))
      return yield* copy.recognise(
        tenant,
        key,
        given.map(({ mark, value }) => ({ mark: known.get(value) ?? mark, value }))
      )
    })
  })
})

/** Keys, ciphertexts and recognitions of one tenant. */
interface Shelf {
  readonly keys: Map<string, SubjectKey>
  readonly sealed: Map<Digest, Ciphertext>
  marks: Array<Recognition & { readonly key: string }>
  readonly erased: Set<string>
}

const isMeant =
  ({ run, subject }: Which) =>
  (key: SubjectKey): boolean =>
    (run === undefined || key.run === run) && (subject === undefined || key.subject === subject)

const by =
  <Name extends string>(name: Name) =>
  (left: { readonly [K in Name]: string }, right: { readonly [K in Name]: string }): number =>
    left[name] < right[name] ? -1 : left[name] > right[name] ? 1 : 0

/** Layer that provides a vault in memory. */
export const layerMemory: Layer.Layer<Vault> = Layer.effect(Vault, makeMemory)
