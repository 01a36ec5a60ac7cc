import { defineConfig } from "vitest/config"

/**
 * Tests of packages that start no process, and so end soon: all but those of databases, of the laws of stores, and of
 * frameworks.
 */
const pure = ["packages/!(adapters|conformance|sql)/test/**/*.test.ts", "packages/adapters/importers/test/**/*.test.ts"]

export default defineConfig({
  test: {
    // By default a processor is kept free, which of two is half.
    maxWorkers: "100%",
    // The files that a worker is given share what is loaded: to load it again for each took a fifth of the time.
    isolate: false,
    // They end what hangs and measure nothing: a machine that is busy takes twenty times as long.
    hookTimeout: 120_000,
    testTimeout: 120_000,
    // In the order of their names, so that what takes long begins first and what is short fills the end.
    projects: [
      {
        extends: true,
        test: {
          name: "processes",
          include: [
            "packages/*/test/**/*.test.ts",
            "packages/adapters/*/test/**/*.test.ts",
            "apps/*/test/**/*.test.ts",
            "examples/*/test/**/*.test.ts",
            "examples/*/world/test/**/*.test.ts",
            "benchmarks/test/**/*.test.ts",
            "tooling/test/**/*.test.ts"
          ],
          exclude: [...pure, "**/node_modules/**"],
          setupFiles: ["tooling/src/compiled.ts"],
          globalSetup: [
            "tooling/src/compiled.ts",
            "tooling/src/postgres.ts",
            "apps/cli/test/bundled.ts",
            "apps/cli/test/bundledAgents.ts"
          ]
        }
      },
      { extends: true, test: { name: "pure", include: pure } }
    ]
  }
})
