import { createHmac, createPrivateKey, createPublicKey, type Hmac, sign } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as WebhookForm from "../src/webhook/WebhookForm.ts"
import * as WebhookSignature from "../src/webhook/WebhookSignature.ts"

const now = 1_614_265_330

type Body = string | Buffer

const hex = (secret: Body, ...parts: ReadonlyArray<Body>) =>
  parts.reduce((hmac: Hmac, part) => hmac.update(part), createHmac("sha256", secret)).digest("hex")

/** A secret of a form, and the headers in which its provider signs a body at a time. */
interface Provider {
  readonly secret: string
  readonly signs: (body: Body, at: number, secret?: string) => Readonly<Record<string, string>>
}

const id = "msg_p5jXN8AQM9LWM0D4loKWxJek"

const asymmetric = createPrivateKey({
  key: Buffer.concat([
    Buffer.from("302e020100300506032b657004220420", "hex"),
    Buffer.from("VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=", "base64")
  ]),
  format: "der",
  type: "pkcs8"
})
const openKey = `whpk_${Buffer.from(createPublicKey(asymmetric).export({ format: "jwk" }).x ?? "", "base64url").toString("base64")}`

const providers: Readonly<Record<WebhookForm.WebhookForm, Provider>> = {
  hmac: {
    secret: "a secret of the shop",
    signs: (body, _, secret = "a secret of the shop") => ({ "x-signature": hex(secret, body) })
  },
  github: {
    secret: "It's a Secret to Everybody",
    signs: (body, _, secret = "It's a Secret to Everybody") => ({
      "x-hub-signature-256": `sha256=${hex(secret, body)}`
    })
  },
  stripe: {
    secret: "whsec_test_secret",
    signs: (body, at, secret = "whsec_test_secret") => ({
      "stripe-signature": `t=${at},v1=${hex(secret, `${at}.`, body)},v0=${"0".repeat(64)}`
    })
  },
  standard_webhooks: {
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    signs: (body, at, secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") => {
      const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
      const signature = Buffer.from(hex(key, `${id}.${at}.`, body), "hex").toString("base64")
      return { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": `v1,${signature}` }
    }
  }
}

const checks = (
  form: WebhookForm.WebhookForm,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
  secrets: ReadonlyArray<string> = [providers[form].secret]
) => WebhookSignature.check(form, { headers: new Map(Object.entries(headers)), body: Buffer.from(body) }, secrets)

const body = '{"test": 2432232314}'

describe("WebhookSignature", () => {
  it("accepts the vector that Standard Webhooks publishes", () => {
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(now),
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    }
    assert.deepStrictEqual(checks("standard_webhooks", headers, body), { id, sentAt: now * 1000 })
  })

  it("accepts the vector that Standard Webhooks publishes of v1a, and one of our own by the same key", () => {
    const vector = "tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag=="
    const own = sign(null, Buffer.from(`${id}.${now}.${body}`), asymmetric).toString("base64")
    for (const signature of [`v1a,${vector}`, `v1,AAAA v1a,${own}`]) {
      const headers = { "webhook-id": id, "webhook-timestamp": String(now), "webhook-signature": signature }
      assert.deepStrictEqual(checks("standard_webhooks", headers, body, [openKey]), { id, sentAt: now * 1000 })
      assert.isUndefined(checks("standard_webhooks", headers, `${body} `, [openKey]))
      assert.isUndefined(checks("standard_webhooks", headers, body), "a shared secret checks no v1a")
    }
  })

  it("accepts the vector that GitHub publishes, and nothing under SHA-1", () => {
    const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert.deepStrictEqual(checks("github", { "x-hub-signature-256": signature }, "Hello, World!"), {})
    const old = createHmac("sha1", providers.github.secret).update("Hello, World!").digest("hex")
    assert.isUndefined(checks("github", { "x-hub-signature": `sha1=${old}` }, "Hello, World!"))
    assert.isUndefined(checks("github", { "x-hub-signature-256": `sha1=${old}` }, "Hello, World!"))
  })

  it("accepts any v1 of Stripe's, and no v0, no second time, and no time that another signed", () => {
    const right = hex("whsec_test_secret", `${now}.${body}`)
    const accepted = (header: string) => checks("stripe", { "stripe-signature": header }, body) !== undefined
    assert.isTrue(accepted(`t=${now},v1=${"0".repeat(64)},v1=${right}`))
    assert.isTrue(accepted(`v1=${right},t=${now}`))
    for (const header of [
      `t=${now},v0=${right}`,
      `t=${now}`,
      `v1=${right}`,
      `t=${now + 1},v1=${right}`,
      `t=${now},t=${now},v1=${right}`,
      `t=${now}.0,v1=${right}`,
      `t=,v1=${hex("whsec_test_secret", `.${body}`)}`,
      ""
    ]) {
      assert.isFalse(accepted(header), header)
    }
  })

  it("knows no secret that is empty, nor one that is no key of its form", () => {
    for (const form of WebhookForm.names) {
      assert.isTrue(WebhookSignature.isSecret(form, providers[form].secret))
      assert.isFalse(WebhookSignature.isSecret(form, ""))
      assert.isUndefined(
        checks(form, providers[form].signs(body, now, ""), body, [""]),
        "nothing is signed by no secret"
      )
      assert.isUndefined(checks(form, providers[form].signs(body, now), body, []))
    }
    for (const wrong of ["whsec_", "whsec_?", "whpk_AAAA"]) {
      assert.isFalse(WebhookSignature.isSecret("standard_webhooks", wrong), wrong)
    }
  })

  it("names the one header that can be typed, and none if it takes several", () => {
    assert.deepStrictEqual(
      WebhookForm.names.map((form) => WebhookForm.headerOf(form)),
      ["x-signature", "x-hub-signature-256", undefined, "stripe-signature"]
    )
    assert.strictEqual(WebhookForm.headerOf("hmac", "Shop-Signed"), "shop-signed")
  })

  const Text = Schema.String.check(Schema.isMaxLength(40))
  const Form = Schema.Literals(WebhookForm.names)
  const At = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99_999_999_999 }))

  it.prop(
    "accepts a body that a provider signed, whatever it contains, and names the time of sending",
    [Form, Text, At],
    ([form, text, at]) => {
      const given = text.toWellFormed()
      const found = checks(form, providers[form].signs(given, at), given)
      assert.isDefined(found)
      assert.strictEqual(found?.sentAt, form === "hmac" || form === "github" ? undefined : at * 1000)
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "accepts the bytes that a provider signed if they are no text at all",
    [Form, Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))],
    ([form, numbers]) => {
      const given = Buffer.from([...numbers, 0xff])
      assert.isDefined(checks(form, providers[form].signs(given, now), given))
      assert.isUndefined(checks(form, providers[form].signs(given, now), given.toString()))
    },
    { arbitrary: { runs: 100 } }
  )

  it.prop(
    "refuses a body of which any byte was changed, lost or added",
    [
      Form,
      Text.check(Schema.isMinLength(1)),
      Schema.Natural,
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 127 }))
    ],
    ([form, text, place, change]) => {
      const given = Buffer.from(text.toWellFormed())
      const at = place % given.length
      const changed = Buffer.from(given)
      changed[at] = (changed[at] ?? 0) ^ change
      const headers = providers[form].signs(given.toString(), now)
      for (const other of [changed, given.subarray(0, -1), Buffer.concat([given, Buffer.from([change])])]) {
        assert.isUndefined(checks(form, headers, other))
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it("refuses another spelling of the same signature in base64", () => {
    const signed = providers.standard_webhooks.signs(body, now)
    assert.isDefined(checks("standard_webhooks", signed, body))
    const [name, value] = Object.entries(signed).find(([, each]) => each.startsWith("v1,"))!
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    const [, start = "", last = ""] = /^(.*)(.)=$/.exec(value)!
    const other = `${start}${digits[digits.indexOf(last) ^ 1]}=`
    assert.deepStrictEqual(Buffer.from(other.slice(3), "base64"), Buffer.from(value.slice(3), "base64"))
    assert.isUndefined(checks("standard_webhooks", { ...signed, [name]: other }, body))
  })

  it.prop(
    "refuses headers with any changed byte: in the signature, the time or the name",
    [Form, Schema.Natural, Schema.Natural, Schema.Int.check(Schema.isBetween({ minimum: 33, maximum: 126 }))],
    ([form, which, place, code]) => {
      const headers = Object.entries(providers[form].signs(body, now))
      const [name, value] = headers[which % headers.length]!
      // The trailing `v0` of Stripe counts for nothing; hexadecimal digits of `hmac` have two cases.
      const read = value.replace(/,v0=.*$/, "")
      const at = place % read.length
      const changed = read.slice(0, at) + String.fromCharCode(code) + read.slice(at + 1)
      if (changed.toLowerCase() === read.toLowerCase()) return
      assert.isUndefined(checks(form, { ...Object.fromEntries(headers), [name]: changed }, body), `${name}: ${changed}`)
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "accepts either of two secrets while one replaces the other, and neither after both are gone",
    [Form, Text, Schema.Boolean],
    ([form, text, isFirst]) => {
      const given = text.toWellFormed()
      const other = form === "standard_webhooks" ? "whsec_c2VjcmV0IG9mIG5vYm9keQ==" : "the next secret"
      const headers = providers[form].signs(given, now, isFirst ? providers[form].secret : other)
      assert.isDefined(checks(form, headers, given, [providers[form].secret, other]))
      assert.isUndefined(checks(form, headers, given, [isFirst ? other : providers[form].secret]))
    },
    { arbitrary: { runs: 300 } }
  )
})
