/**
 * Bundles the program, so that it starts in the time that a person does not notice: one file for what every command
 * needs, and one for each command.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { build } from "rolldown"

/** Bundles into a folder, which is emptied first. */
export const bundle = async (dir: string): Promise<void> => {
  rmSync(dir, { recursive: true, force: true })
  await build({
    cwd: import.meta.dirname,
    input: { main: "src/main.ts" },
    platform: "node",
    external: [/^node:/, "pg", "pg-native"],
    output: {
      dir,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } }
    },
    logLevel: "warn"
  })
}

if (import.meta.main) await bundle(join(import.meta.dirname, "dist"))
