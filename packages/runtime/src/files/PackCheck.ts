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
  readonly warnings: ReadonlyArray<Issue.Issue>
  /** Parts of the pack that are not enforced in any run. */
  readonly notEnforced: ReadonlyArray<string>
}

/** Checks a file. Fails if there is no file to read. */
export const file = (path: string): Effect.Effect<Checked, PackFile.PackUnreadable> =>
  PackFile.load(path).pipe(
    Effect.map((pack): Checked => {
      const impure = PackPurity.findings(pack).map(({ message }) => message)
      const { warnings } = pack
      const reversibility = Reversibility.of(Object.values(pack.tools))
      const notEnforced = NotEnforced.of(pack)
      return { ok: impure.length === 0, pack, reversibility, issues: [], impure, warnings, notEnforced }
    }),
    Effect.catchTag("PackInvalid", ({ issues }) =>
      Effect.succeed<Checked>({ ok: false, issues, impure: [], warnings: [], notEnforced: [] })
    )
  )
