/**
 * Recognises callers by tokens of an identity provider that the operator trusts (OpenID Connect).
 *
 * A token is checked here: its signature by the published keys of the provider, its issuer, its audience and its time.
 * The claim `backstitch` says for which tenant its holder acts, in which role, and in which roles of packs they may
 * decide. The name of a decision is the e-mail address if the provider has verified it, and otherwise the subject.
 *
 * @source OpenID Connect Core, section 2; RFC 9068
 */
import type * as Access from "@backstitch/api/Access"
import * as KeyRole from "@backstitch/trace/KeyRole"
import * as Run from "@backstitch/trace/Run"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose"
import * as Limits from "../Limits.ts"

/** A provider: its issuer, and the audience that its tokens have to be for. */
export interface ProviderSettings {
  readonly issuer: string
  readonly audience: string
}

/** Error for a provider whose keys cannot be read at present. */
export class IdentityUnavailable extends Schema.TaggedError<IdentityUnavailable>(
  "@backstitch/server/IdentityUnavailable"
)("IdentityUnavailable", { issuer: Schema.String }) {
  override get message(): string {
    return `The keys of ${this.issuer} cannot be read now, so no token of it is recognised. Repeat, or use a key`
  }
}

/** Service that recognises the holder of a token; `undefined` for any text that is no token in force. */
export class IdentityProvider extends Context.Service<
  IdentityProvider,
  { readonly recognise: (token: string) => Effect.Effect<Access.CallerFacts | undefined, IdentityUnavailable> }
>()("@backstitch/server/IdentityProvider") {}

/** The claims of a token about its holder. */
const Claims = Schema.Struct({
  sub: Schema.NonEmptyString,
  email: Schema.optional(Schema.NonEmptyString),
  email_verified: Schema.optional(Schema.Boolean),
  backstitch: Schema.Struct({
    tenant: Run.Tenant,
    role: KeyRole.KeyRole,
    capacities: Schema.optional(Schema.Array(Schema.NonEmptyString))
  })
})

/** Signatures with a key pair: a shared secret would let every reader make tokens. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]

/** Layer of a provider, or of none. */
export const layer = (given: ProviderSettings | undefined): Layer.Layer<IdentityProvider> =>
  Layer.sync(IdentityProvider, () => {
    if (given === undefined) return IdentityProvider.of({ recognise: () => Effect.succeed(undefined) })
    const { audience, issuer } = given
    let keys: JWTVerifyGetKey | undefined
    const verified = async (token: string): Promise<JWTPayload | undefined> => {
      keys ??= await published(issuer)
      const options = { algorithms, audience, clockTolerance: 5, issuer, requiredClaims: ["exp", "sub"] }
      try {
        return (await jwtVerify(token, keys, options)).payload
      } catch (cause) {
        // Only of a provider that does not answer nothing is known.
        if (!(cause instanceof errors.JOSEError) || cause instanceof errors.JWKSTimeout) throw cause
        return undefined
      }
    }
    return IdentityProvider.of({
      recognise: (token) =>
        Effect.map(
          Effect.tryPromise({ try: () => verified(token), catch: () => new IdentityUnavailable({ issuer }) }),
          (payload) => (payload === undefined ? undefined : holderOf(payload, issuer))
        )
    })
  })

/** The keys that a provider publishes at the place that its own document names. */
const published = async (issuer: string): Promise<JWTVerifyGetKey> => {
  const signal = AbortSignal.timeout(Limits.pacing.identityMillisMax)
  const response = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, { signal })
  const document = Schema.decodeUnknownSync(Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String }))(
    await response.json()
  )
  if (document.issuer !== issuer) throw new Error("the document is that of another issuer")
  return createRemoteJWKSet(new URL(document.jwks_uri), { timeoutDuration: Limits.pacing.identityMillisMax })
}

const holderOf = (payload: JWTPayload, issuer: string): Access.CallerFacts | undefined => {
  if (!Schema.is(Claims)(payload)) return undefined
  const { backstitch, email, email_verified, sub } = payload
  const { capacities = [], role, tenant } = backstitch
  const name = email !== undefined && email_verified === true ? email : sub
  return { tenant, role, capacities, name, key: `${issuer}#${sub}` }
}
