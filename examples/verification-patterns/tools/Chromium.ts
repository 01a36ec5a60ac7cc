/** A real browser, if the machine has one. */
import * as Fs from "node:fs"
import { chromium } from "playwright-core"
import type { Browser } from "./Browser.ts"

/** Finds the program file of Chromium; `undefined` if there is none. */
export const executable = (): string | undefined =>
  [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
    (path) => path !== undefined && Fs.existsSync(path)
  )

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run"
]

/** Starts Chromium. Each call of the returned function opens a window with cookies of its own. */
export const start = async (
  executablePath: string
): Promise<{ readonly window: () => Promise<Browser>; readonly stop: () => Promise<void> }> => {
  const browser = await chromium.launch({ executablePath, args: flags })
  const window = async (): Promise<Browser> => {
    const context = await browser.newContext()
    const page = await context.newPage()
    return {
      open: async (url) => {
        await page.goto(url)
      },
      submit: async (fields, button) => {
        for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value)
        await Promise.all([page.waitForNavigation(), page.click(`#${button}`)])
      },
      page: () => ({
        url: page.url(),
        text: async (id) => {
          const found = await page.$(`#${id}`)
          return found === null ? null : found.textContent()
        },
        all: (name) => page.$$eval(`.${name}`, (elements) => elements.map((each) => each.textContent ?? ""))
      }),
      download: async (path) => {
        const response = await context.request.get(new URL(path, page.url()).href)
        return new Uint8Array(await response.body())
      },
      close: () => context.close()
    }
  }
  return { window, stop: () => browser.close() }
}
