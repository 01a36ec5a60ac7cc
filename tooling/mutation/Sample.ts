/**
 * Draws the mutants that a run of `pnpm mutation` tries: the same ones for the same seed, whatever order they come in.
 *
 * Stryker loads this module as two plugins. The checker passes a mutant where a
 * digest of its place and its text, with the seed, falls below the share. The
 * ignorer leaves sentences alone: a test that pins prose holds nothing.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import * as Path from "node:path"

/**
 * One change of one place of one file.
 *
 * @category models
 * @since 0.1.0
 */
export interface Mutant {
  readonly fileName: string
  readonly id: string
  readonly location: {
    readonly start: { readonly line: number; readonly column: number }
    readonly end: { readonly line: number; readonly column: number }
  }
  readonly mutatorName: string
  readonly replacement: string
}

/**
 * Names of the variables by which the run hands seed and share to the processes of Stryker.
 *
 * @category constants
 * @since 0.1.0
 */
export const variables = { seed: "BACKSTITCH_MUTATION_SEED", share: "BACKSTITCH_MUTATION_SHARE" } as const

/**
 * Tells whether a mutant is drawn.
 *
 * @category guards
 * @since 0.1.0
 */
export const isDrawn = (
  { fileName, location, mutatorName, replacement }: Mutant,
  { seed, share }: { readonly seed: string; readonly share: number }
): boolean => {
  const { end, start } = location
  const place = [start.line, start.column, end.line, end.column]
  const text = JSON.stringify([seed, fileName.split(Path.sep).join("/"), place, mutatorName, replacement])
  return createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32 < share
}

const checker = {
  init: async (): Promise<void> => {},
  check: async (mutants: ReadonlyArray<Mutant>) => {
    const seed = process.env[variables.seed] ?? "1"
    const share = Number(process.env[variables.share] ?? "1")
    return Object.fromEntries(
      mutants.map((mutant) => {
        const placed = { ...mutant, fileName: Path.relative(process.cwd(), Path.resolve(mutant.fileName)) }
        return [
          mutant.id,
          isDrawn(placed, { seed, share }) ? { status: "passed" } : { status: "compileError", reason: "not drawn" }
        ]
      })
    )
  },
  group: async (mutants: ReadonlyArray<Mutant>) => [mutants.map(({ id }) => id)]
}

interface Literal {
  readonly type: string
  readonly value?: unknown
  readonly quasis?: ReadonlyArray<{ readonly value: { readonly raw: string } }>
}

const ignorer = {
  shouldIgnore: ({ node }: { readonly node: Literal }): string | undefined => {
    const texts =
      node.type === "StringLiteral"
        ? [String(node.value)]
        : node.type === "TemplateLiteral"
          ? (node.quasis ?? []).map(({ value }) => value.raw)
          : []
    return texts.some((text) => /\s/.test(text)) ? "a sentence" : undefined
  }
}

/**
 * The plugins, as Stryker asks for them.
 *
 * @category constants
 * @since 0.1.0
 */
export const strykerPlugins = [
  { kind: "Checker", name: "sample", factory: () => checker },
  { kind: "Ignore", name: "sentences", value: ignorer }
]
