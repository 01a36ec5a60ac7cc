/**
 * Checks the file of a pack: lists its mistakes, its warnings, the parts that are not enforced in any run, and how
 * many of its tools can be undone.
 *
 * A pack that cannot be read has issues. A pack that can be read may have impure functions, which
 * could fold to other states elsewhere.
 */
import * as Reversibility from "@backstitch/absorber/Reversibility"
import type * as Issue from "@backstitch/contracts/Issue"
import * as NotEnforced from "@backstitch/contracts/NotEnforced"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as PackFile from "./PackFile.ts"

/**
 * The findings of a check. `ok` means that there is no mistake; warnings and parts without enforcement refuse
 * nothing.
 */
export interface Checked {
  readonly ok: boolean
  /** Absent if the pack could not be read. */
  readonly pack?: TaskPack.TaskPack
  /** The share of the tools that can be undone; absent without a pack. */
  readonly reversibility?: Reversibility.Reversibility
  readonly issues: ReadonlyArray<Issue.Issue>
  /** Messages about impure functions. */
  readonly impure: ReadonlyArray<string>
  /** Functions that were not run, so that nobody knows whether they are pure. */
  readonly untried: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<Issue.Issue>
  /** Parts of the pack that are not enforced in any run. */
  readonly notEnforced: ReadonlyArray<string>
}

/** Checks a file. Fails if there is no file to read. */
export const file = (path: string): Effect.Effect<Checked, PackFile.PackUnreadable> =>
  PackFile.load(path).pipe(
    Effect.map((pack) => readable(pack, { impure: PackPurity.findings(pack).map(({ message }) => message) })),
    Effect.catchTag("PackInvalid", ({ issues }) => Effect.succeed(unreadable(issues)))
  )

/**
 * Checks a text of somebody else, under the name of a file. None of its functions is run and none of its files is read,
 * so a pack that has any is not found to be right: `untried` names them.
 */
export const text = (text: string, name: string): Checked => {
  const read = PackFile.parse(text, { file: name, read: unread })
  if (Result.isFailure(read)) return unreadable(read.failure.issues)
  const pack = read.success
  return readable(pack, { untried: PackPurity.functions(pack).map(({ id }) => id) })
}

/** The findings as plain JSON. */
export interface Document extends Omit<Checked, "pack" | "reversibility"> {
  readonly file: string
  readonly pack: string | null
  readonly version: string | null
  readonly digest: string | null
  readonly reversibility: Reversibility.Reversibility | null
}

/** Writes the findings about a file as plain JSON. */
export const documentOf = ({ pack, reversibility, ...found }: Checked, file: string): Document => {
  const { digest = null, id = null, version = null } = pack ?? {}
  return { file, ...found, pack: id, version, digest, reversibility: reversibility ?? null }
}

const unread = (): never => {
  throw new Error("files are read where the pack is, and not from a text of it")
}

const readable = (
  pack: TaskPack.TaskPack,
  { impure = [], untried = [] }: Partial<Pick<Checked, "impure" | "untried">>
): Checked => ({
  ok: impure.length + untried.length === 0,
  pack,
  reversibility: Reversibility.of(Object.values(pack.tools)),
  issues: [],
  impure,
  untried,
  warnings: pack.warnings,
  notEnforced: NotEnforced.of(pack)
})

const unreadable = (issues: ReadonlyArray<Issue.Issue>): Checked => ({
  ok: false,
  issues,
  impure: [],
  untried: [],
  warnings: [],
  notEnforced: []
})
