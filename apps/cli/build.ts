/**
 * Bundles the program, so that it starts in the time that a person does not notice: one file for what every command
 * needs, and one for each command.
 */
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { build, type InputOptions } from "rolldown"

/** Settings of every bundle of the program. */
export const settings = {
  cwd: import.meta.dirname,
  platform: "node",
  external: [/^node:/, "pg", "pg-native"]
} as const satisfies InputOptions

/** Bundles into a folder, which is emptied first, with the contracts to copy. */
export const bundle = async (dir: string): Promise<void> => {
  rmSync(dir, { recursive: true, force: true })
  await build({
    ...settings,
    input: { main: "src/main.ts" },
    output: {
      dir,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } }
    },
    logLevel: "warn"
  })
  cpSync(join(settings.cwd, "../../packages/patterns/contracts"), join(dir, "contracts"), { recursive: true })
}

if (import.meta.main) await bundle(join(import.meta.dirname, "dist"))
