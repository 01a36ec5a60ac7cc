/**
 * Bundles for a browser, and their size.
 *
 * A bundle holds the modules that some lines of code need, made by Rolldown, minified, with the exports that a
 * package has for browsers. Its gzip is counted. `effect` stays outside if a page shares it.
 */
import * as Zlib from "node:zlib"
import { rolldown } from "rolldown"
import * as PureCalls from "../../tooling/src/PureCalls.ts"

const entry = "virtual:entry"

/** A bundle: its text, and the modules that it imports from outside. */
export interface Bundle {
  readonly code: string
  readonly imports: ReadonlyArray<string>
}

/** Settings of a bundle: the folder for imports, and whether `effect` is in the bundle. */
export interface Options {
  readonly folder: string
  readonly effect: "inside" | "outside"
  /** `iife` for a script that assigns its exports to the variable `exported`. */
  readonly format?: "esm" | "iife"
}

/** Bundles the modules that some lines need. */
export const make = async (lines: string, { effect, folder, format = "esm" }: Options): Promise<Bundle> => {
  const bundle = await rolldown({
    input: entry,
    cwd: folder,
    platform: "browser",
    external: effect === "outside" ? [/^effect(\/|$)/, /^node:/] : [/^node:/],
    onLog: (_, { code, message }) => {
      if (code === "IMPORT_IS_UNDEFINED" || code === "UNRESOLVED_IMPORT") throw new Error(message)
    },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? { code: lines, moduleSideEffects: true } : undefined),
        // Sources are bundled as they are published: with marked calls.
        transform: (code, id) => (id.endsWith(".ts") ? PureCalls.mark(code) : undefined)
      }
    ]
  })
  const { output } = await bundle.generate({ format, name: "exported", minify: true, codeSplitting: false })
  await bundle.close()
  const [{ code, imports }] = output
  return { code, imports }
}

/** Kilobytes of a bundle after gzip, of 1,000 bytes each. */
export const kilobytes = ({ code }: Bundle): number => Zlib.gzipSync(code, { level: 9 }).length / 1000
