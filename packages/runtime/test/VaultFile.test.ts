import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Run from "@backstitch/trace/Run"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as Vault from "@backstitch/trace/Vault"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Agent from "../src/agent/Agent.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Sealing from "../src/sealing/Sealing.ts"
import * as TenantKeys from "../src/sealing/TenantKeys.ts"
import * as SubjectErasure from "../src/vault/SubjectErasure.ts"
import * as VaultExport from "../src/vault/VaultExport.ts"
import * as VaultFile from "../src/vault/VaultFile.ts"
import * as lab from "./lab.ts"
import * as sealed from "./sealed.ts"

const { tenant } = lab.trip
type Place = Effect.Success<typeof sealed.place>

const process = ({ services }: Pick<Place, "services">) => {
  const executor = ToolExecutor.fromTools(new sealed.Office().tools)
  return Layer.merge(lab.process(services, { executor, steps: sealed.script }), services)
}

const worked = Effect.gen(function* () {
  const place = yield* sealed.place
  const open = Effect.flatMap(Coordinator.Coordinator, (each) =>
    each.open(lab.trip, { pack: sealed.pack, goal: "visa" })
  )
  yield* lab.as(process(place))(lab.elapsing(Effect.flatMap(open, (handle) => Agent.run(handle))))
  return place
})

/** The same traces under another key of the tenant, and with an empty vault. */
const elsewhere = (place: Place) =>
  Effect.map(Vault.makeMemory, (vault) => {
    const keys = TenantKeys.fromText("cd".repeat(32), "elsewhere")
    return { ...place, vault, services: sealed.over(place.store, vault, keys) }
  })

const valuesIn = (place: Place) =>
  Effect.gen(function* () {
    const commitments = (yield* sealed.texts(place.store)).flatMap(SealedValue.commitmentsIn)
    const sealing = yield* Sealing.Sealing
    const values = [...(yield* sealing.open(tenant, commitments)).values()].map(({ value }) => value)
    return values.filter((value) => typeof value === "string").sort()
  }).pipe(Effect.provide(place.services, { local: true }))

const all = [sealed.born, sealed.secretText]

describe("VaultFile", () => {
  it.effect("carries sealed values to a recipient, who alone opens them under a key of their own", () =>
    Effect.gen(function* () {
      const place = yield* worked
      const [ben, eve] = [generateKeyPairSync("x25519"), generateKeyPairSync("x25519")]
      const { lines, values } = yield* lab.as(process(place))(VaultFile.take(lab.trip, { recipient: ben.publicKey }))
      assert.strictEqual(values, 4)
      const other = yield* elsewhere(place)
      for (const privateKey of [undefined, eve.privateKey]) {
        const refused = yield* Effect.flip(lab.as(process(other))(VaultFile.bring(lines, { tenant, privateKey })))
        assert.deepInclude(refused, { _tag: "VaultFileUnfit", problem: "recipient" })
      }
      assert.deepStrictEqual(yield* valuesIn(other), [])
      yield* lab.as(process(other))(VaultFile.bring(lines, { tenant, privateKey: ben.privateKey }))
      assert.deepStrictEqual(yield* valuesIn(other), all)
    })
  )

  it.effect("carries wrapped keys to a holder of the tenant's key, and nothing to the holder of another", () =>
    Effect.gen(function* () {
      const place = yield* worked
      const { lines } = yield* lab.as(process(place))(VaultFile.take(lab.trip))
      const refused = yield* Effect.flip(lab.as(process(yield* elsewhere(place)))(VaultFile.bring(lines, { tenant })))
      assert.deepInclude(refused, { _tag: "VaultFileUnfit", problem: "key" })
      const vault = yield* Vault.makeMemory
      const keys = TenantKeys.fromText("ab".repeat(32), "a copy")
      const copy = { ...place, vault, services: sealed.over(place.store, vault, keys) }
      yield* lab.as(process(copy))(VaultFile.bring(lines, { tenant }))
      assert.deepStrictEqual(yield* valuesIn(copy), all)
    })
  )

  it.effect("brings back nothing that a trace of the store calls erased (decision 0028)", () =>
    Effect.gen(function* () {
      const place = yield* worked
      const { lines } = yield* lab.as(process(place))(VaultFile.take(lab.trip))
      const brought = yield* lab.as(process(place))(
        Effect.gen(function* () {
          const plan = yield* SubjectErasure.plan({ tenant, subject: "anna" })
          yield* SubjectErasure.erase(plan, { by: "Ada", reason: "request 311", as: "user" })
          return yield* VaultFile.bring(lines, { tenant })
        })
      )
      assert.deepStrictEqual(brought, { keys: 0, values: 0, dropped: { keys: 1, values: 4 } })
      assert.deepStrictEqual(yield* place.vault.keys(tenant, {}), [])
      // A copy of the traces remembers it, too, and so does a vault whose traces could not be written to.
      const keys = TenantKeys.fromText("ab".repeat(32), "a copy")
      const vault = yield* Vault.makeMemory
      const copy = { ...place, vault, services: sealed.over(place.store, vault, keys) }
      assert.strictEqual((yield* lab.as(process(copy))(VaultFile.bring(lines, { tenant }))).dropped.keys, 1)
      assert.deepStrictEqual(yield* vault.keys(tenant, {}), [])
    })
  )

  it.effect("brings back no key that the vault has destroyed, although no trace says so", () =>
    Effect.gen(function* () {
      const place = yield* worked
      const { lines } = yield* lab.as(process(place))(VaultFile.take(lab.trip))
      const ids = (yield* place.vault.keys(tenant, {})).map(({ id }) => id)
      yield* place.vault.erase(tenant, ids)
      const brought = yield* lab.as(process(place))(VaultFile.bring(lines, { tenant }))
      assert.deepStrictEqual(brought, { keys: 0, values: 0, dropped: { keys: 1, values: 4 } })
      assert.deepStrictEqual(yield* place.vault.keys(tenant, {}), [])
    })
  )

  it.effect("takes no key under which nothing is", () =>
    Effect.gen(function* () {
      const place = yield* worked
      const { lines } = yield* lab.as(process(place))(VaultFile.take(lab.trip))
      const other = yield* elsewhere(place)
      const vault = {
        ...other,
        services: sealed.over(place.store, other.vault, TenantKeys.fromText("ab".repeat(32), ""))
      }
      const bare = lines.filter((line) => !line.includes('"sealed"'))
      yield* lab.as(process(vault))(VaultFile.bring(bare, { tenant }))
      assert.deepStrictEqual(yield* other.vault.keys(tenant, {}), [])
    })
  )

  it.effect("is refused by line if it is another format, or belongs to another tenant (L15)", () =>
    Effect.gen(function* () {
      const place = yield* worked
      const { lines } = yield* lab.as(process(place))(VaultFile.take(lab.trip))
      const refused = (given: ReadonlyArray<string>, of = tenant) =>
        Effect.map(
          Effect.flip(lab.as(process(place))(VaultFile.bring(given, { tenant: of }))),
          (error) => error.message.split(" of the file ")[0]
        )
      assert.strictEqual(yield* refused(["{}"]), "Line 1")
      assert.strictEqual(yield* refused([...lines.slice(0, 1), "no JSON"]), "Line 2")
      assert.strictEqual(yield* refused(lines, Run.make("trip", "others").tenant), "Line 1")
      assert.isUndefined(VaultFile.readKey("no key"))
      const { publicKey } = generateKeyPairSync("ed25519")
      assert.isUndefined(VaultFile.readKey(publicKey.export({ format: "pem", type: "spki" }).toString()))
    })
  )
})

describe("VaultExport", () => {
  it.effect("writes a file for one recipient, readable by its owner alone, and brings it in with their key", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "backstitch-vault-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const [vault, open, kept, odd] = ["vault", "public.pem", "private.pem", "odd.pem"].map((name) =>
        join(folder, name)
      )
      const ben = generateKeyPairSync("x25519")
      writeFileSync(open!, ben.publicKey.export({ format: "pem", type: "spki" }))
      writeFileSync(kept!, ben.privateKey.export({ format: "pem", type: "pkcs8" }))
      writeFileSync(odd!, "no key")
      const place = yield* worked
      const write = (recipient?: string) =>
        lab.as(process(place))(VaultExport.exportVault(lab.trip, { vault: vault!, recipient }))
      assert.deepInclude(yield* write(open), { values: 4 })
      assert.strictEqual(statSync(vault!).mode & 0o777, 0o600)
      assert.deepInclude(yield* Effect.flip(write(odd)), { _tag: "RecipientKeyUnfit", kind: "public" })
      const other = yield* elsewhere(place)
      const bring = (recipient?: string) =>
        lab.as(process(other))(VaultExport.importVault(tenant, { vault: vault!, recipient }))
      assert.deepInclude(yield* Effect.flip(bring(open)), { _tag: "RecipientKeyUnfit", kind: "private" })
      yield* bring(kept)
      assert.deepStrictEqual(yield* valuesIn(other), all)
    }).pipe(Effect.scoped)
  )
})
