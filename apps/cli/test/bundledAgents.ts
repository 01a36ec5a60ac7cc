/**
 * The agents of the examples that are started to be killed, bundled once for the tests of one run.
 *
 * A bundle starts in a fifth of the time, and a crash matrix starts hundreds.
 * They are bundled here because the bundler is here.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build, type Plugin } from "rolldown"
import type { TestProject } from "vitest/node"
import { mentions } from "../../../tooling/src/postgres.ts"

const examples = join(import.meta.dirname, "../../../examples")

/** Modules find what lies beside them as if they had stayed there. */
const addresses: Plugin = {
  name: "addresses",
  transform: (code, id) =>
    code.includes("import.meta.url")
      ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
      : undefined
}

/** Bundles when a test of this run starts one of them, and answers how to remove the bundle. */
export const setup = async (project: TestProject): Promise<(() => void) | undefined> => {
  if (!(await mentions(project, "Crew.ts")) && !(await mentions(project, "agentProcess.ts"))) return undefined
  const dir = join(import.meta.dirname, `../node_modules/.cache/agents-${process.pid}`)
  await build({
    input: {
      "travel-booking": join(examples, "travel-booking/crash/agentProcess.ts"),
      "local-transactions": join(examples, "local-transactions/agentProcess.ts")
    },
    platform: "node",
    external: [/^node:/, "pg", "pg-native"],
    plugins: [addresses],
    output: { dir, format: "esm", entryFileNames: "[name].js" },
    logLevel: "warn"
  })
  // Otherwise Node looks for the format of each file in its text.
  writeFileSync(join(dir, "package.json"), '{"type":"module"}')
  process.env["BACKSTITCH_TEST_AGENTS"] = dir
  return () => rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
}
