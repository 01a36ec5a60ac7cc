/** The agent of the fixtures, and a shop of a test file's own, in which it orders. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"

/** The agents of a server that has this one. */
export const agents = { errands: join(import.meta.dirname, "fixtures/agent.ts") }

/** Opens a shop for the tests of the file that calls it, and closes it behind them. */
export const shop = (): { readonly orders: () => number } => {
  const place = mkdtempSync(join(tmpdir(), "backstitch-shop-"))
  const file = join(place, "shop.txt")
  beforeAll(() => {
    process.env["SHOP"] = file
  })
  afterAll(() => {
    delete process.env["SHOP"]
    rmSync(place, { recursive: true, force: true })
  })
  return { orders: () => (existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").length : 0) }
}
