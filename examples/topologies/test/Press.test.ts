import { assert, describe, it } from "@effect/vitest"
import * as Press from "../Press.ts"

describe("Press", () => {
  it("prints once for a key, and each time without one", async () => {
    const press = await Press.start()
    try {
      const post = (key: string) => fetch(`${press.url}/${key}`, { body: '{"chapter":"x"}', method: "POST" })
      for (const key of ["k", "k", "", ""]) assert.strictEqual((await post(key)).status, 200)
      assert.strictEqual((await fetch(`${press.url}/nobody`)).status, 404)
      assert.strictEqual(press.printed.length, 3)
    } finally {
      await press.close()
    }
  })
})
