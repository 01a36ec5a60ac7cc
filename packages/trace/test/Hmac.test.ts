import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Hmac from "../src/bytes/Hmac.ts"

describe("Hmac", () => {
  it.prop(
    "signs as RFC 2104 says, under short secrets and long ones",
    [Schema.String, Schema.String],
    ([secret, text]) => {
      for (const key of [secret.toWellFormed(), secret.toWellFormed().repeat(40)]) {
        const given = text.toWellFormed()
        const expected = createHmac("sha256", key).update(given).digest("hex")
        assert.strictEqual(Hmac.sign(key, given), expected)
        assert.strictEqual(Hmac.sign(key, Buffer.from(given)), expected)
      }
    }
  )

  it.prop("recognises its own signature and no other", [Schema.String, Schema.String], ([secret, text]) => {
    const [key, given] = [secret.toWellFormed(), text.toWellFormed()]
    const signature = Hmac.sign(key, given)
    assert.isTrue(Hmac.isSame(Hmac.sign(key, given), signature))
    for (const wrong of [
      `${signature}0`,
      signature.slice(1),
      "",
      signature.toUpperCase() + signature,
      `0${signature.slice(2)}`
    ]) {
      assert.isFalse(Hmac.isSame(signature, wrong))
    }
    assert.isFalse(Hmac.isSame(Hmac.sign(key, `${given} `), signature))
  })
})
