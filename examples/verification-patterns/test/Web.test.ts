/** Changes an address on a web site: by its forms on every machine, and in a real browser if there is one. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Browser from "../tools/Browser.ts"
import * as Chromium from "../tools/Chromium.ts"
import * as Client from "../tools/Client.ts"
import * as Web from "../tools/Web.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import * as lab from "./lab.ts"

let world: WorldProcess.WorldProcess
beforeAll(async () => {
  world = await WorldProcess.start()
})
afterAll(() => world.stop())

const address: Web.Address = { account: "ada", city: "Bern", zip: "3011" }
const executable = Chromium.executable()
let chromium: Awaited<ReturnType<typeof Chromium.start>> | undefined
if (executable !== undefined) {
  beforeAll(async () => {
    chromium = await Chromium.start(executable)
  })
  afterAll(() => chromium?.stop())
}

const kinds = [
  { kind: "forms", isThere: true, window: async () => Browser.plain() },
  { kind: "Chromium", isThere: executable !== undefined, window: () => chromium!.window() }
]

for (const { isThere, kind, window } of kinds) {
  const title = `a page, by ${kind}${isThere ? "" : " (skipped: there is no /usr/bin/chromium here)"}`
  /** A site, as its administrators have set it up. */
  const moves = async (name: string, settings: JsonObject = {}, more: Partial<Web.Address> = {}) => {
    const tenant = `${name}-${kind}`
    const client = Client.make(world.url, "web", tenant)
    await client.enter("settings", "main", settings)
    const browser = await window()
    try {
      const site = `${world.url}/web/${tenant}`
      return await lab.act(Web.move(browser, site, client), Web.args({ ...address, ...more }))
    } finally {
      await browser.close()
    }
  }

  const suite = isThere ? describe.concurrent : describe.skip
  suite(title, { timeout: 240_000 }, () => {
    it("is confirmed when page, receipt and server agree", async () => {
      lab.isReconciled(await moves("plain"))
    })

    it("has another layout, without the element that was waited for: element_missing", async () => {
      const trial = await moves("layout", { experiment: true })
      lab.isHeldFor(trial, "element_missing", "unknown_state")
    })

    it("asks whether one is a person: captcha", async () => {
      lab.isHeldFor(await moves("captcha", { suspicious: true }), "captcha", "no_op_failure")
    })

    it("is the one to sign in, since the session has ended: wrong_page", async () => {
      const trial = await moves("session", { endsSessions: true })
      assert.deepStrictEqual(lab.isHeldFor(trial, "wrong_page", "no_op_failure"), { url: "login" })
    })

    it("names the fault of the form: form_invalid", async () => {
      const trial = await moves("invalid", {}, { zip: "30111" })
      assert.deepStrictEqual(lab.isHeldFor(trial, "form_invalid", "no_op_failure"), {
        errors: ["The code has four digits."]
      })
    })

    it("is that of the account that was used last: wrong_account", async () => {
      const trial = await moves("account", { opensAs: "eve" })
      lab.isHeldFor(trial, "wrong_account", "wrong_target_modified")
    })

    it("offers a receipt that is not the one to expect: hash_differs", async () => {
      const trial = await moves("receipt", { template: "Thank you for your custom." })
      lab.isHeldFor(trial, "hash_differs", "value_mismatch")
    })
  })
}
