import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: [
      "packages/*/test/**/*.test.ts",
      "packages/adapters/*/test/**/*.test.ts",
      "apps/*/test/**/*.test.ts",
      "examples/*/test/**/*.test.ts",
      "examples/*/world/test/**/*.test.ts",
      "benchmarks/test/**/*.test.ts",
      "tooling/test/**/*.test.ts"
    ],
    globalSetup: ["tooling/src/postgres.ts"],
    // They end what hangs and measure nothing: a machine that is busy takes twenty times as long.
    hookTimeout: 120_000,
    testTimeout: 120_000
  }
})
