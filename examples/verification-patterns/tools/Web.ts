/** Changes an address on a web site, proven by the resulting page, the receipt, and the server's record. */
import { createHash } from "node:crypto"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Browser } from "./Browser.ts"
import type { Client } from "./Client.ts"
import * as Proven from "./Proven.ts"

/** An address of an account. */
export interface Address {
  readonly account: string
  readonly city: string
  readonly zip: string
}

/** The arguments of the tool: the address, and the digest that its receipt has to have. */
export const args = (address: Address) => ({
  ...address,
  receipt: createHash("sha256").update(`${address.city},${address.zip}\n`).digest("hex")
})

/** The tool. The readback reads the page that the browser shows last, so the browser stays open until then. */
export const move = (browser: Browser, site: string, client: Client): Proven.Proven => ({
  contract: Proven.contract("browser", {
    class: "medium_risk_write",
    input: { account: "string", city: "string", zip: "string", receipt: "string" },
    identity: ["account", "city", "zip"],
    target: "'account/' + args.account",
    sendWithin: "20s",
    options: {
      wants: {
        url: "'done'",
        account: "args.account",
        hash: "args.receipt",
        values: "{ 'city': args.city, 'zip': args.zip }"
      },
      confirm: ["values", "no_banner", "confirmed"],
      within: "200ms"
    }
  }),
  code: {
    execute: async ({ account, city, zip }: Address) => {
      await browser.open(`${site}/login`)
      await browser.submit({ account }, "enter")
      await browser.submit({ city, zip }, "save")
      return { url: browser.page().url.replace(`${site}/`, "") }
    },
    readback: (_, address: Address) => look(browser, { site, client, address })
  }
})

const look = async (
  browser: Browser,
  { address, client, site }: { readonly site: string; readonly client: Client; readonly address: Address }
): Promise<JsonObject> => {
  const page = browser.page()
  const [saved, account, receipt] = [await page.text("saved"), await page.text("account"), await page.text("receipt")]
  const file = receipt === null ? null : await browser.download("receipt")
  const stored = (await client.get(`api/addresses/${address.account}`)) as JsonObject | undefined
  return {
    url: page.url.replace(`${site}/`, ""),
    element: saved !== null,
    captcha: (await page.text("captcha")) !== null,
    errors: await page.all("error"),
    banner: await page.text("banner"),
    account,
    values: { city: await page.text("city"), zip: await page.text("zip") },
    hash: file === null ? null : createHash("sha256").update(file).digest("hex"),
    confirmed: stored?.["city"] === address.city && stored["zip"] === address.zip
  }
}
