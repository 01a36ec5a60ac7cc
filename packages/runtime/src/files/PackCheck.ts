/**
 * Checks the file of a contract: lists what is wrong in it, what deserves a look, and what holds no run to anything.
 *
 * A contract that cannot be read has issues and no pack; one that can be read may still have impure functions, which
 * would fold to other states elsewhere.
 */
import type * as Issue from "@backstitch/contracts/Issue"
import * as NotEnforced from "@backstitch/contracts/NotEnforced"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import * as Effect from "effect/Effect"
import * as PackFile from "./PackFile.ts"

/** The findings of a check. `ok` says that nothing is wrong; warnings and what is not enforced refuse nothing. */
export interface Checked {
  readonly ok: boolean
  /** Absent where the contract could not be read. */
  readonly pack?: TaskPack.TaskPack
  readonly issues: ReadonlyArray<Issue.Issue>
  /** Messages on functions that are not pure. */
  readonly impure: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<Issue.Issue>
  /** Parts of the contract that nothing holds a run to. */
  readonly notEnforced: ReadonlyArray<string>
}

/** Checks a file. It fails where there is no file to read. */
export const file = (path: string): Effect.Effect<Checked, PackFile.PackUnreadable> =>
  PackFile.load(path).pipe(
    Effect.map((pack): Checked => {
      const impure = PackPurity.findings(pack).map(({ message }) => message)
      const { warnings } = pack
      return { ok: impure.length === 0, pack, issues: [], impure, warnings, notEnforced: NotEnforced.of(pack) }
    }),
    Effect.catchTag("PackInvalid", ({ issues }) =>
      Effect.succeed<Checked>({ ok: false, issues, impure: [], warnings: [], notEnforced: [] })
    )
  )
