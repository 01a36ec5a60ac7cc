import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { serve } from "./served.ts"

type Answers = Partial<Record<"document" | "keys", (response: ServerResponse) => void>>

/**
 * An identity provider of this machine: its issuer, a way to sign tokens, other answers than its own, which a test may
 * set, and the places that it was asked for.
 */
const provider = Effect.gen(function* () {
  const pair = yield* Effect.promise(() => generateKeyPair("ES256", { extractable: true }))
  const jwk = { ...(yield* Effect.promise(() => exportJWK(pair.publicKey))), kid: "one", alg: "ES256" }
  let issuer = ""
  const answers: Answers = {}
  const asked: Array<keyof Answers> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) => {
        response.setHeader("content-type", "application/json")
        const place = request.url === "/keys" ? "keys" : "document"
        asked.push(place)
        const own = place === "keys" ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` }
        const answer = answers[place] ?? ((response) => response.end(JSON.stringify(own)))
        answer(response)
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
      /** The name of the key; none for `null`. */
      readonly kid?: null
    } = {}
  ) =>
    Effect.promise(() =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: "ES256", ...(more.kid === null ? {} : { kid: "one" }) })
        .setIssuer(String(claims["iss"] ?? issuer))
        .setAudience(more.audience ?? "backstitch")
        .setIssuedAt()
        .setExpirationTime(more.exp ?? "5m")
        .sign(more.key ?? pair.privateKey)
    )
  return { answers, asked, issuer, jwk, sign }
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
      const part = (header: object) => Buffer.from(JSON.stringify(header)).toString("base64url")
      const none = part({ alg: "none" })
      const [, claims = ""] = (yield* sign(ada)).split(".")
      const refused = {
        "another key": yield* sign(ada, { key: privateKey }),
        "another audience": yield* sign(ada, { audience: "another" }),
        "another issuer": yield* sign({ ...ada, iss: "http://127.0.0.1:1" }),
        "a time that is over": yield* sign(ada, { exp: 1_000_000_000 }),
        "no claim of ours": yield* sign({ sub: "u-17" }),
        "a role that there is not": yield* sign({ ...ada, backstitch: { tenant: "acme", role: "root" } }),
        "a changed content": `${head}.${raised.toString("base64url")}.${signature}`,
        "no signature": `${none}.${raised.toString("base64url")}.`,
        "a key that is not published": `${part({ alg: "ES256", kid: "two" })}.${claims}.${signature}`,
        "a header that nobody here reads": `${part({ alg: "ES256", kid: "one", crit: ["x"], x: 1 })}.${claims}.AA`,
        "a signature that is no text of one": `${head}.${claims}.*`,
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

  it.live("takes no outage of the keys for a bad token, and recognises its holder once it is over", () =>
    Effect.gen(function* () {
      const { answers, issuer, sign } = yield* provider
      // It is down as the server starts, too.
      answers.document = (response) => response.writeHead(503).end("busy")
      const { ask } = yield* serve(undefined, {}, 1000, { issuer, audience: "backstitch" })
      const key = yield* sign(ada)
      const status = Effect.promise(async () => (await ask("/v1/caller", { key })).status)
      const outages: Record<string, NonNullable<Answers["keys"]>> = {
        "an error": (response) => response.writeHead(503).end("busy"),
        "a page": (response) => response.end("<html>Maintenance</html>"),
        "no set of keys": (response) => response.end('{"error":"busy"}'),
        "a move": (response) => response.writeHead(302, { location: "/login" }).end(),
        "a connection that is cut": (response) => response.destroy()
      }
      for (const place of ["document", "keys"] as const) {
        for (const [what, outage] of Object.entries(outages)) {
          answers[place] = outage
          assert.strictEqual(yield* status, 503, `${what} in place of the ${place}`)
        }
        delete answers[place]
      }
      assert.strictEqual(yield* status, 200)
    })
  )

  it.live("reads the document and the keys once for callers that come at once", () =>
    Effect.gen(function* () {
      const { asked, issuer, sign } = yield* provider
      const { ask } = yield* serve(undefined, {}, 1000, { issuer, audience: "backstitch" })
      const key = yield* sign(ada)
      const all = Effect.promise(() => Promise.all([1, 2, 3].map(() => ask("/v1/caller", { key }))))
      assert.deepStrictEqual(
        (yield* all).map(({ status }) => status),
        [200, 200, 200]
      )
      assert.deepStrictEqual(asked, ["document", "keys"])
    })
  )

  it.live("does not begin to serve where the document is that of another issuer, and names both", () =>
    Effect.gen(function* () {
      const { issuer } = yield* provider
      const settings = { issuer: `${issuer}/`, audience: "backstitch" }
      const refused = yield* Effect.flip(serve(undefined, {}, 1000, settings))
      assert.strictEqual(refused._tag, "IssuerDiffers")
      assert.include(refused.message, `OIDC_ISSUER is ${issuer}/, and the document there names the issuer ${issuer},`)
    })
  )

  it.live("takes another issuer for a wrong setting where the document could not be read before", () =>
    Effect.gen(function* () {
      const { answers, issuer, sign } = yield* provider
      answers.document = (response) => response.writeHead(503).end("busy")
      const { ask } = yield* serve(undefined, {}, 1000, { issuer: `${issuer}/`, audience: "backstitch" })
      const key = yield* sign(ada)
      const told = Effect.promise(async () => {
        const response = await ask("/v1/caller", { key })
        return { status: response.status, text: await response.text() }
      })
      assert.strictEqual((yield* told).status, 503)
      delete answers.document
      const { status, text } = yield* told
      assert.strictEqual(status, 500)
      assert.include(text, "The operator has to set it exactly as the document names it")
      assert.notInclude(text, "Repeat")
    })
  )

  it.live("recognises a token that does not name its key by any key of the provider that fits", () =>
    Effect.gen(function* () {
      const { answers, issuer, jwk, sign } = yield* provider
      const [other, stranger] = yield* Effect.promise(() =>
        Promise.all([1, 2].map(() => generateKeyPair("ES256", { extractable: true })))
      )
      const second = { ...(yield* Effect.promise(() => exportJWK(other!.publicKey))), kid: "two", alg: "ES256" }
      answers.keys = (response) => response.end(JSON.stringify({ keys: [second, jwk] }))
      const { ask } = yield* serve(undefined, {}, 1000, { issuer, audience: "backstitch" })
      const status = (key: string) => Effect.promise(async () => (await ask("/v1/caller", { key })).status)
      for (const key of [undefined, other!.privateKey]) {
        const given = key === undefined ? {} : { key }
        assert.strictEqual(yield* status(yield* sign(ada, { ...given, kid: null })), 200)
      }
      assert.strictEqual(yield* status(yield* sign(ada, { key: stranger!.privateKey, kid: null })), 401)
      assert.strictEqual(yield* status(yield* sign(ada, { exp: 1_000_000_000, kid: null })), 401)
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
