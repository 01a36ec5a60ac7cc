/** Stores for tests: in a folder that is removed, on a server, and in memory. */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder, and how it is removed. */
export const folder = (): { readonly path: string; readonly [Symbol.dispose]: () => void } => {
  const path = mkdtempSync(join(tmpdir(), "backstitch-langgraph-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** A tenant that nobody else is. */
export const tenant = (): string => `test-${randomBytes(6).toString("hex")}`

/** The kinds of stores, and the address of each. */
export const stores: Readonly<Record<string, (folder: string) => string>> = {
  memory: () => "memory:",
  SQLite: (folder) => join(folder, "trace.db"),
  Postgres: () => process.env["BACKSTITCH_TEST_POSTGRES"] ?? ""
}
