/** The flags of commands that revise the goal of a run, and the revision that they give. */
import type * as Specification from "@backstitch/contracts/Specification"
import type * as Revising from "@backstitch/runtime/Revising"
import * as RevisionReading from "@backstitch/runtime/RevisionReading"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Flags from "../../input/Flags.ts"
import * as JsonFile from "../../input/JsonFile.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as RevisionText from "./RevisionText.ts"

/** The changes, and what a plan may do. */
export const flags = {
  set: Flags.texts("set", "NAME=VALUE", "Give a clause another value; it is in force again if it was withdrawn"),
  add: Flags.texts("add", "NAME: CONDITION", "Add a clause: a condition over the state, as in the contract"),
  withdraw: Flags.texts("withdraw", "NAME", "Withdraw a clause"),
  first: Flags.text("first", "NAME,NAME", "Put these clauses first, the most important one before the others"),
  revision: Flags.file("revision", "FILE", "Read the changes from a JSON file: { changes, kind, said, by }"),
  keep: Flags.texts("keep", "ACTION", "Declare that an act fits, if its contract does not decide"),
  widen: Flags.flag("widen", "Give up as lost what was built on acts to be undone, and cannot be undone itself")
}

/** The names of the flags that change a goal. */
export const named = "--set, --add, --withdraw, --first or --revision"

/** The values of the flags. */
export interface FlagValues {
  readonly set: ReadonlyArray<string>
  readonly add: ReadonlyArray<string>
  readonly withdraw: ReadonlyArray<string>
  readonly first: string | undefined
  readonly revision: string | undefined
  readonly keep: ReadonlyArray<string>
  readonly widen: boolean
}

/** Reads the revision: the changes of the file first, then those of the flags. */
export const read = Effect.fnUntraced(function* (given: FlagValues, specification: Specification.Specification) {
  const file = given.revision === undefined ? undefined : yield* ofFile(given.revision)
  const set = yield* Effect.forEach(given.set, (pair) => RevisionText.set(pair, specification))
  const added = yield* Effect.forEach(given.add, RevisionText.add)
  const withdrawn = yield* Effect.forEach(given.withdraw, RevisionText.withdraw)
  const first = given.first === undefined ? [] : [yield* RevisionText.first(given.first)]
  const revision: Revising.Revision = {
    ...file,
    changes: [...(file?.changes ?? []), ...set, ...added, ...withdrawn, ...first]
  }
  return revision
})

/** Reads a file: a revision, or a list of changes. */
const ofFile = Effect.fnUntraced(function* (file: string) {
  const document = yield* JsonFile.read(file)
  const { by, changes, kind, said } = yield* Effect.mapError(
    RevisionReading.parse(document, file),
    ({ message }) => new Usage({ problem: message })
  )
  const named = Object.hasOwn(Canonical.objectOf(document), "kind") ? { kind } : {}
  const who = typeof by === "string" ? { by } : {}
  return { changes, ...named, ...who, ...(typeof said === "string" ? { said } : {}) } satisfies Revising.Revision
})
