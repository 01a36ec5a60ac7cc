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
import * as Branded from "@backstitch/trace/Branded"
import * as KeyRole from "@backstitch/trace/KeyRole"
import * as Run from "@backstitch/trace/Run"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import {
  type CryptoKey,
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify
} from "jose"
import * as Limits from "../Limits.ts"

/** A provider: its issuer, and the audience that its tokens have to be for. */
export interface ProviderSettings {
  readonly issuer: string
  readonly audience: string
}

/** Error for a provider whose keys cannot be read now. */
export class IdentityUnavailable extends Schema.TaggedError<IdentityUnavailable>(
  "@backstitch/server/IdentityUnavailable"
)("IdentityUnavailable", { issuer: Schema.String }) {
  override get message(): string {
    return `The keys of ${this.issuer} cannot be read now, so no token of it is recognised. Repeat, or use a key`
  }
}

/** Error for a setting: the document at its address names another issuer. */
export class IssuerDiffers extends Schema.TaggedError<IssuerDiffers>("@backstitch/server/IssuerDiffers")(
  "IssuerDiffers",
  { issuer: Schema.String, named: Schema.String }
) {
  override get message(): string {
    return (
      `OIDC_ISSUER is ${this.issuer}, and the document there names the issuer ${this.named}, so no token is ` +
      "recognised. The operator has to set it exactly as the document names it. Use a key until then"
    )
  }
}

/** Service that recognises the holder of a token; `undefined` for any text that is no token in force. */
export class IdentityProvider extends Context.Service<
  IdentityProvider,
  {
    readonly recognise: (
      token: string
    ) => Effect.Effect<Access.CallerFacts | undefined, IdentityUnavailable | IssuerDiffers>
  }
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

/** Errors about the token itself. Any other error is about the keys, and of the token nothing is known then. */
const refusals = [
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWTClaimValidationFailed,
  errors.JWTExpired,
  errors.JWTInvalid
]

/** Layer of a provider, or of none. One that is silent at the start is asked again when a token comes. */
export const layer = (given: ProviderSettings | undefined): Layer.Layer<IdentityProvider, IssuerDiffers> =>
  Layer.effect(IdentityProvider, given === undefined ? Effect.succeed(none) : over(given))

const none = IdentityProvider.of({ recognise: () => Effect.succeed(undefined) })

const over = Effect.fnUntraced(function* ({ audience, issuer }: ProviderSettings) {
  let reading: Promise<JWTVerifyGetKey> | undefined
  // Callers that come at once share one reading, and the next caller reads again if it has failed.
  const published = (): Promise<JWTVerifyGetKey> => {
    reading ??= keysOf(issuer).catch((cause: unknown) => {
      reading = undefined
      throw cause
    })
    return reading
  }
  const clockTolerance = Limits.refusing.identityClockSecondsMax
  const options = { algorithms, audience, clockTolerance, issuer, requiredClaims: ["exp", "sub"] }
  const verified = async (token: string): Promise<JWTPayload | undefined> => {
    const keys = await published()
    try {
      return (await jwtVerify(token, keys, options)).payload
    } catch (cause) {
      if (cause instanceof errors.JWKSMultipleMatchingKeys) return verifiedByOne(token, cause, options)
      return refused(cause)
    }
  }
  const failed = (cause: unknown) =>
    Branded.isError(cause, IssuerDiffers) ? cause : new IdentityUnavailable({ issuer })
  yield* Effect.tryPromise({ try: published, catch: failed }).pipe(
    Effect.catchTag("IdentityUnavailable", () => Effect.void)
  )
  return IdentityProvider.of({
    recognise: (token) =>
      Effect.map(Effect.tryPromise({ try: () => verified(token), catch: failed }), (payload) =>
        payload === undefined ? undefined : holderOf(payload, issuer)
      )
  })
})

/** Verifies a token without the name of its key (`kid`) by each key that fits it. */
const verifiedByOne = async (
  token: string,
  fitting: AsyncIterable<CryptoKey>,
  options: JWTVerifyOptions
): Promise<JWTPayload | undefined> => {
  for await (const key of fitting) {
    try {
      return (await jwtVerify(token, key, options)).payload
    } catch (cause) {
      if (!(cause instanceof errors.JWSSignatureVerificationFailed)) return refused(cause)
    }
  }
  return undefined
}

/** Answers `undefined` for an error about the token, and throws any other. */
const refused = (cause: unknown): undefined => {
  if (!refusals.some((refusal) => cause instanceof refusal)) throw cause
}

/** Finds the keys that a provider publishes at the place that its own document names. */
const keysOf = async (issuer: string): Promise<JWTVerifyGetKey> => {
  const signal = AbortSignal.timeout(Limits.pacing.identityMillisMax)
  const response = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, { signal })
  const document = Schema.decodeUnknownSync(Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String }))(
    await response.json()
  )
  if (document.issuer !== issuer) throw new IssuerDiffers({ issuer, named: document.issuer })
  return createRemoteJWKSet(new URL(document.jwks_uri), { timeoutDuration: Limits.pacing.identityMillisMax })
}

const holderOf = (payload: JWTPayload, issuer: string): Access.CallerFacts | undefined => {
  if (!Schema.is(Claims)(payload)) return undefined
  const { backstitch, email, email_verified, sub } = payload
  const { capacities = [], role, tenant } = backstitch
  const name = email !== undefined && email_verified === true ? email : sub
  return { tenant, role, capacities, name, key: `${issuer}#${sub}` }
}
