/**
 * Draws the mutants that a run of `pnpm mutation` tries: the same ones for the same seed, in any order.
 *
 * Stryker loads this module as three plugins. The checker accepts a mutant if a digest of its place and its text,
 * with the seed, is below the share. The ignorer skips sentences, because a test that pins prose proves nothing. The
 * reporter writes down the drawn mutants and their results during the run, so that a run which is stopped at its time
 * limit has reported its results so far.
 */
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"

/** One change of one place of one file; lines and columns count from 1. */
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
 * A mutant and its last status from Stryker.
 *
 * **Details**
 *
 * `Pending` was not tried yet. `Ignored` is left to this program, because a test reaches it only by loading its
 * module (`static`).
 */
export interface Noted extends Mutant {
  readonly static?: boolean
  readonly status: "Ignored" | "Killed" | "NoCoverage" | "Pending" | "RuntimeError" | "Survived" | "Timeout"
}

/** Names of the variables through which Stryker's processes get the seed, the share and the file of notes. */
export const variables = {
  notes: "BACKSTITCH_MUTATION_NOTES",
  seed: "BACKSTITCH_MUTATION_SEED",
  share: "BACKSTITCH_MUTATION_SHARE"
} as const

/** Tells whether a mutant is drawn. */
export const isDrawn = (
  { fileName, location, mutatorName, replacement }: Mutant,
  { seed, share }: { readonly seed: string; readonly share: number }
): boolean => {
  const { end, start } = location
  const place = [start.line, start.column, end.line, end.column]
  const text = JSON.stringify([seed, fileName.split(Path.sep).join("/"), place, mutatorName, replacement])
  return createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32 < share
}

/** A mutant in the form for people: its file from the root, its place counted from 1. */
const told = ({ fileName, id, location: { end, start }, mutatorName, replacement }: Mutant): Mutant => ({
  fileName: Path.relative(process.cwd(), Path.resolve(fileName)).split(Path.sep).join("/"),
  id,
  location: {
    start: { line: start.line + 1, column: start.column + 1 },
    end: { line: end.line + 1, column: end.column + 1 }
  },
  mutatorName,
  replacement
})

const isOurs = (mutant: Mutant): boolean =>
  isDrawn(mutant, { seed: process.env[variables.seed] ?? "1", share: Number(process.env[variables.share] ?? "1") })

const checker = {
  init: async (): Promise<void> => {},
  check: async (mutants: ReadonlyArray<Mutant>) =>
    Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        isOurs(told(mutant)) ? { status: "passed" } : { status: "compileError", reason: "not drawn" }
      ])
    ),
  group: async (mutants: ReadonlyArray<Mutant>) => [mutants.map(({ id }) => id)]
}

interface Literal {
  readonly type: string
  readonly value?: unknown
  readonly quasis?: ReadonlyArray<{ readonly value: { readonly raw: string } }>
}

const sentence = "a sentence"

const ignorer = {
  shouldIgnore: ({ node }: { readonly node: Literal }): string | undefined => {
    const texts =
      node.type === "StringLiteral"
        ? [String(node.value)]
        : node.type === "TemplateLiteral"
          ? (node.quasis ?? []).map(({ value }) => value.raw)
          : []
    return texts.some((text) => /\s/.test(text)) ? sentence : undefined
  }
}

type Result = Mutant & { readonly static?: boolean; readonly status: string; readonly statusReason?: string }

const reporter = () => {
  const drawn = new Map<string, Mutant>()
  const note = (noted: { readonly status: string; readonly static?: boolean }, mutant: Mutant): void =>
    Fs.appendFileSync(process.env[variables.notes] ?? "mutation.notes", `${JSON.stringify({ ...mutant, ...noted })}\n`)
  return {
    onMutationTestingPlanReady: ({
      mutantPlans
    }: {
      readonly mutantPlans: ReadonlyArray<{ readonly mutant: Result }>
    }) => {
      for (const { mutant } of mutantPlans) {
        const ours = told(mutant)
        if (mutant.statusReason === sentence || !isOurs(ours)) continue
        drawn.set(mutant.id, ours)
        note({ status: "Pending" }, ours)
      }
    },
    onMutantTested: ({ id, status, static: isStatic }: Result) => {
      const ours = drawn.get(id)
      if (ours !== undefined) note({ status, static: isStatic === true }, ours)
    }
  }
}

/** The plugins, under the name that Stryker expects. */
export const strykerPlugins = [
  { kind: "Checker", name: "sample", factory: () => checker },
  { kind: "Ignore", name: "sentences", value: ignorer },
  { kind: "Reporter", name: "notes", factory: reporter }
]
