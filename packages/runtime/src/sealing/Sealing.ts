/**
 * Seals sensitive values as they enter the runtime. Opens them for tools, and for planners that the contract lets see
 * them.
 *
 * Decisions and folds never call this: the kernel sees commitments. A value is in the vault before its commitment is
 * committed. Each subject has a key for each lineage of runs, so equal values are recognised only within one lineage.
 * Acts that a contract wants recognised across runs have random marks, which are kept under the keys of the lineages
 * that have the value. Keys are random, and stored wrapped under the tenant's key. A destroyed key is gone even for
 * the owner of the tenant's key.
 *
 * @source docs/decisions/0028, 0049
 */
import { randomBytes } from "node:crypto"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import type { Tenant } from "@backstitch/trace/Run"
import type * as SealedValue from "@backstitch/trace/SealedValue"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Vault from "@backstitch/trace/Vault"
import type { Next } from "@backstitch/wording/Next"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Cipher from "./sealingCipher.ts"
import * as TenantKeys from "./TenantKeys.ts"

/** Error for a sealed value that is needed and cannot be opened any more: it was erased, or was never in this store. */
export class SealedValueGone extends Schema.TaggedError<SealedValueGone>("@backstitch/runtime/SealedValueGone")(
  "SealedValueGone",
  { run: Schema.String, action: Schema.String, tool: Schema.String, commitments: Schema.Array(Schema.String) }
) {
  override get message(): string {
    const { length } = this.commitments
    const values = length === 1 ? "a sealed value that was" : `${length} sealed values that were`
    return (
      `${this.tool} (${this.action}) of run ${this.run} needs ${values} erased, or that this store does ` +
      "not have: it is neither called nor asked about. A person settles it, by what they can find out"
    )
  }

  /** The step that a person may take. */
  get next(): ReadonlyArray<Next> {
    return [{ action: this.action, run: this.run, verb: "resolve" }]
  }
}

/** Error for a contract with sensitive values in a program without sealing: they are not committed in clear. */
export class SealingUnavailable extends Schema.TaggedError<SealingUnavailable>(
  "@backstitch/runtime/SealingUnavailable"
)("SealingUnavailable", { run: Schema.String }) {
  override get message(): string {
    return (
      `The pack of run ${this.run} has sensitive values, and there is no key to seal them. In clear nothing of them ` +
      "is committed, and no tool is called. Provide Sealing, with a vault and the key of the tenant"
    )
  }
}

/** Error for a run whose initial state would have sensitive values in clear. */
export class BeginsInClear extends Schema.TaggedError<BeginsInClear>("@backstitch/runtime/BeginsInClear")(
  "BeginsInClear",
  { run: Schema.String, fields: Schema.Array(Schema.String) }
) {
  override get message(): string {
    return (
      `Run ${this.run} was not begun: ${this.fields.join(", ")} would begin with sensitive values in clear. ` +
      "Let them begin empty, and have the values proposed"
    )
  }
}

/** Error for a tenant's key that does not open the values sealed for that tenant. */
export class TenantKeyDiffers extends Schema.TaggedError<TenantKeyDiffers>("@backstitch/runtime/TenantKeyDiffers")(
  "TenantKeyDiffers",
  { tenant: Schema.String }
) {
  override get message(): string {
    return (
      `The values sealed for tenant ${this.tenant} do not open under the key at hand: it is another one, or the vault was ` +
      "changed. Restore the earlier key"
    )
  }
}

/** Errors of sealing and opening values. */
export type SealingError = TenantKeyDiffers | TenantKeys.TenantKeyError | TraceStoreError

/** A value to be sealed. `identity` is the form by which it is recognised: within its lineage, or `across` runs. */
export interface Plain {
  readonly subject: Digest
  readonly value: Json
  readonly shown: boolean
  readonly identity?: { readonly key?: string; readonly request: Json; readonly across: boolean } | undefined
}

/** A commitment, and the form by which the value is recognised. */
export interface SealedCommitment {
  readonly commitment: Digest
  readonly identity?: SealedValue.SealedIdentity
}

/** A value that was opened, the first run of the lineage in which it was sealed, and its subject. */
export interface Opened {
  readonly value: Json
  readonly shown: boolean
  readonly run: string
  readonly subject: Digest
}

/** Service that seals and opens. */
export class Sealing extends Context.Service<
  Sealing,
  {
    /** Computes the name of a subject in a store: a digest of the name under the key of the tenant. */
    readonly subject: (tenant: Tenant, name: string) => Effect.Effect<Digest, SealingError>
    /** Seals values for a lineage, each in its place, and keeps them. */
    readonly seal: (
      lineage: { readonly tenant: Tenant; readonly run: string },
      values: ReadonlyArray<Plain>
    ) => Effect.Effect<ReadonlyArray<SealedCommitment>, SealingError>
    /** Opens the given commitments, as far as the vault has their values. Erased ones are not in the answer. */
    readonly open: (
      tenant: Tenant,
      commitments: ReadonlyArray<Digest>
    ) => Effect.Effect<ReadonlyMap<Digest, Opened>, SealingError>
  }
>()("@backstitch/runtime/Sealing") {}

/** The key of a tenant. One is made if that is allowed and no value is sealed under any. */
export const tenantKey = Effect.fnUntraced(function* (tenant: Tenant) {
  const keys = yield* TenantKeys.TenantKeys
  const vault = yield* Vault.Vault
  const [known] = yield* vault.keys(tenant, {})
  // Under another key no subject would be found by name, and an erasure would leave their values.
  if (known !== undefined) yield* unwrap(tenant, known)
  return yield* keys.key(tenant, { first: known === undefined })
})

const wrapping = Effect.fnUntraced(function* (tenant: Tenant) {
  const keys = yield* TenantKeys.TenantKeys
  return Cipher.derive(yield* keys.key(tenant), "wrap", tenant)
})

/** Wraps the key of a subject under that of the tenant. */
export const wrap = (tenant: Tenant, named: Omit<Vault.SubjectKey, "wrapped">, key: Uint8Array) =>
  Effect.map(wrapping(tenant), (wraps) => Cipher.encrypt(wraps, key, Cipher.boundTo(tenant, named)))

/** Unwraps the key of a subject. */
export const unwrap = Effect.fnUntraced(function* (tenant: Tenant, key: Vault.SubjectKey) {
  const plain = Cipher.decrypt(yield* wrapping(tenant), key.wrapped, Cipher.boundTo(tenant, key))
  return plain ?? (yield* new TenantKeyDiffers({ tenant }))
})

/** Creates the service over a vault and the keys of tenants. */
export const make = Effect.gen(function* () {
  const vault = yield* Vault.Vault
  const keys = yield* TenantKeys.TenantKeys

  const withKeys = Effect.provideService(TenantKeys.TenantKeys, keys)

  /** The key of a subject for a lineage; a new one if there is none. */
  const keyOf = Effect.fnUntraced(function* (tenant: Tenant, run: string, subject: Digest) {
    const [known] = yield* vault.keys(tenant, { run, subject })
    if (known !== undefined) return { id: known.id, key: yield* withKeys(unwrap(tenant, known)) }
    const named = { id: randomBytes(16).toString("hex"), run, subject }
    const wrapped = yield* withKeys(wrap(tenant, named, randomBytes(32)))
    const taken = yield* vault.takeKey(tenant, { ...named, wrapped })
    // The key may be erased as soon as it is stored; the caller then tries again.
    return taken && { id: taken.id, key: yield* withKeys(unwrap(tenant, taken)) }
  })

  const known = new Map<Tenant, Uint8Array>()

  const recognised = Effect.fnUntraced(function* (tenant: Tenant) {
    const key = known.get(tenant) ?? (yield* Effect.provideService(withKeys(tenantKey(tenant)), Vault.Vault, vault))
    known.set(tenant, key)
    return key
  })

  /** Marks of values that are recognised across lineages, by value; nothing if the key is gone. */
  const marksOf = Effect.fnUntraced(function* (tenant: Tenant, key: string, forms: ReadonlyArray<string>) {
    if (forms.length === 0) return new Map<string, Digest>()
    const recognises = Cipher.derive(yield* recognised(tenant), "identity", tenant)
    const given = forms.map((form) => ({ value: Cipher.mac(recognises, form), mark: Cipher.random() }))
    const marks = yield* vault.recognise(tenant, key, given)
    return marks && new Map(forms.map((form, index) => [form, marks[index]!]))
  })

  /** Seals the values of one subject; nothing if the key was erased meanwhile. */
  const ofSubject = Effect.fnUntraced(function* (
    lineage: { readonly tenant: Tenant; readonly run: string },
    subject: Digest,
    values: ReadonlyArray<Plain>
  ) {
    const { run, tenant } = lineage
    const known = yield* keyOf(tenant, run, subject)
    if (known === undefined) return undefined
    const { id, key } = known
    const across = values.flatMap(({ identity }) => (identity?.across === true ? formsOf(subject, identity) : []))
    const marks = yield* marksOf(tenant, id, [...new Set(across)])
    if (marks === undefined) return undefined
    const within = Cipher.derive(key, "identity")
    const sealed = values.map(({ shown, value }) => ({ ...Cipher.seal(key, value), key: id, shown }))
    if (!(yield* vault.put(tenant, sealed))) return undefined
    return values.map(({ identity }, index): SealedCommitment => {
      const { commitment } = sealed[index]!
      if (identity === undefined) return { commitment }
      const [request, named] = formsOf(subject, identity).map((form) => marks.get(form) ?? Cipher.mac(within, form))
      return { commitment, identity: { ...(named === undefined ? {} : { key: named }), request: request! } }
    })
  })

  return Sealing.of({
    subject: Effect.fnUntraced(function* (tenant, name) {
      return Cipher.mac(Cipher.derive(yield* recognised(tenant), "subject", tenant), name)
    }),
    seal: Effect.fnUntraced(function* (lineage, values) {
      const committed: Array<SealedCommitment> = []
      for (const subject of new Set(values.map((each) => each.subject))) {
        const places = [...values.keys()].filter((index) => values[index]!.subject === subject)
        const own = places.map((index) => values[index]!)
        let sealed: ReadonlyArray<SealedCommitment> | undefined
        // A key may be erased between its read and its use. Then the values are sealed under the next key.
        while (sealed === undefined) sealed = yield* ofSubject(lineage, subject, own)
        for (const [index, each] of sealed.entries()) committed[places[index]!] = each
      }
      return committed
    }),
    open: Effect.fnUntraced(function* (tenant, commitments) {
      const opened = new Map<Digest, Opened>()
      if (commitments.length === 0) return opened
      for (const { commitment, key, shown, text } of yield* vault.get(tenant, commitments)) {
        const plain = Cipher.open(yield* withKeys(unwrap(tenant, key)), commitment, text)
        if (plain === undefined) return yield* new TenantKeyDiffers({ tenant })
        opened.set(commitment, { value: plain.value, shown, run: key.run, subject: key.subject })
      }
      return opened
    })
  })
})

/** The texts by which a value is recognised: first for the request, then for the act that its key names. */
const formsOf = (subject: Digest, { key, request }: NonNullable<Plain["identity"]>): ReadonlyArray<string> => [
  Canonical.encode({ request, subject }),
  ...(key === undefined ? [] : [Canonical.encode({ key, subject })])
]

/** Layer over a vault and the keys of tenants. */
export const layer: Layer.Layer<Sealing, never, Vault.Vault | TenantKeys.TenantKeys> = Layer.effect(Sealing, make)

/** Layer whose vault and key exist only within the current process. */
export const layerMemory: Layer.Layer<Sealing | Vault.Vault | TenantKeys.TenantKeys> = layer.pipe(
  Layer.provideMerge(Layer.merge(Vault.layerMemory, TenantKeys.layerMemory))
)
