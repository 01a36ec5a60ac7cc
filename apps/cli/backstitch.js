#!/usr/bin/env node
/**
 * Starts the program from its sources, which need a Node that reads TypeScript. An older one is told where there is
 * one; the published program is compiled, and starts by itself.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `backstitch: this is Node ${process.versions.node}, and its sources need Node 22.19 or later.\n` +
      "The workspace brings its own: npx -y pnpm@12 backstitch --help\n"
  )
  process.exit(2)
}
await import("./src/main.ts")
