import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { serve } from "./served.ts"

/** An identity provider of this machine: its issuer, and a way to sign tokens. */
const provider = Effect.gen(function* () {
  const pair = yield* Effect.promise(() => generateKeyPair("ES256", { extractable: true }))
  const jwk = { ...(yield* Effect.promise(() => exportJWK(pair.publicKey))), kid: "one", alg: "ES256" }
  let issuer = ""
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) => {
        response.setHeader("content-type", "application/json")
        const isKeys = request.url === "/keys"
        response.end(JSON.stringify(isKeys ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` }))
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.closeAllConnections()
        made.close()
      })
  )
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sign = (
    claims: Record<string, unknown>,
    more: {
      readonly key?: Awaited<ReturnType<typeof generateKeyPair>>["privateKey"]
      readonly audience?: string
      readonly exp?: number
    } = {}
  ) =>
    Effect.promise(() =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: "ES256", kid: "one" })
        .setIssuer(String(claims["iss"] ?? issuer))
        .setAudience(more.audience ?? "backstitch")
        .setIssuedAt()
        .setExpirationTime(more.exp ?? "5m")
        .sign(more.key ?? pair.privateKey)
    )
  return { issuer, sign }
})

const ada = {
  sub: "u-17",
  email: "ada@acme.test",
  email_verified: true,
  backstitch: { tenant: "acme", role: "approver", capacities: ["manager"] }
}

describe("IdentityProvider", () => {
  it.live("recognises the holder of a token for this server, in the tenant and the role that the token names", () =>
    Effect.gen(function* () {
      const { issuer, sign } = yield* provider
      const { ask } = yield* serve(undefined, {}, 1000, { issuer, audience: "backstitch" })
      const caller = (key: string) =>
        Effect.promise(async () => (await ask("/v1/caller", { key })).json() as Promise<Record<string, unknown>>)
      assert.deepStrictEqual(yield* caller(yield* sign(ada)), {
        tenant: "acme",
        name: "ada@acme.test",
        role: "approver",
        capacities: ["manager"]
      })
      assert.deepInclude(yield* caller(yield* sign({ ...ada, email_verified: false })), { name: "u-17" })
      const { privateKey } = yield* Effect.promise(() => generateKeyPair("ES256"))
      const [head = "", , signature = ""] = (yield* sign(ada)).split(".")
      const raised = Buffer.from(JSON.stringify({ ...ada, iss: issuer, aud: "backstitch", exp: 9_999_999_999 }))
      const none = Buffer.from('{"alg":"none"}').toString("base64url")
      const refused = {
        "another key": yield* sign(ada, { key: privateKey }),
        "another audience": yield* sign(ada, { audience: "another" }),
        "another issuer": yield* sign({ ...ada, iss: "http://127.0.0.1:1" }),
        "a time that is over": yield* sign(ada, { exp: 1_000_000_000 }),
        "no claim of ours": yield* sign({ sub: "u-17" }),
        "a role that there is not": yield* sign({ ...ada, backstitch: { tenant: "acme", role: "root" } }),
        "a changed content": `${head}.${raised.toString("base64url")}.${signature}`,
        "no signature": `${none}.${raised.toString("base64url")}.`,
        "no token": "nonsense"
      }
      for (const [what, token] of Object.entries(refused)) {
        assert.strictEqual((yield* caller(token))["tag"], "CallerUnknown", what)
      }
    })
  )

  it.live("has the holder of a renewed token answered as with the one before, and nobody else", () =>
    Effect.gen(function* () {
      const { issuer, sign } = yield* provider
      const { ask } = yield* serve(undefined, {}, 1000, { issuer, audience: "backstitch" })
      const admin = { ...ada, backstitch: { tenant: "acme", role: "admin" } }
      const make = (key: string) =>
        Effect.promise(async () => {
          const json = { name: "Ben", role: "viewer" }
          const response = await ask("/v1/keys", { key, json, headers: { "idempotency-key": "for Ben" } })
          return { status: response.status, text: await response.text() }
        })
      const first = yield* make(yield* sign(admin))
      assert.strictEqual(first.status, 201)
      assert.include(first.text, "bsk_")
      assert.deepStrictEqual(yield* make(yield* sign(admin, { exp: 9_999_999_999 })), first)
      for (const other of [
        { ...admin, sub: "u-18" },
        { ...admin, backstitch: { tenant: "acme", role: "approver" } }
      ]) {
        const refused = yield* make(yield* sign(other))
        assert.include([403, 409, 422], refused.status)
        assert.notInclude(refused.text, "bsk_")
      }
    })
  )

  it.live("says that the provider does not answer, and recognises keys meanwhile", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve(undefined, {}, 1000, { issuer: "http://127.0.0.1:1", audience: "backstitch" })
      const silent = yield* Effect.promise(() => ask("/v1/caller", { key: "a.b.c" }))
      assert.strictEqual(silent.status, 503)
      const viewer = yield* key("default", "viewer")
      assert.strictEqual((yield* Effect.promise(() => ask("/v1/caller", { key: viewer }))).status, 200)
    })
  )
})
