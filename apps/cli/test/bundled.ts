/**
 * The program, bundled once for the tests of one run. Each run has a bundle of its own, which is removed at its end.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "rolldown"
import type { TestProject } from "vitest/node"
import { mentions } from "../../../tooling/src/postgres.ts"
import { bundle, settings } from "../build.ts"
import { variable } from "./shell.ts"

/** Bundles when a test of this run starts the program, and answers how to remove it. */
export const setup = async (project: TestProject): Promise<(() => void) | undefined> => {
  if (!(await mentions(project, "/shell.ts"))) return undefined
  const folder = join(import.meta.dirname, `../node_modules/.cache/cli-${process.pid}`)
  await bundle(folder)
  await bundleResident(join(folder, "resident"))
  // As in the published package: otherwise Node looks for the format of each file in its text.
  writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  process.env[variable] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** Bundles for `resident.ts`, which loads the modules of the program again for each command, and packages once. */
const bundleResident = (dir: string) =>
  build({
    ...settings,
    input: { main: "src/Cli.ts" },
    output: {
      dir,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name].js",
      codeSplitting: { groups: [{ name: "packages", test: /[\\/](node_modules|packages)[\\/]/ }] }
    },
    logLevel: "silent"
  })
