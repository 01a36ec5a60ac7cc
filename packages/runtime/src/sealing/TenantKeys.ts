/**
 * The key of a tenant, under which the keys of its subjects are stored wrapped: from a file, from the environment, or
 * given.
 *
 * It is the only part of sealing that no store holds. Its owner can read all values that were not erased; nobody can
 * read the others. A deployment may use one key for several tenants: each tenant has keys of its own that are derived
 * from it.
 */
import { randomBytes } from "node:crypto"
import { readFile, stat, writeFile } from "node:fs/promises"
import type { Tenant } from "@backstitch/trace/Run"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** Error for a key that is not available. `place` is where it was looked for. */
export class TenantKeyError extends Schema.TaggedError<TenantKeyError>("@backstitch/runtime/TenantKeyError")(
  "TenantKeyError",
  {
    place: Schema.String,
    found: Schema.Literals(["nothing", "no_key", "exposed", "unreadable"]),
    cause: Schema.Defect()
  }
) {
  override get message(): string {
    const what = {
      nothing: "There is no key in",
      no_key: "There is no key of 32 bytes, in hex or base64, in",
      exposed: "Others than its owner can read",
      unreadable: "Nobody could read"
    }[this.found]
    const next = this.found === "exposed" ? "chmod 600 it" : "Restore it"
    return `${what} ${this.place}, and sealed values are read with the key of the tenant alone. ${next}`
  }
}

/** Service that knows the keys of tenants, of 32 bytes each. */
export class TenantKeys extends Context.Service<
  TenantKeys,
  {
    /** Answers the key of a tenant. With `first`, no value is sealed under it yet, so a key may be made. */
    readonly key: (tenant: Tenant, use?: { readonly first?: boolean }) => Effect.Effect<Uint8Array, TenantKeyError>
  }
>()("@backstitch/runtime/TenantKeys") {}

const bytes = 32

/** Reads a key from text: 64 hex digits, or base64. */
export const parse = (text: string): Uint8Array | undefined => {
  const written = text.trim()
  if (/^[0-9a-f]{64}$/i.test(written)) return Buffer.from(written, "hex")
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(written)) return undefined
  const key = Buffer.from(written, "base64url")
  return key.length === bytes ? key : undefined
}

/** Makes a random key, as text. */
export const generate: Effect.Effect<string> = Effect.sync(() => randomBytes(bytes).toString("hex"))

/**
 * Reads the key from a file that only its owner may read. With `make`, a missing key is made when a first value is to
 * be sealed. A lost key is not replaced, since a new one would open nothing.
 */
export const fromFile = (file: string, options: { readonly make?: boolean } = {}): TenantKeys["Service"] => {
  const fail = (found: TenantKeyError["found"], cause?: unknown) => new TenantKeyError({ place: file, found, cause })
  const attempt = <A>(does: () => Promise<A>) =>
    Effect.tryPromise({
      try: does,
      catch: (cause) => fail((cause as NodeJS.ErrnoException).code === "ENOENT" ? "nothing" : "unreadable", cause)
    })
  const read = Effect.gen(function* () {
    const { mode } = yield* attempt(() => stat(file))
    if (process.platform !== "win32" && (mode & 0o077) !== 0) return yield* fail("exposed")
    const key = parse(yield* attempt(() => readFile(file, "utf8")))
    return key ?? (yield* fail("no_key"))
  })
  const made = Effect.gen(function* () {
    const text = yield* generate
    // Another process may make the file at the same time. The first one counts.
    yield* Effect.ignore(attempt(() => writeFile(file, `${text}\n`, { flag: "wx", mode: 0o600 })))
    return yield* read
  })
  let known: Uint8Array | undefined
  return {
    key: (_, { first = false } = {}) =>
      Effect.suspend(() => {
        if (known !== undefined) return Effect.succeed(known)
        const found = Effect.catchIf(
          read,
          (error) => options.make === true && first && error.found === "nothing",
          () => made
        )
        return Effect.tap(found, (read) =>
          Effect.sync(() => {
            known = read
          })
        )
      })
  }
}

/** Takes a key as text, for example from an environment variable. `place` says where it comes from. */
export const fromText = (text: string, place: string): TenantKeys["Service"] => {
  const key = parse(text)
  return {
    key: () =>
      key === undefined
        ? Effect.fail(new TenantKeyError({ place, found: text.trim() === "" ? "nothing" : "no_key", cause: undefined }))
        : Effect.succeed(key)
  }
}

/** Layer that reads the key from a file of mode 0600. */
export const layerFile = (file: string, options: { readonly make?: boolean } = {}): Layer.Layer<TenantKeys> =>
  Layer.sync(TenantKeys, () => fromFile(file, options))

/** Layer that reads the key from a variable of the environment. */
export const layerEnvironment = (name: string): Layer.Layer<TenantKeys> =>
  Layer.sync(TenantKeys, () => fromText(process.env[name] ?? "", name))

/** Layer with a random key that ends with the process. */
export const layerMemory: Layer.Layer<TenantKeys> = Layer.effect(
  TenantKeys,
  Effect.map(generate, (text) => fromText(text, "memory"))
)
