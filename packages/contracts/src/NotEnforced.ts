/**
 * Parts of a contract that are read and not yet enforced.
 *
 * People who sign a contract expect all of it to apply. The check of a pack names each part that the runtime does not
 * apply, so that nobody relies on it.
 */
import * as Canonical from "@backstitch/trace/Canonical"
import type { TaskPack } from "./TaskPack.ts"

/** Keys of named parts that nothing reads except the contract itself. */
const keys: Keys = { skeletons: ["after"], tools: ["assumes"] }

/** The keys of a pack without a machine: recovery reads these keys only together with the states of the agent. */
const bare: Keys = {
  skeletons: ["states", "entry", "commit", "exit", "inputs", "outputs", "after"],
  tools: ["reads", "assumes"]
}

/** Keys by the part of the pack in which they occur. */
type Keys = Readonly<Record<"skeletons" | "tools", ReadonlyArray<string>>>

/**
 * Lists the declared parts that have no effect, such as `topology`, `skeletons.buy.after` or `tools.book.assumes`.
 *
 * **Example** (What nobody should rely on)
 *
 * ```ts import.meta.vitest
 * import { NotEnforced, TaskPack } from "@backstitch/contracts"
 * import { Result } from "effect"
 *
 * const pack = Result.getOrThrow(
 *   TaskPack.make({ pack: "acme.notes", version: "1.0.0", topology: { kind: "react", steps: 5 } })
 * )
 * NotEnforced.of(pack) // => ["topology"]
 * ```
 */
export const of = ({ definition }: Pick<TaskPack, "definition">): ReadonlyArray<string> => [
  ...(definition["topology"] === undefined || definition["topology"] === null ? [] : ["topology"]),
  ...Object.entries(isGiven(definition["machine"]) ? keys : bare).flatMap(([part, names]) =>
    Object.entries(Canonical.objectOf(definition[part])).flatMap(([name, each]) =>
      names.filter((key) => isGiven(Canonical.objectOf(each)[key])).map((key) => `${part}.${name}.${key}`)
    )
  )
]

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
