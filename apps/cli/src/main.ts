#!/usr/bin/env node
/** The program `backstitch`. It keeps compiled code between starts and hands over to {@link Cli}. */
import * as Module from "node:module"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`backstitch: Node ${process.versions.node} is too old. Install Node 22.19 or later\n`)
  process.exit(2)
}
Module.enableCompileCache()
const { main } = await import("./Cli.ts")
await main(process.argv.slice(2))
// The process ends although a tool or a role that is not waited for any more keeps it alive.
const { pacing } = await import("./Limits.ts")
setTimeout(() => process.stdout.write("", () => process.exit()), pacing.lingerMillis).unref()
